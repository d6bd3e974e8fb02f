"""Table 2: the matrices, and what their intermediate arrays take against what the card has."""

import pandas as pd

from reports.claims.judge import judge_numbers
from reports.claims.verdict import Verdict
from reports.exhibit import Exhibit
from reports.facts.claims import claims_of, subject
from reports.facts.printed import abbreviations, printed_column
from reports.ooclu.arrays import ARRAYS, MATRICES, PAPER, SEVEN, with_regime
from reports.shapes.sheet import COUNT, Column, Sheet
from reports.verbs import beside, fact, in_papers_order

IN_WORDS = "table2_in_words"
PRINTED = {"n": "order", "own_nnz": "nnz", "nnz_per_row": "nnz_per_row"}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix: order and entries as the paper counts them; the bytes of all rows' arrays,
    by the printed order where none is measured; peak and launches of out_of_core."""
    halves = cases["lower_in"].astype(str).str.contains(PAPER)
    entries = cases["entries"].mask(halves, (cases["entries"] + cases["n"]) / 2)
    rows = cases.assign(own_nnz=entries, nnz_per_row=entries / cases["n"], launches=fact(cases, "launches"))
    printed = {f"paper_{ours}": printed_column(PAPER, MATRICES, theirs) for ours, theirs in PRINTED.items()}
    rows = in_papers_order(beside(rows, PAPER, printed), PAPER)
    rows = rows.sort_values("abbr", key=pd.isna, kind="stable", ignore_index=True)
    return with_regime(rows.assign(n=rows["n"].fillna(rows["paper_n"]))).assign(n=rows["n"])


def in_words(frame: pd.DataFrame) -> list[Verdict]:
    """Return the verdicts on what the text says of the printed numbers, by these alone."""
    printed = frame.dropna(subset="abbr").drop_duplicates("abbr").set_index("abbr")
    orders, density = printed["paper_n"], printed["paper_nnz_per_row"]
    card = float(subject(PAPER, IN_WORDS).data["smaller_card_bytes"])
    sets = {
        "exceed": orders.index[ARRAYS * orders**2 > card],
        "highest": density.nlargest(2).index,
        "lowest": density.nsmallest(2).index,
        "lowest_of_seven": density[SEVEN].nsmallest(2).index,
    }
    return [
        judge_numbers(claim, {abbr: float(abbr in sets[claim.name]) for abbr in claim.matrices or ()})
        for claim in claims_of(PAPER, IN_WORDS)
    ]


COLUMNS = [
    Column("n", "n", COUNT),
    Column("nnz", "own_nnz", COUNT),
    Column("nnz / n", "nnz_per_row", "{:.1f}".format),
    Column("24 n\N{SUPERSCRIPT TWO} bytes,\nGB", "managed_bytes", group="unified memory"),
    Column("times the\ncard's", "times_card", group="unified memory"),
    Column("peak,\nGB", "peak_memory", group="out_of_core", why="status"),
    Column("launches", "launches", COUNT, "out_of_core"),
]
EXHIBIT = Exhibit(
    "the matrices, and the memory of their rows",
    frame,
    Sheet(COLUMNS, lambda frame: frame.assign(**frame[["managed_bytes", "peak_memory"]] / 1e9)),
    f"""24 n\N{SUPERSCRIPT TWO} bytes: the intermediate arrays of all rows, which exceed the paper's V100 on
    its {len(abbreviations(PAPER))} matrices. out_of_core: the most that the pool grew by, and its launches.
    nnz: with explicit zeros, of eight symmetric matrices the lower triangle, as printed.""",
    held=(in_words,),
    one_run=False,
)
