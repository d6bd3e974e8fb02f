"""Table 3: how much of the frontier queues is in use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.claims import claims_of, printed_table
from reports.device import NOT_MEASURED, add_printed, columns_of, gpu_caption, is_gsofa
from reports.figures import Entries, FigureSpec
from reports.gsofa.space import space_frame
from reports.naming import lines
from reports.records import Records
from reports.standings import Verdict
from reports.tables import Column, machine_column, matrix_column, table
from reports.verdicts import judge

CLAIM = "table3_queue_usage"
FILE = "gsofa_table3_queue_usage"
PRINTED = ("paper_mean_percent", "paper_peak_percent")
WHOLE, SMALL = ("mean_percent", "peak_percent"), ("small_mean_percent", "small_peak_percent")


def table3_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix and machine: mean and peak share of the queues in use, in per cent: of whole queues
    (space optimisations off), and of an eighth of them (all on; above 100 in pinned memory). told : `ok`
    where the first are known."""
    frame = space_frame(records, entries, cases)
    for prefix, names in (("", WHOLE), ("other_", SMALL)):
        for fact, name in zip(("queue_mean", "queue_peak"), names, strict=True):
            frame[name] = 100 * frame[f"{prefix}{fact}"]
    known = frame[list(WHOLE)].notna().all(axis=1)
    frame["told"] = frame["status"].where((frame["status"] != "ok") | known, NOT_MEASURED)
    table3 = printed_table(FILE).set_index("abbr")
    columns = ("average_usage_percent", "peak_usage_percent")
    printed = {
        name: {str(abbr): float(value) for abbr, value in table3[column].items()}
        for name, column in zip(PRINTED, columns, strict=True)
    }
    frame = add_printed(frame, printed)
    return columns_of(
        frame, *PRINTED, *WHOLE, *SMALL, "concurrent_sources", "other_concurrent_sources", "told"
    )


def table3(frame: pd.DataFrame) -> Figure:
    """The print beside what was measured, one row a matrix and machine."""
    rows = [_row(row) for row in frame.to_dict("records")]
    columns = [
        matrix_column(rows),
        *_pair("printed in the paper"),
        *_pair("here, of whole queues"),
        *_pair("here, of an eighth of them"),
        machine_column(rows),
    ]
    shaded = [isinstance(name, str) for name in frame["stand_in_for"]]
    return table("GSoFA, Table 3: use of the frontier queues, per cent", columns, rows, shaded)


def table3_caption(frame: pd.DataFrame) -> str:
    """What a share is of."""
    return (
        "Entries waiting in the frontier queues over those that they have room for: the mean over gsofa's "
        "iterations and the most at any. Whole queues: space optimisations off, n entries a source, "
        "at most as many sources as the authors' rule says. An eighth of them: all on, queue_fraction=8, "
        "where a queue that is full goes on in pinned host memory: more than 100 waited there. An iteration "
        "is a step of one block's queue here, of the whole card's in "
        f"the paper. Rows on grey are stand-ins. {gpu_caption(frame, timed=False, slots=False)}"
    )


def table3_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """Mean and peak."""
    return [
        verdict
        for one, name in zip(claims_of("gsofa", CLAIM), WHOLE, strict=True)
        for verdict in judge(frame, one, name, basis=name.replace("_", " "), status="told")
    ]


def _pair(group: str) -> list[Column]:
    return [Column("mean", 1.5, group), Column("peak", 1.5, group)]


def _row(row: Mapping[Any, Any]) -> list[str]:
    numbers = [row[name] for name in (*PRINTED, *WHOLE, *SMALL)]
    return [
        lines(row).replace("\n", ", "),
        *("-" if pd.isna(number) else f"{number:.3g}" for number in numbers),
        str(row["where"]) if row["told"] == "ok" else str(row["told"]).replace("_", " "),
    ]


SPEC = FigureSpec(
    "Table 3: use of the frontier queues",
    is_gsofa,
    table3_frame,
    table3,
    table3_caption,
    claims=(CLAIM,),
    judge=table3_verdicts,
)
