"""Table 1: the matrices, printed and here, and the graphs that they are taken as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.claims import claim
from reports.device import add_printed, device_frame
from reports.figures import Entries, FigureSpec
from reports.naming import lines
from reports.parac.paper import GENERATED, PAPER, SIZES, printed
from reports.records import Records
from reports.standings import Verdict
from reports.tables import Column, matrix_column, table
from reports.timed import STAND_INS
from reports.variants import Row, by_matrix, cell, finished, number, said
from reports.verdicts import judge

CLAIM = "table1_matrices"
FACTORS = ("parac_cpu", "parac_gpu")
EQUAL = {"equal": "=", "differs": "\N{NOT EQUAL TO}"}
COUNTS = ("order", "entries")


def is_factor(case: Case) -> bool:
    """A factor by ParAC with its defaults."""
    return case.stage == "cholesky" and case.implementation in FACTORS and not case.options


def table1_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix: order and entries (explicit zeros left out) as printed and here, `<count>_is` : equal
    or differs; entries of its Laplacian with the diagonal and of ParAC's factor in the order of nnz-sort."""
    chosen = [case for case in cases if is_factor(case)]
    frame = device_frame(records, entries, chosen, ("nnz_l", "nnz_g"), paper=PAPER)
    frame["variant"] = frame["implementation"]
    frame = by_matrix(frame, FACTORS, _numbers).drop_duplicates("label", ignore_index=True)
    columns = {"paper_order": printed(SIZES, "order"), "paper_entries": printed(SIZES, "nnz")}
    frame = add_printed(frame, columns, paper=PAPER)
    frame = finished(frame, [], [*columns, *COUNTS, "nnz_l", "nnz_g"])
    for name in COUNTS:
        known = frame[[name, f"paper_{name}"]].notna().all(axis=1)
        equal = frame[name] == frame[f"paper_{name}"]
        frame[f"{name}_is"] = equal.map({True: "equal", False: "differs"}).where(known, "not_held")
    return frame


def table1(frame: pd.DataFrame) -> Figure:
    """One row a matrix."""
    rows = [_cells(row) for row in frame.to_dict("records")]
    columns = [
        matrix_column(rows),
        Column("printed", 1.3, "order"),
        Column("here", 1.4, "order"),
        Column("printed", 1.5, "nonzeros"),
        Column("here", 1.5, "nonzeros"),
        Column("nnz(L)", 1.4, "as a graph"),
        Column("nnz(G)", 1.4, "as a graph"),
        Column("", 1.6),
    ]
    shaded = [isinstance(name, str) for name in frame["stand_in_for"]]
    return table("ParAC, Table 1: matrices", columns, rows, shaded)


def table1_caption(frame: pd.DataFrame) -> str:
    """What is counted."""
    return (
        "Nonzeros as the paper counts them: all entries, explicit zeros left out (= equal to the print, "
        "\N{NOT EQUAL TO} not). nnz(L): entries of the graph Laplacian that the matrix stands for, its "
        "ground vertex included where it needs one; nnz(G): of ParAC's factor in the order of nnz-sort; both "
        "with their diagonals. spe16m is in no collection and cannot be tested. "
        f"{GENERATED}{STAND_INS}"
    )


def _numbers(found: Mapping[str, Row]) -> dict[str, Any]:
    """What a row says of its matrix, whichever implementation was verified."""
    ok = [row for row in found.values() if row["status"] == "ok"]
    first = ok[0] if ok else None
    return {
        "status": "ok" if ok else next(iter(found.values()))["status"],
        "order": number(first, "n"),
        "entries": number(first, "nnz"),
        "nnz_l": number(first, "nnz_l"),
        "nnz_g": number(first, "nnz_g"),
    }


def _cells(row: Row) -> list[str]:
    counts = []
    for name in COUNTS:
        mark = EQUAL.get(row[f"{name}_is"], "")
        counts += [cell(row[f"paper_{name}"], ",.0f"), f"{cell(row[name], ',.0f')} {mark}".strip()]
    graph = [cell(row[name], ",.0f") for name in ("nnz_l", "nnz_g")]
    return [
        lines(row).replace("\n", ", "),
        *counts,
        *graph,
        "" if row["status"] == "ok" else said(row["status"]),
    ]


def table1_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """Whether order and entries are the printed ones."""
    return [
        verdict
        for name, column in (("order", "order"), ("nnz", "entries"))
        for verdict in judge(frame, claim(PAPER, CLAIM, name), column, by_edges=False)
    ]


SPEC = FigureSpec(
    "Table 1: matrices",
    is_factor,
    table1_frame,
    table1,
    table1_caption,
    claims=(CLAIM,),
    judge=table1_verdicts,
)
