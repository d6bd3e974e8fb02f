"""Table 2: the matrices, and what their intermediate arrays take against what the card has."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from reports.exhibit import Exhibit, Held
from reports.facts.inputs import Inputs
from reports.facts.printed import abbreviations, printed_column
from reports.frames.arrays import MATRICES, PAPER, SHARE, WORD, WORDS, add_memory
from reports.frames.device import MEMORY, add_printed, columns_of, device_frame, gpu_caption, total
from reports.shapes.tables import COUNT, Column, Table, matrix_column, where_column

CLAIM = "table2_matrices"
PRINTED = ("paper_order", "paper_nnz", "paper_nnz_per_row")
MEASURED = ("n", "own_nnz", "nnz_per_row")
FACTS = ("launches", "concurrent_sources", *MEMORY, "bytes_external")


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix and machine: order and entries as printed and as measured, counted as the paper
    counts them; the managed memory that all rows' arrays need (24 n^2 bytes, by the printed n where none is
    measured), the card's, and the peak and launches of out_of_core."""
    frame = device_frame(inputs, FACTS)
    matrices = [inputs.entry(matrix) for matrix in frame["matrix"]]
    halves = [entry is not None and PAPER in entry.lower_in for entry in matrices]
    lower = pd.Series(halves, index=frame.index)
    whole, n = frame["entries"].astype("float64"), frame["n"].astype("float64")
    frame["own_nnz"] = whole.where(~lower.astype(bool), (whole + n) / 2)
    frame["nnz_per_row"] = frame["own_nnz"] / n
    columns = dict(zip(PRINTED, ("order", "nnz", "nnz_per_row"), strict=True))
    printed = {name: printed_column(PAPER, MATRICES, column) for name, column in columns.items()}
    frame = add_printed(frame, PAPER, printed)
    add_memory(frame, inputs.records, frame["paper_order"])
    frame["safe_bytes"] = SHARE * frame["card_bytes"]
    frame["intermediate_bytes"] = total(frame, MEMORY)
    memory = ("managed_bytes", "card_bytes", "times_card", "safe_bytes", "peak_memory", "intermediate_bytes")
    return columns_of(frame, *PRINTED, *MEASURED, *memory, *FACTS)


def _gigabytes(count: float) -> str:
    return format(count / 1e9, ",.0f" if count >= 1e12 else ".2f")


def _counts(group: str, names: Sequence[str]) -> list[Column]:
    """names : order, entries and entries per row in the frame."""
    order, entries, per_row = names
    return [
        Column("n", 1.05, group, order, COUNT),
        Column("nnz", 1.3, group, entries, COUNT),
        Column("nnz\n/ n", 0.8, group, per_row, "{:.1f}".format),
    ]


def _oversubscribed(frame: pd.DataFrame) -> str:
    """In how many rows the arrays exceed the card, empty where none is known."""
    fitting = frame[frame["times_card"].notna()]
    more = int((fitting["times_card"] > 1).sum())
    return f" and the card here in {more} of {len(fitting)} rows" if len(fitting) else ""


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, Table 2",
    "the matrices, and the memory of their rows",
    frame,
    Table(
        [
            matrix_column(),
            *_counts("printed in the paper", PRINTED),
            *_counts("measured here", MEASURED),
            Column("24 n\N{SUPERSCRIPT TWO} bytes,\nGB", 1.25, "unified memory", "managed_bytes", _gigabytes),
            Column("times the\ncard's", 1.1, "unified memory", "times_card", "{:.3g}".format),
            Column("may be\nasked, GB", 1.15, "unified memory", "safe_bytes", _gigabytes),
            Column("peak,\nGB", 1.1, "out_of_core", "peak_memory", _gigabytes),
            Column("launches", 1.1, "out_of_core", "launches", COUNT),
            where_column(),
        ]
    ),
    """24 n\N{SUPERSCRIPT TWO} bytes: the intermediate arrays of all rows ({words} words of {word} bytes per
    vertex and row), which exceed the paper's V100 on these {count} matrices{oversubscribed}. May be asked:
    {share:.0%} of the card's memory. out_of_core: the most that the pool grew by, and its launches. nnz: with
    explicit zeros, of eight symmetric matrices the lower triangle, as printed. {gpu}""",
    lambda frame: {
        "count": len(abbreviations(PAPER)),
        "words": WORDS,
        "word": WORD,
        "bytes": WORDS * WORD,
        "oversubscribed": _oversubscribed(frame),
        "share": SHARE,
        "gpu": gpu_caption(frame, PAPER, timed=False, slots=False),
    },
    held=(Held(CLAIM, "n", ("order",)), Held(CLAIM, "own_nnz", ("nnz",))),
)
