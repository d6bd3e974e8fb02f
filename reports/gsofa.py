"""GSoFA (Gaihre, Li, Liu, TPDS 2021): Table 1 and the CPU side of Figure 10."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports import bars
from reports.claims import abbreviation, abbreviations, claim, printed_table
from reports.figures import Entries, FigureSpec
from reports.records import MatrixEntry, Records, find_entry, printed_name
from reports.style import LARGE, SMALL, new_figure
from reports.tables import Column, table

# These traverse A, as the paper's TEPS counts it; fill1 and its kin traverse the filled graph instead.
TRAVERSE_A = ("fill2_cpu", "fill2_gpu", "gsofa")
PRINTED = ("order", "nnz", "structural_symmetry", "nnz_per_row", "fillins_per_nnz")
MEASURED = ("order", "nnz", "explicit_zeros", "nnz_per_row", "fills_per_nnz")


def table1_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """The paper's Table 1 beside what was measured: printed matrices first (not run where none is at hand),
    then stand-ins under their own names, then other matrices of the cases, which the paper does not print."""
    measured = _per_matrix(records.frame(cases), entries)
    by_abbreviation = {row["abbr"]: row for row in measured if row["abbr"]}
    rows = [
        {**_printed(printed), **by_abbreviation.get(printed["abbr"], {})}
        for printed in printed_table("gsofa_table1_matrices").to_dict("records")
    ]
    own = [row for row in measured if not row["abbr"]]
    rows += sorted(own, key=lambda row: row["role"] == "other")
    columns = [
        "matrix", "abbr", "role", "stand_in_for", *(f"paper_{name}" for name in PRINTED), "status", "order",
        "nnz", "explicit_zeros", "diagonal_added", "zeros_kept", "nnz_per_row", "fills", "fills_per_nnz",
        "preparation", "case", "machine",
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=columns)
    whole = dict.fromkeys(("paper_order", "paper_nnz", "order", "nnz", "fills"), "Int64")
    whole |= dict.fromkeys(("explicit_zeros", "diagonal_added"), "Int64")
    floats = dict.fromkeys(("paper_fillins_per_nnz", "nnz_per_row", "fills_per_nnz"), "float64")
    return frame.astype({**whole, **floats, "zeros_kept": "boolean"})


def fig10_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """Seconds and TEPS of each case, with the ratio that the paper prints for the matrix, if any."""
    frame = records.frame(cases)
    counts = frame["implementation"].isin(TRAVERSE_A)
    edges = frame["edges"].astype("Float64").where(counts)
    # the interval of a rate runs the other way: most seconds, fewest edges a second
    for name, seconds in (("teps", "median"), ("teps_low", "high"), ("teps_high", "low")):
        frame[name] = (edges / frame[seconds].astype("Float64")).astype(float)
    for name in ("median", "low", "high"):
        frame[name] = frame[name].astype(float)
    found = [find_entry(matrix, entries) for matrix in frame["matrix"]]
    frame["label"] = [_label(m, entry) for m, entry in zip(frame["matrix"], found, strict=True)]
    frame["stand_in_for"] = [_stand_in(entry) for entry in found]
    frame["series"] = _series(frame)
    groups = list(dict.fromkeys(zip(frame["matrix"], frame["preparation"], strict=True)))
    frame["group"] = [groups.index(key) for key in zip(frame["matrix"], frame["preparation"], strict=True)]
    frame["counts_edges"] = counts
    printed = claim("gsofa", "fig10_vs_fill2_cpu")
    shorts = [abbreviation(entry) for entry in found]
    compared = frame["implementation"] == "fill2_cpu"
    own = pd.array([printed.value(short) if short else None for short in shorts], dtype="Float64")
    frame["paper_gsofa_over_this"] = pd.Series(own, index=frame.index).where(compared)
    frame["paper_gsofa_over_this_mean"] = pd.Series(printed.mean, index=frame.index).where(compared)
    return frame


def table1(frame: pd.DataFrame) -> Figure:
    """Printed columns beside measured ones, one row a matrix, stand-ins on a grey ground."""
    rows = [_table1_row(row) for row in frame.to_dict("records")]
    columns = [
        Column("matrix", max(3.0, 0.112 * max(len(row[0]) for row in rows)), left=True),
        *_columns("printed in the paper", ("struct.\nsymm.", 0.8)),
        *_columns("measured here", ("explicit\nzeros", 0.95)),
        Column("status", 1.4),
    ]
    shaded = [bool(role == "stand-in") for role in frame["role"]]
    return table("GSoFA, Table 1: the matrices, as printed and as measured", columns, rows, shaded)


def fig10(frame: pd.DataFrame) -> Figure:
    """TEPS above seconds, one group a matrix; the paper's ratios stand as text: not measured here."""
    groups = frame.drop_duplicates("group")
    figure = new_figure(min(22.0, max(10.0, 2.5 + 1.25 * len(groups))), 9.0)
    top, bottom = figure.subplots(2, 1, sharex=True)
    figure.suptitle(
        "GSoFA, Figure 10: the CPU side", x=0.01, ha="left", fontsize=LARGE, weight="bold"
    )  # fmt: skip
    counts = frame["counts_edges"].astype(bool)
    bars.bar_panel(top, frame, bars.Panel("teps", "teps_low", "teps_high", "TEPS (edges / second)"), counts)
    everything = pd.Series(True, index=frame.index)
    bars.bar_panel(bottom, frame, bars.Panel("median", "low", "high", "seconds"), everything)
    silent = {name: f"{name} (seconds only)" for name in frame.loc[~counts, "series"]}
    bars.legend(top, frame, silent)
    several = groups["preparation"].nunique() > 1
    labels = [_tick(row, several) for row in groups.to_dict("records")]
    bottom.set_xticks(range(len(labels)), labels, rotation=32, ha="right", rotation_mode="anchor")
    bottom.set_xlim(-0.6, max(1, len(labels)) - 0.4)
    top.set_title(_paper_ratio(), loc="left", fontsize=SMALL + 1, pad=32)
    return figure


def _columns(group: str, third: tuple[str, float]) -> list[Column]:
    """The five columns that stand on both sides; the third differs."""
    widths = [("order", 1.1), ("nnz", 1.25), third, ("nnz\n/ row", 0.8), ("fill-ins\n/ nnz", 0.9)]
    return [Column(heading, width, group) for heading, width in widths]


def _paper_ratio() -> str:
    printed = claim("gsofa", "fig10_vs_fill2_cpu")
    low, high = printed.extreme("min"), printed.extreme("max")
    assert low and high
    return (
        f"paper: GSoFA is {printed.mean:g}x fill2_cpu's TEPS on average, {low[1]:g} ({low[0]}) to "
        f"{high[1]:g} ({high[0]}); the GPU side is not measured here"
    )


def table1_caption(frame: pd.DataFrame) -> str:
    """What is compared with what."""
    ok = frame[frame["status"] == "ok"]
    zeros = int((ok["zeros_kept"].eq(True) & ok["explicit_zeros"].gt(0)).fillna(False).sum())
    holes = int(ok["diagonal_added"].gt(0).fillna(False).sum())
    orderings = _listed(ok["preparation"].dropna())
    return (
        "Printed: the paper's own Table 1, which leaves explicit zeros out of nnz; its ordering is "
        "ParMETIS. Measured: order, nnz counted likewise, and fill-ins, verified results only; "
        f"preparation: {orderings} (metis: METIS in place of ParMETIS). What is factorised has explicit "
        f"zeros too in {zeros} of {len(ok)} measured matrices, and a diagonal that was incomplete in "
        f"{holes}. Fill-ins / nnz: entries of L + U outside the pattern that is factorised, over nnz, "
        "without pivoting. Structural symmetry is not measured. Rows on "
        "grey are stand-ins: other matrices, under their own names."
    )


def fig10_caption(frame: pd.DataFrame) -> str:
    """What is measured, on what."""
    ok = frame[frame["status"] == "ok"]
    counts = sorted(set(ok["samples"])) or [0]
    samples = " to ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
    threads = _listed(str(count) if count else "all cores" for count in frame["threads"])
    cpus, prepared = _listed(ok["host_cpu"].dropna()), _listed(frame["preparation"])
    return (
        "Seconds: input pattern resident in memory to filled pattern resident, preparation outside. "
        f"Bars are medians of {samples} samples, whiskers the 95% bootstrap interval of the median "
        "(least to most below 6 samples). TEPS: entries of A examined while expanding frontiers, over "
        f"the same seconds; only for implementations that traverse A as fill2 does. Threads: {threads}. "
        f"CPU: {cpus}. Preparation: {prepared} (metis: METIS; the paper orders by ParMETIS and uses 42 "
        "POWER9 cores). The paper prints ratios of its CPU side, no absolute TEPS. A hatched slot has "
        "no valid result: it names the status, its height means nothing. Stand-ins are other matrices "
        "than the paper's: indicative only."
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(set(names))) or "none"


def _per_matrix(rows: pd.DataFrame, entries: Entries) -> list[dict[str, Any]]:
    """One row a matrix and preparation: of a verified result if there is one, else why there is none."""
    found = []
    for (matrix, _), group in rows.groupby(["matrix", "preparation"], sort=False):
        ok = group[(group["status"] == "ok") & group["fills"].notna()]
        row = {str(key): value for key, value in (group if ok.empty else ok).iloc[0].items()}
        entry = find_entry(str(matrix), entries)
        found.append({**_identity(str(matrix), entry), **_table1_measured(row)})
    return found


def _identity(matrix: str, entry: MatrixEntry | None) -> dict[str, Any]:
    short = abbreviation(entry)
    if short:
        return {"abbr": short}
    stand_in = _stand_in(entry)
    name = entry.name if entry else printed_name(matrix)
    return {
        "matrix": name,
        "abbr": None,
        "role": "stand-in" if stand_in else "other",
        "stand_in_for": stand_in,
    }


def _table1_measured(row: Mapping[str, Any]) -> dict[str, Any]:
    """nnz as the paper counts it: the matrix's own entries without explicit zeros."""
    kept = ("status", "explicit_zeros", "diagonal_added", "zeros_kept", "preparation", "case", "machine")
    numbers = ("n", "entries", "explicit_zeros", "fills")
    n, entries, zeros, fills = (None if pd.isna(row[key]) else row[key] for key in numbers)
    nnz = None if entries is None or zeros is None else entries - zeros
    return {
        **{key: row[key] for key in kept},
        "order": n,
        "nnz": nnz,
        "fills": fills,
        "nnz_per_row": nnz / n if n and nnz else None,
        "fills_per_nnz": fills / nnz if nnz and fills is not None else None,
    }


def _printed(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        "matrix": row["matrix"],
        "abbr": row["abbr"],
        "role": "paper",
        "status": "not_run",
        **{f"paper_{name}": row[name] for name in PRINTED},
    }


def _table1_row(row: Mapping[Any, Any]) -> list[str]:
    name = f"{row['matrix']} ({row['abbr']})" if row["role"] == "paper" else str(row["matrix"])
    if row["role"] == "stand-in":
        name = f"{name}, stand-in for {row['stand_in_for']}"
    theirs = zip((f"paper_{key}" for key in PRINTED), (",d", ",d", "g", "g", ".2f"), strict=True)
    ours = zip(MEASURED, (",d", ",d", ",d", ".1f", ".2f"), strict=True)
    numbers = [_number(row[key], form) for key, form in (*theirs, *ours)]
    return [name, *numbers, str(row["status"]).replace("_", " ")]


def _number(value: Any, form: str) -> str:
    return "-" if pd.isna(value) else format(int(value) if form == ",d" else float(value), form)


def _stand_in(entry: MatrixEntry | None) -> str | None:
    """`ST, AU`: the matrices of this paper that the entry stands in for."""
    names = entry.stands_for if entry else ()
    return ", ".join(abbreviations()[name] for name in names if name in abbreviations()) or None


def _label(matrix: str, entry: MatrixEntry | None) -> str:
    short = abbreviation(entry)
    name = entry.name if entry else printed_name(matrix)
    return f"{name} ({short})" if short else name


def _series(frame: pd.DataFrame) -> list[str]:
    """The implementation, with options, and the machine where there are several."""
    several = frame["machine"].nunique() > 1
    names = (frame["implementation"] + " " + frame["options"]).str.strip()
    threads = [f" threads={t}" if t else "" for t in frame["threads"]]
    hosts = [f" on {m}" if several and not pd.isna(m) else "" for m in frame["machine"]]
    return [f"{name}{t}{host}" for name, t, host in zip(names, threads, hosts, strict=True)]


def _tick(row: Mapping[Any, Any], several: bool) -> str:
    lines = [str(row["label"]) + (f", {row['preparation']}" if several else "")]
    if not pd.isna(row["stand_in_for"]):
        lines.append(f"stand-in: {row['stand_in_for']}")
    return "\n".join(lines)


def _symbolic(case: Case) -> bool:
    return case.stage == "symbolic"


FIGURES: Mapping[str, FigureSpec] = {
    "table1": FigureSpec("Table 1: the matrices", _symbolic, table1_frame, table1, table1_caption),
    "fig10": FigureSpec(
        "Figure 10: fill2 on the CPU (TEPS and seconds)", _symbolic, fig10_frame, fig10, fig10_caption,
        state="CPU side drawn", claims=("fig10_vs_fill2_cpu",),
    ),
}  # fmt: skip
