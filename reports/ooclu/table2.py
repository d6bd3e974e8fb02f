"""Table 2: the matrices, and what their intermediate arrays take against what the card has."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from reports.claims.judge import judge_numbers
from reports.claims.verdict import Verdict
from reports.exhibit import Exhibit, Held
from reports.facts.claims import claim, subject
from reports.facts.inputs import Inputs
from reports.facts.printed import abbreviations, printed_column
from reports.frames.arrays import MATRICES, PAPER, SHARE, WORD, WORDS, add_memory, how, the_seven
from reports.frames.device import MEMORY, add_printed, columns_of, device_frame, total
from reports.shapes.printed import Beside, Solutions
from reports.shapes.tables import COUNT

CLAIM, IN_WORDS = "table2_matrices", "table2_in_words"
MEASURED = ("n", "own_nnz", "nnz_per_row")
PRINTED = tuple(f"paper_{name}" for name in MEASURED)
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
    add_memory(frame, inputs.records, frame["paper_n"])
    frame["safe_bytes"] = SHARE * frame["card_bytes"]
    frame["intermediate_bytes"] = total(frame, MEMORY)
    memory = ("managed_bytes", "card_bytes", "times_card", "safe_bytes", "peak_memory", "intermediate_bytes")
    return columns_of(frame, *PRINTED, *MEASURED, *memory, *FACTS)


def in_words(frame: pd.DataFrame) -> list[Verdict]:
    """What the text says of the printed numbers, by these alone."""
    density = {abbr: float(value or 0.0) for abbr, value in _column("nnz_per_row").items()}
    seven = {abbr: density[abbr] for abbr in the_seven()}
    card = float(subject(PAPER, IN_WORDS).data["smaller_card_bytes"])
    exceeding = {abbr for abbr, n in _column("order").items() if WORDS * WORD * float(n or 0.0) ** 2 > card}
    sets = {
        "exceed": exceeding,
        "highest": set(sorted(density, key=density.__getitem__)[-2:]),
        "lowest": set(sorted(density, key=density.__getitem__)[:2]),
        "lowest_of_seven": set(sorted(seven, key=seven.__getitem__)[:2]),
    }
    return [_judged(name, inside) for name, inside in sets.items()]


def _column(name: str) -> Mapping[str, float | None]:
    return printed_column(PAPER, MATRICES, name)


def _judged(name: str, inside: set[str]) -> Verdict:
    """By how many of the claim's matrices are inside."""
    printed = claim(PAPER, IN_WORDS, name)
    return judge_numbers(printed, {abbr: float(abbr in inside) for abbr in printed.matrices or ()})


def _gigabytes(count: float) -> str:
    return format(count / 1e9, ",.0f" if count >= 1e12 else ".2f")


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
    Solutions(
        [
            Beside("n", 1.0, "", "n", COUNT),
            Beside("nnz", 1.2, "", "own_nnz", COUNT),
            Beside("nnz / n", 0.8, "", "nnz_per_row", "{:.1f}".format),
            Beside("24 n\N{SUPERSCRIPT TWO} bytes,\nGB", 1.1, "unified memory", "managed_bytes", _gigabytes),
            Beside("times the\ncard's", 1.0, "unified memory", "times_card", "{:.3g}".format),
            Beside("peak,\nGB", 0.9, "out_of_core", "peak_memory", _gigabytes, "status"),
            Beside("launches", 0.9, "out_of_core", "launches", COUNT),
        ],
        lambda frame: frame.assign(paper_ratio=frame["paper_n"]),
    ),
    """24 n\N{SUPERSCRIPT TWO} bytes: the intermediate arrays of all rows ({words} words of {word} bytes per
    vertex and row), which exceed the paper's V100 on its {count} matrices{oversubscribed}. out_of_core: the
    most that the pool grew by, and its launches. nnz: with explicit zeros, of eight symmetric matrices the
    lower triangle, as printed. {how}""",
    lambda frame: {
        "count": len(abbreviations(PAPER)),
        "words": WORDS,
        "word": WORD,
        "oversubscribed": _oversubscribed(frame),
        "how": how(frame),
    },
    held=(Held(CLAIM, "n", ("order",)), Held(CLAIM, "own_nnz", ("nnz",)), in_words),
    claims=(IN_WORDS,),
)
