"""Table 2: the matrices, and what their intermediate arrays take against what the card has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.claims import abbreviations, claim
from reports.device import MEMORY, add_printed, columns_of, device_frame, gpu_caption, total
from reports.figures import Entries, FigureSpec
from reports.naming import lines
from reports.ooclu.arrays import (
    MATRICES,
    PAPER,
    SHARE,
    WORD,
    WORDS,
    add_memory,
    is_out_of_core,
    printed_numbers,
)
from reports.records import Records, find_entry
from reports.standings import Verdict
from reports.tables import Column, machine_column, matrix_column, table
from reports.verdicts import judge

CLAIM = "table2_matrices"
PRINTED = ("paper_order", "paper_nnz", "paper_nnz_per_row")
MEASURED = ("n", "own_nnz", "nnz_per_row")
FACTS = ("launches", "concurrent_sources", *MEMORY, "bytes_external")


def table2_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix and machine: order and entries as printed and as measured, counted as the paper counts
    them; the managed memory that all rows' arrays need (24 n^2 bytes, by the printed n where none is
    measured), the card's, and the peak and launches of out_of_core."""
    plain = [case for case in cases if not case.options]
    frame = device_frame(records, entries, plain, FACTS, paper=PAPER)
    found = [find_entry(matrix, entries) for matrix in frame["matrix"]]
    lower = pd.Series([entry is not None and PAPER in entry.lower_in for entry in found], index=frame.index)
    whole, n = frame["entries"].astype("float64"), frame["n"].astype("float64")
    frame["own_nnz"] = whole.where(~lower.astype(bool), (whole + n) / 2)
    frame["nnz_per_row"] = frame["own_nnz"] / n
    columns = dict(zip(PRINTED, ("order", "nnz", "nnz_per_row"), strict=True))
    printed = {name: printed_numbers(MATRICES, column) for name, column in columns.items()}
    frame = add_printed(frame, printed, paper=PAPER)
    add_memory(frame, records, frame["paper_order"])
    frame["safe_bytes"] = SHARE * frame["card_bytes"]
    frame["intermediate_bytes"] = total(frame, MEMORY)
    own = ("managed_bytes", "card_bytes", "times_card", "safe_bytes", "peak_memory", "intermediate_bytes")
    return columns_of(frame, *PRINTED, *MEASURED, *own, *FACTS)


def table2(frame: pd.DataFrame) -> Figure:
    """The print beside what was measured, one row a matrix and machine."""
    rows = [_row(row) for row in frame.to_dict("records")]
    columns = [
        matrix_column(rows),
        *_counts("printed in the paper"),
        *_counts("measured here"),
        Column("24 n\N{SUPERSCRIPT TWO} bytes,\nGB", 1.25, "unified memory"),
        Column("times the\ncard's", 1.1, "unified memory"),
        Column("may be\nasked, GB", 1.15, "unified memory"),
        Column("peak,\nGB", 1.1, "out_of_core"),
        Column("launches", 1.1, "out_of_core"),
        machine_column(rows),
    ]
    shaded = [isinstance(name, str) for name in frame["stand_in_for"]]
    return table("PPoPP'23, Table 2: the matrices, and the memory of their rows", columns, rows, shaded)


def table2_caption(frame: pd.DataFrame) -> str:
    """What is counted, and what may be asked for."""
    fitting = frame[frame["times_card"].notna()]
    more = int((fitting["times_card"] > 1).sum())
    known = f"It is more than the card has in {more} of {len(fitting)} rows here. " if len(fitting) else ""
    return (
        f"The paper lists these {len(abbreviations(PAPER))} because the intermediate arrays of all their "
        f"rows ({WORDS} words of {WORD} bytes a vertex and row, {WORDS * WORD} n\N{SUPERSCRIPT TWO} bytes) "
        f"exceed its V100, whose memory it does not print. {known}May be asked: {SHARE:.0%} of the card's "
        "memory; unified_memory refuses more than that share of what is free, because asking for more than "
        "there is can hang a card for all. out_of_core: the most that the device's pool grew by, with the "
        "rows found, and its launches, a chunk of rows each (rows that found no room for their columns take "
        "more). nnz: explicit zeros counted, of eight symmetric matrices the lower triangle, as printed; "
        "of stand-ins all. Rows on grey are stand-ins. "
        f"{gpu_caption(frame, timed=False, slots=False, paper=PAPER)}"
    )


def _counts(group: str) -> list[Column]:
    return [Column("n", 1.05, group), Column("nnz", 1.3, group), Column("nnz\n/ n", 0.8, group)]


def _row(row: Mapping[Any, Any]) -> list[str]:
    counts = [
        _number(row[name], form)
        for names in (PRINTED, MEASURED)
        for name, form in zip(names, (",.0f", ",.0f", ".1f"), strict=True)
    ]
    return [
        lines(row).replace("\n", ", "),
        *counts,
        *(_gigabytes(row["managed_bytes"]), _number(row["times_card"], ".3g"), _gigabytes(row["safe_bytes"])),
        *(_gigabytes(row["peak_memory"]), _number(row["launches"], ",.0f")),
        str(row["where"]) if row["status"] == "ok" else str(row["status"]).replace("_", " "),
    ]


def _gigabytes(count: Any) -> str:
    return "-" if pd.isna(count) else format(count / 1e9, ",.0f" if count >= 1e12 else ".2f")


def _number(value: Any, form: str) -> str:
    return "-" if pd.isna(value) else format(float(value), form)


def table2_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """Whether order and entries are the printed ones."""
    return [
        verdict
        for name, column in (("order", "n"), ("nnz", "own_nnz"))
        for verdict in judge(frame, claim(PAPER, CLAIM, name), column, by_edges=False)
    ]


SPEC = FigureSpec(
    "Table 2: the matrices and the memory of their rows",
    is_out_of_core,
    table2_frame,
    table2,
    table2_caption,
    claims=(CLAIM,),
    judge=table2_verdicts,
)
