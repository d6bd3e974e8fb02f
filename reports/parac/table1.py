"""Table 1: the matrices, printed and here, and the graphs that they are taken as."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from reports.exhibit import Exhibit, Held
from reports.facts.inputs import Inputs
from reports.facts.printed import printed_column
from reports.frames.device import add_printed, device_frame
from reports.frames.parac import GENERATED, PAPER, SIZES
from reports.frames.seconds import STAND_INS
from reports.frames.variants import by_matrix, finished, number
from reports.shapes.counts import Counted, equality
from reports.shapes.tables import COUNT, Column, Row, Table, Words, matrix_column, status_text

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
    columns = {
        "paper_order": printed_column(PAPER, SIZES, "order"),
        "paper_entries": printed_column(PAPER, SIZES, "nnz"),
    }
    frame = add_printed(frame, PAPER, columns)
    frame = finished(frame, [], [*columns, *COUNTS, "nnz_l", "nnz_g"])
    return frame.assign(**{f"{name}_is": equality(frame, name, "not_held") for name in COUNTS})


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
    Table(
        [
            matrix_column(),
            Column("printed", 1.3, "order", "paper_order", COUNT),
            Counted("here", 1.4, "order", "order"),
            Column("printed", 1.5, "nonzeros", "paper_entries", COUNT),
            Counted("here", 1.5, "nonzeros", "entries"),
            Column("nnz(L)", 1.4, "as a graph", "nnz_l", COUNT),
            Column("nnz(G)", 1.4, "as a graph", "nnz_g", COUNT),
            Words("", 1.6, lambda row: "" if row["status"] == "ok" else status_text(str(row["status"]))),
        ]
    ),
    """Nonzeros: all entries, explicit zeros left out (= equal to the print, \N{NOT EQUAL TO} not). nnz(L): of
    the graph Laplacian that the matrix stands for; nnz(G): of ParAC's factor in the order of nnz-sort; both
    with their diagonals. spe16m is in no collection and cannot be tested. {generated}{stand_ins}""",
    lambda frame: {"generated": GENERATED, "stand_ins": STAND_INS},
    held=(Held(CLAIM, "order", ("order",)), Held(CLAIM, "entries", ("nnz",))),
)
