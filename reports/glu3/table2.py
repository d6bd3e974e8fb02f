"""Table II: levels, and the time that finding them takes, by exact and by relaxed dependencies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.bars import times
from reports.claims import claims_of
from reports.device import add_printed, device_frame
from reports.figures import Entries, FigureSpec
from reports.glu3.paper import (
    KERNELS,
    LEVELS,
    OWN_WAY,
    PAPER,
    milliseconds,
    prepared_how,
    printed,
    where,
)
from reports.naming import lines
from reports.records import Records
from reports.standings import Verdict
from reports.tables import Column, machine_column, matrix_column, table
from reports.timed import RATIO, ratio_of
from reports.variants import Row, by_matrix, cell, finished, number, paired, said, spanning, status_of
from reports.verdicts import judge, judge_all, remarks

CLAIM, COUNTS = "table2_levelization", "counts"
EXACT, CLOSED, RELAXED, KAHN = "glu2", "glu2.search=closed", "glu3_relaxed", "kahn_gpu"
# How the columns of each variant are called.
SHORT = {EXACT: "exact", CLOSED: "closed", RELAXED: "relaxed", KAHN: "kahn"}
# Exact targets: the printed table and its column.
TARGETS = {
    "nz": (KERNELS, "nz"),
    "filled": (KERNELS, "nnz_filled"),
    "levels_exact": (LEVELS, "levels_glu2"),
    "levels_relaxed": (LEVELS, "levels_glu3"),
}
HELD = tuple(name for name in TARGETS if name != "nz")
TIMES = {"ms_exact": "glu2_ms", "ms_relaxed": "glu3_ms", "ratio": "speedup"}
FACTS = ("levels", "filled", "dependencies", "double_u", "searched")
EQUAL = {"equal": "=", "differs": "\N{NOT EQUAL TO}"}
CLOSED_RATIO = tuple(f"closed_{name}" for name in RATIO)


def variant_of(case: Case) -> str:
    """Which of the columns a case is; empty for none."""
    written = ".".join([case.implementation, *(f"{key}={value}" for key, value in case.options)])
    return written if case.stage == "levels" and written in SHORT else ""


def table2_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix, preparation and machine: entries, filled entries and levels as printed and as counted,
    `<count>_is` : equal or differs; milliseconds of each variant, and of the exact search, as the paper has
    it (`ratio`) and without its third loop (`closed_ratio`), over the relaxed one in the same run."""
    chosen = [case for case in cases if variant_of(case)]
    frame = device_frame(records, entries, chosen, FACTS, paper=PAPER)
    frame["variant"] = [variant_of(Case.parse(case)) for case in frame["case"]]
    frame = by_matrix(frame, tuple(SHORT), _numbers)
    columns = {f"paper_{name}": printed(*where) for name, where in TARGETS.items()}
    columns |= {f"paper_{name}": printed(LEVELS, column) for name, column in TIMES.items()}
    frame = add_printed(frame, columns, paper=PAPER)
    for name in HELD:
        frame[f"{name}_is"] = [_equal(row, name) for row in frame.to_dict("records")]
    texts = [f"status_{short}" for short in SHORT.values()] + ["pair", "closed_pair"]
    texts += [f"{name}_is" for name in HELD]
    seconds = [f"ms_{short}" for short in SHORT.values()]
    counts = [*TARGETS, "dependencies_exact", "dependencies_relaxed", "double_u", "searched"]
    ratios = [name for name in (*RATIO, *CLOSED_RATIO) if not name.endswith("pair")]
    return finished(frame, texts, ["n", *columns, *counts, *seconds, *ratios])


def table2(frame: pd.DataFrame) -> Figure:
    """The print beside what was measured, one row a matrix and machine."""
    rows = [_cells(row) for row in frame.to_dict("records")]
    columns = [
        matrix_column(rows),
        Column("printed", 1.2, "nnz after fill-in"),
        Column("here", 1.4, "nnz after fill-in"),
        Column("GLU2.0", 0.9, "levels, printed"),
        Column("GLU3.0", 0.9, "levels, printed"),
        Column("glu2", 1.0, "levels, here"),
        Column("glu3_\nrelaxed", 1.0, "levels, here"),
        Column("GLU2.0", 1.2, "ms, printed"),
        Column("GLU3.0", 0.95, "ms, printed"),
        *(Column(heading, 1.2, "ms, here") for heading in _headings()),
        Column("printed", 1.1, "exact over relaxed"),
        Column("here", 1.0, "exact over relaxed"),
        Column("search=\nclosed", 1.0, "exact over relaxed"),
        machine_column(rows),
    ]
    shaded = [isinstance(name, str) for name in frame["stand_in_for"]]
    return table("GLU3.0, Table II: levels by exact and by relaxed dependencies", columns, rows, shaded)


def table2_caption(frame: pd.DataFrame) -> str:
    """What is compared, what search=closed shows, why counts may differ."""
    return (
        "Levels of F, which is there by rows and by columns before the clock starts: glu2 finds the exact "
        "dependencies by the three nested loops of Algorithm 3, one row kept as a bitmap and each search "
        "ended by the first hit; glu3_relaxed a superset of them by the two loops of Algorithm 4; both on "
        f"one core. kahn_gpu: relaxed levels on the GPU. {_closed(frame)} A ratio is of medians of one run. "
        "nnz after fill-in and levels are exact targets (= equal, \N{NOT EQUAL TO} not): they depend on "
        "which of several matchings of one weight MC64 finds, and on how AMD breaks ties; the print of "
        f"G3_circuit is of its lower triangle alone. {_held_counts(frame)}Medians of 3 to 10 samples. "
        f"{prepared_how(frame)}"
    )


def table2_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """How many times longer the exact search takes, with its third loop and without it; how many counts are
    the printed ones."""

    def closed(rows: pd.DataFrame) -> str:
        return f"{spanning(rows, 'closed_ratio')}, not in the paper"

    own = frame[frame["abbr"].notna() & (frame["preparation"].isna() | (frame["preparation"] == OWN_WAY))]
    return [
        *judge_all(
            frame, claims_of(PAPER, CLAIM), "ratio", status="pair", by_edges=False,
            basis="seconds, exact over relaxed",
        ),
        *remarks(
            frame, f"{PAPER}.{CLAIM}", "closed_ratio", closed, status="closed_pair", by_edges=False,
            basis="seconds, exact without its third loop over relaxed",
        ),
        *(
            verdict
            for one in claims_of(PAPER, COUNTS)
            for verdict in judge(own, one, one.name, status="status_relaxed", by_edges=False)
        ),
    ]  # fmt: skip


def _numbers(found: Mapping[str, Row]) -> dict[str, Any]:
    """What a row says of the variants of its matrix."""
    rows = {short: found.get(variant) for variant, short in SHORT.items()}
    own = {f"status_{short}": status_of(row) for short, row in rows.items()}
    failed = [own[f"status_{short}"] for short in ("exact", "relaxed") if own[f"status_{short}"] != "ok"]
    seconds = {f"ms_{short}": number(row, "median") for short, row in rows.items()}
    levels = {
        "levels_exact": number(rows["exact"], "levels") or number(rows["closed"], "levels"),
        "levels_relaxed": number(rows["relaxed"], "levels") or number(rows["kahn"], "levels"),
    }
    ok = [row for row in rows.values() if row is not None and row["status"] == "ok"]
    return {
        **own,
        **{name: None if value is None else 1e3 * value for name, value in seconds.items()},
        **levels,
        "status": failed[0] if failed else "ok",
        "nz": number(ok[0], "entries") if ok else None,
        "n": ok[0]["n"] if ok else None,
        "samples": ok[0]["samples"] if ok else 0,
        "filled": number(rows["relaxed"], "filled"),
        "dependencies_exact": number(rows["exact"], "dependencies"),
        "dependencies_relaxed": number(rows["relaxed"], "dependencies"),
        "double_u": number(rows["exact"], "double_u"),
        "searched": number(rows["exact"], "searched"),
        **paired("", ratio_of(rows["exact"], rows["relaxed"], (EXACT, RELAXED))),
        **paired("closed_", ratio_of(rows["closed"], rows["relaxed"], (CLOSED, RELAXED))),
    }


def _equal(row: Row, name: str) -> str:
    """How a count stands to the print: equal, differs, or empty where one is not known."""
    here, there = row.get(name, float("nan")), row[f"paper_{name}"]
    unknown = any(pd.isna([here, there]))
    return "" if unknown else "equal" if here == there else "differs"


def _closed(frame: pd.DataFrame) -> str:
    """What the exact search costs without its third loop."""
    own = "search=closed, which is not in the paper, finds the same levels as glu2 without the third loop: F "
    own += "being closed under elimination, the last entry of row i decides."
    ok = frame[(frame["closed_pair"] == "ok") & (frame["pair"] == "ok")]
    if ok.empty:
        return own
    return (
        f"{own} It takes {_span(ok['closed_ratio'])} as long as glu3_relaxed, where the three loops take "
        f"{_span(ok['ratio'])}: these ratios, and so the printed ones, measure that search, and not what "
        "exact dependencies cost."
    )


def _span(values: pd.Series[float]) -> str:
    ends = dict.fromkeys(times(float(value)) for value in (values.min(), values.max()))
    return " to ".join(ends)


def _held_counts(frame: pd.DataFrame) -> str:
    """How many counts are equal, where any is held against the print."""
    found = [text for name in HELD for text in frame[f"{name}_is"] if text in EQUAL]
    return f"{found.count('equal')} of {len(found)} counts here are equal. " if found else ""


def _headings() -> tuple[str, ...]:
    return "glu2", "search=\nclosed", "glu3_\nrelaxed", "kahn_gpu"


def _cells(row: Row) -> list[str]:
    counts = [cell(row["paper_filled"], ",.0f"), _marked(row, "filled")]
    levels = [cell(row[f"paper_levels_{kind}"], ",.0f") for kind in ("exact", "relaxed")]
    levels += [_marked(row, f"levels_{kind}") for kind in ("exact", "relaxed")]
    times_of = [milliseconds(row[f"paper_ms_{kind}"]) for kind in ("exact", "relaxed")]
    for short in SHORT.values():
        absent = said(str(row[f"status_{short}"])) if isinstance(row["machine"], str) else "-"
        times_of.append(milliseconds(row[f"ms_{short}"], absent))
    ratios = [row["paper_ratio"], row["ratio"], row["closed_ratio"]]
    return [
        lines(row).replace("\n", ", "), *counts, *levels, *times_of,
        *("-" if pd.isna(ratio) else times(ratio) for ratio in ratios), where(row),
    ]  # fmt: skip


def _marked(row: Row, name: str) -> str:
    mark = EQUAL.get(row[f"{name}_is"], "")
    return cell(row[name], ",.0f") + (f" {mark}" if mark else "")


SPEC = FigureSpec(
    "Table II: levels by exact and by relaxed dependencies",
    lambda case: bool(variant_of(case)),
    table2_frame,
    table2,
    table2_caption,
    claims=(CLAIM, COUNTS),
    judge=table2_verdicts,
    one_run=True,
)
