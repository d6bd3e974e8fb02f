"""Table 1: the matrices, printed and here, and the graphs that they are taken as."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from fillpath.dicts import Row, dicts
from reports.exhibit import Held
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.inputs import Inputs
from reports.facts.printed import printed_column
from reports.frames.device import add_printed, device_frame
from reports.frames.order import in_papers_order
from reports.frames.parac import GENERATED, PAPER, SIZES
from reports.frames.seconds import STAND_INS
from reports.frames.solutions import beside_print, in_print_order
from reports.frames.variants import by_matrix, finished, number
from reports.shapes.counts import MARKS, equality
from reports.shapes.printed import Beside, Solutions
from reports.shapes.tables import COUNT

CLAIM = "table1_matrices"
FACTORS = ("parac_cpu", "parac_gpu")
COUNTS = ("order", "entries")


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix: order and entries (explicit zeros left out) as printed and here, `<count>_is` :
    equal or differs; entries of its Laplacian with the diagonal and of ParAC's factor in the order of
    nnz-sort."""
    frame = device_frame(inputs, ("nnz_l", "nnz_g"))
    frame["variant"] = frame["implementation"]
    frame = by_matrix(frame, FACTORS, _numbers).drop_duplicates("label", ignore_index=True)
    frame = in_print_order(in_papers_order(add_printed(frame, PAPER, _print()), PAPER), _print())
    frame = finished(frame, [], [*_print(), *COUNTS, "nnz_l", "nnz_g"])
    return frame.assign(**{f"{name}_is": equality(frame, name, "not_held") for name in COUNTS})


def _print() -> dict[str, Mapping[str, float | None]]:
    return {
        "paper_order": printed_column(PAPER, SIZES, "order"),
        "paper_entries": printed_column(PAPER, SIZES, "nnz"),
    }


def _derived(frame: pd.DataFrame) -> pd.DataFrame:
    """With the print of what a row's matrix stands in for, and whether it is the paper's or near enough."""
    weighs = [_weighs(row) for row in dicts(frame)]
    shown = beside_print(frame.assign(weighs=weighs), _print())
    return shown.assign(paper_ratio=shown["paper_order"])


def _weighs(row: Row) -> str:
    if isinstance(row["abbr"], str):
        marks = [MARKS.get(row[f"{name}_is"], "") for name in COUNTS]
        return f"the paper's ({', '.join(marks)})" if all(marks) else "the paper's"
    return "near enough" if isinstance(row["near"], str) else "too far"


def signs(frame: pd.DataFrame) -> str:
    """What the signs beside the paper's own matrices mean, where one is drawn."""
    drawn = any("(" in _weighs(row) for row in dicts(frame))
    return " (= equal, \N{NOT EQUAL TO} not)" if drawn else ""


def _numbers(by_variant: Mapping[str, Row]) -> dict[str, Any]:
    """What a row says of its matrix, whichever implementation was verified."""
    ok = [row for row in by_variant.values() if row["status"] == "ok"]
    first = ok[0] if ok else None
    return {
        "status": "ok" if ok else next(iter(by_variant.values()))["status"],
        "order": number(first, "n"),
        "entries": number(first, "nnz"),
        "nnz_l": number(first, "nnz_l"),
        "nnz_g": number(first, "nnz_g"),
    }


EXHIBIT = Exhibit(
    PAPER,
    "ParAC, Table 1",
    "matrices",
    frame,
    Solutions(
        [
            Beside("order", 1.3, "", "order", COUNT, "status"),
            Beside("nonzeros", 1.5, "", "entries", COUNT),
            Beside("nnz(L)", 1.4, "as a graph", "nnz_l", COUNT),
            Beside("nnz(G)", 1.4, "as a graph", "nnz_g", COUNT),
            Beside("weighs", 1.6, "", "weighs"),
        ],
        _derived,
    ),
    """In grey what is printed, of a stand-in of the matrix named{signs}; a stand-in
    too far away weighs in no verdict. Nonzeros: explicit zeros left out. nnz(L): of the graph
    Laplacian; nnz(G): of ParAC's factor, nnz-sort; both with their diagonals. {generated}{stand_ins}""",
    lambda frame: {"signs": signs(frame), "generated": GENERATED, "stand_ins": STAND_INS},
    held=(Held(CLAIM, "order", ("order",)), Held(CLAIM, "entries", ("nnz",))),
)
