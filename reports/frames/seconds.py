"""One row per case and machine with its seconds, ratios of two rows, and what captions say of seconds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import pandas as pd

from fillpath.dicts import Row, dicts, grouped
from fillpath.papers import papers
from fillpath.processes import Rounds, ratio
from fillpath.settings import PROCESSES
from reports.claims.points import LESS, MORE
from reports.facts.inputs import Inputs
from reports.facts.naming import add_names, listed
from reports.shapes import bars

# What no thread of the host has a part in.
ON_GPU = ("fill2_gpu", "gsofa")
SYMBOLIC = "from the input pattern to the filled pattern, both resident"
RATIO = ("pair", "ratio", "ratio_low", "ratio_high", "ratio_processes")


def timed_frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case and machine, with what a drawing needs: label, abbr, stand_in_for, series (the
    implementation), where (machine and device), group (the position of the matrix)."""
    frame = inputs.rows()
    for name in ("median", "low", "high"):
        frame[name] = frame[name].astype(float)
    add_names(frame, inputs.entries, inputs.paper)
    frame["where"] = _where(frame)
    frame["series"] = _series(frame)
    frame["group"] = groups_of(frame)
    return frame


def groups_of(frame: pd.DataFrame) -> list[int]:
    """The position of each row's matrix along the axis."""
    prepared = ["" if pd.isna(name) else name for name in frame["preparation"]]
    keys = list(zip(frame["label"], prepared, strict=True))
    places = list(dict.fromkeys(keys))
    return [places.index(key) for key in keys]


def by_machine(rows: Iterable[Row]) -> list[list[Row]]:
    """The rows of each group and machine, in the order of the groups. What no machine has tried is missing on
    each of those that tried others of the group."""
    parts = grouped(rows, "group", "machine")
    tried = {group for group, machine in parts if machine}
    kept = [key for key in parts if key[1] or key[0] not in tried]
    return [parts[key] for key in sorted(kept, key=itemgetter(0))]


def ratio_of(
    top: Mapping[Any, Any] | None,
    bottom: Mapping[Any, Any] | None,
    names: tuple[str, str],
    *,
    bounds: bool = True,
) -> dict[str, Any]:
    """Seconds of one row over those of another: `pair` says `ok` or why there is no ratio.

    ratio_low, ratio_high : its interval; what the two rows' intervals allow where `rounds` are not known of
        both.
    ratio_processes : in which both were measured.
    names : of the two in `pair`, empty for the row that `pair` will stand on.
    bounds : where a limit of time ended a call of one of the two, `pair` says `> 70x` or `< 0.5x`, and the
        interval has that end alone.
    """
    if bounds and top is not None and bottom is not None and (bound := _bound(top, bottom)):
        return bound
    # The row's own status first: a case without a record has no machine, so its partner is not found.
    for row, name in sorted(zip((top, bottom), names, strict=True), key=lambda pair: bool(pair[1])):
        status = row["status"] if row is not None else "not_run"
        if status != "ok":
            return {"pair": f"{name} {status}".strip()}
    assert top is not None and bottom is not None
    if top["run_id"] != bottom["run_id"]:
        return {"pair": "two_runs"}
    if of_several_hosts([top, bottom]):
        return {"pair": "two_hosts"}
    return {"pair": "ok", **dict(zip(RATIO[1:], _ratio(top, bottom), strict=True))}


def _bound(top: Mapping[Any, Any], bottom: Mapping[Any, Any]) -> dict[str, Any]:
    """The bound that a stopped call sets on a ratio of one run and host; empty where it sets none."""
    if top["run_id"] != bottom["run_id"] or of_several_hosts([top, bottom]):
        return {}
    if is_stopped(top) and bottom["status"] == "ok":
        least = float(top["low"] / bottom["high"])
        return {"pair": f"{MORE}{bars.times(least)}", "ratio_low": least, "ratio_processes": 1.0}
    if is_stopped(bottom) and top["status"] == "ok":
        most = float(top["high"] / bottom["low"])
        return {"pair": f"{LESS}{bars.times(most)}", "ratio_high": most, "ratio_processes": 1.0}
    return {}


def is_stopped(row: Mapping[Any, Any]) -> bool:
    """Whether a limit of time ended a call of it, which took more than `low` seconds."""
    return bool(row["status"] == "timeout" and pd.notna(row["low"]))


def with_transfers(top: Mapping[Any, Any] | None, bottom: Mapping[Any, Any] | None) -> float | None:
    """Seconds of one row over those of another, each with its transfers to the GPU and back; None where
    `ratio_of` has no ratio or the transfers are not known."""
    if top is None or bottom is None or ratio_of(top, bottom, ("", ""))["pair"] != "ok":
        return None
    above, below = (row["median"] + row["transfers"] for row in (top, bottom))
    return None if pd.isna(above / below) else float(above / below)


def of_several_hosts(rows: Iterable[Mapping[Any, Any]]) -> bool:
    """Whether they are known to be; older records do not say."""
    return len({row["host"] for row in rows if isinstance(row.get("host"), str)}) > 1


def _ratio(top: Mapping[Any, Any], bottom: Mapping[Any, Any]) -> tuple[float, float, float, float]:
    """The value, its interval, and the processes behind it."""
    above, below = top.get("rounds"), bottom.get("rounds")
    if isinstance(above, Rounds) and isinstance(below, Rounds):
        of_rounds = ratio(above, below)
        return of_rounds.value, of_rounds.low, of_rounds.high, float(of_rounds.processes)
    processes = min(float(row.get("processes", 1)) for row in (top, bottom))
    return (
        top["median"] / bottom["median"],
        top["low"] / bottom["high"],
        top["high"] / bottom["low"],
        processes,
    )


def add_columns(frame: pd.DataFrame, rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> None:
    """Add a column for each name from one mapping per row: text where it is called `pair`, else numbers."""
    for name in names:
        dtype = "object" if name.startswith("pair") else "float64"
        frame[name] = pd.Series([row.get(name) for row in rows], index=frame.index, dtype=dtype)


def beside(
    frame: pd.DataFrame,
    others: pd.Series[bool],
    column: str,
    by: Sequence[str] = ("matrix", "preparation", "machine"),
) -> pd.Series[float]:
    """For each row the column's value in that one of the other rows that is of the same input and machine."""
    keys = list(by)
    known = frame[others].set_index(keys)[column].to_dict()
    values = [known.get(key) for key in frame[keys].itertuples(index=False, name=None)]
    return pd.Series(values, index=frame.index, dtype="float64")


def idle_series(frame: pd.DataFrame) -> tuple[pd.Series[bool], str]:
    """The series that no machine could run, and a line that says so: a slot for each matrix would say no
    more."""
    tried = set(frame.loc[frame["status"] != "unavailable", "series"])
    idle = ~frame["series"].isin(tried)
    names: dict[str, set[str]] = {}
    for name, reason in zip(frame.loc[idle, "implementation"], frame.loc[idle, "reason"], strict=True):
        names.setdefault(reason, set()).add(name)
    reasons = [
        f"{', '.join(sorted(implementations))}: unavailable, {reason}"
        for reason, implementations in names.items()
    ]
    return idle, "; ".join(reasons)


def measured_how(frame: pd.DataFrame, paper: str) -> str:
    """The caption's part on what the seconds are, their interval, threads, processors and preparation."""
    ok = frame[frame["status"] == "ok"]
    counts = frame.loc[~frame["implementation"].isin(ON_GPU), "threads"]
    threads = listed(str(count) if count else "all cores" for count in counts)
    cpus, gpus = listed(ok["host_cpu"].dropna()), listed(ok["device"].dropna())
    return (
        f"{seconds_how(frame)} Threads: {threads}. CPU: {cpus}. {'' if gpus == 'none' else f'GPU: {gpus}. '}"
        f"{prepared_how(frame, paper)}"
    )


def seconds_how(frame: pd.DataFrame, span: str = SYMBOLIC) -> str:
    """What the seconds are, and their interval. span : from what to what."""
    ok = frame[frame["status"] == "ok"]
    samples, processes = _counts(ok["samples"]), _counts(ok["processes"])
    several = f"{processes} processes of " if processes not in ("0", "1") else ""
    few = processes not in ("0", "1") and int(ok["processes"].min()) < PROCESSES
    whiskers = "about their range" if few else "their 95% intervals"
    return f"Seconds: {span}; medians of {several}{samples} samples, whiskers {whiskers}."


def _counts(numbers: pd.Series[Any]) -> str:
    """`3 to 10`."""
    counts = sorted(set(numbers.dropna())) or [0]
    return " to ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))


def moved_how(ratios: pd.Series[float]) -> str:
    """What ratios with transfers are, where there is one."""
    return MOVED if ratios.notna().any() else ""


def prepared_how(frame: pd.DataFrame, paper: str) -> str:
    """How the matrices were prepared, here and by the paper."""
    prepared = listed(frame["preparation"].dropna())
    return f"Preparation: {prepared} (the paper {papers()[paper].preparation})."


def slots_how(frame: pd.DataFrame) -> str:
    """What a hatched slot is, where a row has one."""
    failed = ~frame["status"].isin(["ok", "not_run", "unavailable"])
    # Some frames have other numbers than seconds.
    stopped = "low" in frame and any(map(is_stopped, dicts(frame[["status", "low"]])))
    return f"{NO_RESULT} {STOPPED if stopped else ''}" if failed.any() else ""


MOVED = "With transfers: the way to the GPU and back is added to its seconds. "
STAND_INS = "Stand-ins are indicative only."
NO_RESULT = "Hatched: no valid result."
STOPPED = "More than (>): a limit of time ended the call, and its ratios are bounds. "


def _where(frame: pd.DataFrame) -> list[str]:
    """`h200 (NVIDIA H200)`; the machine alone where the record names no device, `no machine` without a
    record."""
    pairs = zip(frame["machine"], frame["device"], strict=True)
    named = [(m, "" if pd.isna(device) else f" ({device})") for m, device in pairs]
    return ["no machine" if pd.isna(m) else f"{m}{device}" for m, device in named]


def _series(frame: pd.DataFrame) -> list[str]:
    """The implementation, with options, and the machine where there are several."""
    several = frame["machine"].nunique() > 1
    names = (frame["implementation"] + " " + frame["options"]).str.strip()
    threads = [f" threads={t}" if t else "" for t in frame["threads"]]
    hosts = [f" on {m}" if several and not pd.isna(m) else "" for m in frame["machine"]]
    return [f"{name}{t}{host}" for name, t, host in zip(names, threads, hosts, strict=True)]
