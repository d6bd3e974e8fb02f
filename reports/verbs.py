"""Verbs of figures: rows of a code, a code over another, the fastest, the print of a matrix.

Verbs take and give DataFrames and pair rows by their input, KEY. A join that is not one to one is an error.

    over(of(rows, "fill2_gpu"), of(rows, "gsofa"))["ratio"]   # of seconds, one per input
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple
from typing import Any

import numpy as np
import pandas as pd

from fillpath.dicts import Row, dicts
from fillpath.options import Option
from fillpath.processes import Ratio, Rounds, ratio, representative
from fillpath.record import Record
from reports.facts.means import geometric_mean
from reports.facts.naming import among, printed_label
from reports.facts.printed import abbreviations
from reports.shapes.bars import times
from reports.table import COLUMNS

# The input of a case, by which verbs pair rows.
KEY = ["matrix", "preparation"]
BUDGET, ABSENT = "memory_budget", "the matrix is not at hand"
ENDS = ("", "_low", "_high")
RATIO = ["pair", "ratio", "ratio_low", "ratio_high", "ratio_processes", "moved_ratio"]
_MEASURED = ["status", "median", "low", "high", "run_id", "host", "transfers", "rounds", "processes"]
# Columns of a partner that join a case, with the counts of the partner's record.
_OF_PARTNER = ("case", "status", "median", "fills", "edges", "peak_memory")


def of(rows: pd.DataFrame, code: str, by: str = "variant") -> pd.DataFrame:
    """Return the rows of a code by their input. Raises ValueError for two of one input."""
    return by_input(rows[rows[by] == code])


def by_code(rows: pd.DataFrame, codes: Mapping[str, str], by: str = "variant") -> dict[str, pd.DataFrame]:
    """Return the rows of each code by every input of any row; without values where a code has no case."""
    index = pd.MultiIndex.from_frame(rows[KEY]).unique()
    return {name: of(rows, code, by).reindex(index) for name, code in codes.items()}


def by_input(rows: pd.DataFrame, *more: str) -> pd.DataFrame:
    """Return the rows by their input and more columns. Raises ValueError for two rows of one index."""
    keyed = rows.set_index([*KEY, *more])
    if not keyed.index.is_unique:
        first = keyed.index[keyed.index.duplicated()][0]
        raise ValueError(f"two rows of {', '.join(map(str, first))}, where figures pair one with one")
    return keyed


def on(rows: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Return for each row the one of the others that is of its input; without values where there is none."""
    return by_input(others).reindex(pd.MultiIndex.from_frame(rows[KEY])).set_axis(rows.index)


def over(
    top: pd.DataFrame, bottom: pd.DataFrame, names: tuple[str, str] = ("", ""), bounds: bool = True
) -> pd.DataFrame:
    """Return seconds of the rows over those of others of one index, of one run and host, with RATIO.

    `pair` is `ok` or why there is no ratio: `two_runs`, `two_hosts`, a status after the code's name. A call
    that a limit of time ended gives a bound, as `> 70x`, and one end of the interval.

    names : tuple of str, the two codes in `pair`; empty for the code of the row itself
    bounds : bool, whether a call that a limit of time ended gives a bound
    """
    index = top.index.union(bottom.index, sort=False)
    sides = [dicts(part.reindex(index, columns=_MEASURED)) for part in (top, bottom)]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = [_over(a, b, names, bounds) for a, b in zip(*sides, strict=True)]
    ratios = pd.DataFrame([numbers for _, *numbers in found], index, RATIO[1:], dtype="float64")
    ratios.insert(0, RATIO[0], pd.Series([pair for pair, *_ in found], index, dtype="object"))
    return ratios


def _over(a: Row, b: Row, names: tuple[str, str], bounds: bool) -> tuple[Any, ...]:
    """Return RATIO of two rows of one input."""
    status = [each["status"] if isinstance(each["status"], str) else "not_run" for each in (a, b)]
    same_run = isinstance(a["run_id"], str) and a["run_id"] == b["run_id"]
    two_hosts = len({each["host"] for each in (a, b) if isinstance(each["host"], str)}) > 1
    low, high = np.divide(a["low"], b["high"]), np.divide(a["high"], b["low"])
    if same_run and not two_hosts:
        if status == ["ok", "ok"]:
            # One process: the interval follows from the two intervals.
            processes = np.minimum(a["processes"], b["processes"])
            found = Ratio(np.divide(a["median"], b["median"]), low, high, processes)
            if isinstance(a["rounds"], Rounds) and isinstance(b["rounds"], Rounds):
                found = ratio(a["rounds"], b["rounds"])
            moved = np.divide(a["median"] + a["transfers"], b["median"] + b["transfers"])
            return "ok", *astuple(found), moved
        # One process of the call that was stopped decides; its partner is a time.
        if bounds and status == ["timeout", "ok"] and np.isfinite(low):
            return f"> {times(low)}", np.nan, low, np.nan, b["processes"], np.nan
        if bounds and status == ["ok", "timeout"] and np.isfinite(high):
            return f"< {times(high)}", np.nan, np.nan, high, a["processes"], np.nan
    # The row's own status before that of the code that it is held against.
    order = (0, 1) if names[1] or not names[0] else (1, 0)
    failed = [f"{names[i]} {status[i]}".strip() for i in order if status[i] != "ok"]
    return [*failed, "two_hosts" if same_run else "two_runs"][0], *[np.nan] * 5


def over_variant(
    cases: pd.DataFrame,
    rows: pd.DataFrame,
    base: "pd.Series[str]",
    names: tuple[str, str],
    inverse: bool = False,
    bounds: bool = True,
) -> pd.DataFrame:
    """Return `over` of each row and the case of variant `base` (on top if inverse), as `other_...`."""
    wanted = pd.MultiIndex.from_frame(rows[KEY].assign(variant=base))
    other = by_input(cases, "variant").reindex(wanted).set_axis(rows.index)
    top, bottom = (other, rows) if inverse else (rows, other)
    said = [name for name in other if name not in COLUMNS or name in _OF_PARTNER]
    return over(top, bottom, names, bounds).join(other[said].add_prefix("other_"))


def phase_medians(rows: pd.DataFrame, spans: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return the seconds of each span: the sum of its phases' medians, 0 for a phase that a record lacks."""

    def seconds(runs: Sequence[Record]) -> dict[str, float]:
        taken = {name: float(np.median(s)) for name, s in representative(runs).phases.items() if s}
        return {span: sum(taken.get(name, 0.0) for name in names) for span, names in spans.items()}

    sums = [seconds(runs) if runs else {} for runs in rows["runs"]]
    return pd.DataFrame(sums, rows.index, list(spans), dtype="float64")


def inverted(found: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return one over a ratio of `over`, with its interval, as columns of that name."""
    ends = {name: "ratio", f"{name}_low": "ratio_high", f"{name}_high": "ratio_low"}
    return pd.DataFrame({ours: 1 / found[theirs] for ours, theirs in ends.items()})


def gains(found: pd.DataFrame) -> pd.DataFrame:
    """Return a ratio with `gain`, by how many per cent it is above 1."""
    ends = {f"gain{end}": 100 * (found[f"ratio{end}"] - 1) for end in ENDS}
    return found.assign(**ends, gain_processes=found["ratio_processes"])


def fact(rows: pd.DataFrame, name: str) -> "pd.Series[float]":
    """Return what records counted under that name, unknown where none did."""
    return rows[name].astype(float) if name in rows else pd.Series(np.nan, rows.index)


def fastest(
    parts: Mapping[str, pd.DataFrame], run: "pd.Series[str] | None" = None, status: str = "status"
) -> pd.DataFrame:
    """Return by input the row that takes least of these codes, which `code` names; the first without any.

    `untimed` names the codes that have no time of an input and do not refuse it.

    run : by input, the run whose rows come first
    """
    rows = pd.concat(parts, names=["code"]).reset_index("code")
    seconds = rows["median"].where(rows[status] == "ok").astype(float)
    lacking = rows["code"][seconds.isna() & ~rows["status"].astype(str).str.endswith("unsupported")]
    rows["untimed"] = lacking.groupby(level=KEY).agg(", ".join).reindex(rows.index).fillna("")
    if run is not None:
        own = (rows["run_id"] == run.reindex(rows.index)) & seconds.notna()
        seconds = seconds.mask(own.groupby(level=KEY).transform("any") & ~own)
    ordered = rows.assign(seconds=seconds).sort_values("seconds", kind="stable")
    return ordered[~ordered.index.duplicated()].drop(columns="seconds").reindex(rows.index.unique())


def wide(parts: Mapping[str, pd.DataFrame], columns: Sequence[str], first: pd.DataFrame) -> pd.DataFrame:
    """Return `first` by input, and of each part `<name>_<column>` where it is ok, and `status_<name>`."""
    values = [
        part.reindex(columns=list(columns)).where(part["status"] == "ok").add_prefix(f"{name}_")
        for name, part in parts.items()
    ]
    statuses = pd.concat({f"status_{name}": part["status"] for name, part in parts.items()}, axis=1)
    rows = pd.concat([*values, statuses.astype("object").fillna("not_run")], axis=1)
    return first.join(rows, validate="one_to_one").copy()


def inputs(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row per input, without what is of a case."""
    kept = [*KEY, "label", "abbr", "stand_in_for", "distance", "machine", "kind", "n", "nnz", "entries"]
    return rows[kept].groupby(KEY, sort=False).first()


def beside(
    frame: pd.DataFrame, paper: str, printed: pd.DataFrame | Mapping[str, Mapping[str, float | None]]
) -> pd.DataFrame:
    """Return the frame with the print by column and matrix, `not_run` rows for matrices without cases."""
    columns = pd.DataFrame(printed).astype("float64")
    columns = columns[columns.index.isin(abbreviations(paper).values())]
    frame = frame.reset_index(drop=frame.index.names[0] is None)
    whole = with_absent(frame, columns.index, "abbr", None).join(columns, on="abbr")
    pairs = zip(whole["label"], whole["abbr"], strict=True)
    return whole.assign(label=[printed_label(abbr, paper) if name == abbr else name for name, abbr in pairs])


def with_absent(
    rows: pd.DataFrame, names: Collection[str], by: str = "matrix", reason: str | None = ABSENT
) -> pd.DataFrame:
    """Return the rows and, at the end, a `not_run` one for each of these matrices that no row has in `by`."""
    present = set(rows[by])
    absent = [name for name in names if name not in present]
    statuses = rows.filter(regex="^(status|told|both)|pair$")
    said = {by: absent, "label": absent, "reason": reason} | dict.fromkeys(statuses, "not_run")
    known = {name: value for name, value in said.items() if name in rows}
    more = pd.DataFrame(known, range(len(absent)), dtype="object")
    return pd.concat([rows, more], ignore_index=True).copy() if absent else rows.reset_index(drop=True)


def in_papers_order(frame: pd.DataFrame, paper: str, shown: Collection[str] = ()) -> pd.DataFrame:
    """Return the rows by the paper's matrices (those `shown`), each before its stand-ins, in groups."""
    order = [abbr for abbr in abbreviations(paper).values() if abbr in shown or not shown]
    places = {abbr: float(place) for place, abbr in enumerate(order)}
    instead = frame["stand_in_for"].map(lambda names: among(names, order)).astype("object")
    firsts = instead.map(lambda names: min(places[name] for name in names.split(", ")), na_action="ignore")
    place = frame["abbr"].map(places).astype(float).fillna(firsts.astype(float) + 0.5).fillna(len(order))
    frame = frame.assign(stand_in_for=instead, place=place)
    frame = frame.sort_values(["place", "label"], kind="stable", ignore_index=True).drop(columns="place")
    return with_groups(frame)


def with_groups(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with `group`, the number of their matrix and preparation along an axis."""
    prepared = frame["preparation"].astype("object").fillna("") if "preparation" in frame else ""
    return frame.copy().assign(group=pd.factorize(frame["label"].astype(str) + "\n" + prepared)[0])


def mean(values: "pd.Series[float]") -> float:
    """Return the geometric mean of ratios, nan of none."""
    known = values.dropna()
    return geometric_mean(known) if len(known) else float("nan")


def first_failure(statuses: pd.DataFrame) -> "pd.Series[str]":
    """Return of each row the first status that is not `ok`, `ok` where there is none."""
    return statuses.where(statuses != "ok").bfill(axis=1).iloc[:, 0].fillna("ok")


def equality(frame: pd.DataFrame, name: str) -> "pd.Series[str]":
    """Return `equal` or `differs` of a count and what is printed of it; nothing where either is unknown."""
    ours, theirs = frame[name], frame[f"paper_{name}"]
    words = (ours == theirs).map({True: "equal", False: "differs"})
    return words.where(ours.notna() & theirs.notna(), "")


def option(variants: "pd.Series[str]", name: str) -> "pd.Series[str]":
    """Return the variant's text of an option, empty at its default."""
    return variants.str.extract(rf"\.{name}=([^=]*?)(?=\.[a-z_]+=|$)", expand=False)


def with_budgets(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with `budget`, as the case writes its memory_budget, and `budget_bytes`."""
    budget = option(rows["variant"], BUDGET)
    counts = budget.map(Option(BUDGET, int, None).parse, na_action="ignore")
    return rows.assign(budget=budget, budget_bytes=counts.astype(float))


def without(variants: "pd.Series[str]", *options: str) -> "pd.Series[str]":
    """Return the variants with these options at their defaults."""
    return variants.str.replace(rf"\.({'|'.join(options)})=[^=]*?(?=\.[a-z_]+=|$)", "", regex=True)


def with_option(variants: "pd.Series[str]", name: str, value: str) -> "pd.Series[str]":
    """Return the variants with an option of that value, as experiments write them."""

    def written(variant: str) -> str:
        code, *options = re.split(r"\.(?=[a-z_]+=)", variant)
        return ".".join([code, *sorted([*options, f"{name}={value}"])])

    return without(variants, name).map(written)
