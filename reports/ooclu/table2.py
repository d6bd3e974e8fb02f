"""Table 2: the matrices, and the memory of their rows."""

import pandas as pd

from reports.claims.judge import judge_numbers
from reports.claims.verdict import Verdict
from reports.exhibit import Exhibit
from reports.facts.claims import claims_of, subject
from reports.facts.printed import abbreviations, printed_column
from reports.ooclu.arrays import ARRAYS, MATRICES, PAPER, SEVEN, with_regime
from reports.shapes.sheet import Sheet, columns, plain
from reports.verbs import beside, fact, in_papers_order

IN_WORDS = "table2_in_words"
PRINTED = {"n": "order", "own_nnz": "nnz", "nnz_per_row": "nnz_per_row"}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix: its counts as the paper has them, all rows' bytes, out_of_core's memory."""
    halves = cases["lower_in"].astype(str).str.contains(PAPER)
    entries = cases["entries"].mask(halves, (cases["entries"] + cases["n"]) / 2)
    rows = cases.assign(own_nnz=entries, nnz_per_row=entries / cases["n"], launches=fact(cases, "launches"))
    printed = {f"paper_{ours}": printed_column(PAPER, MATRICES, theirs) for ours, theirs in PRINTED.items()}
    rows = in_papers_order(beside(rows, PAPER, printed), PAPER)
    rows = rows.sort_values("abbr", key=pd.isna, kind="stable", ignore_index=True)
    return with_regime(rows.assign(n=rows["n"].fillna(rows["paper_n"]))).assign(n=rows["n"])


def in_words(frame: pd.DataFrame) -> list[Verdict]:
    """Return the verdicts on the text's statements about printed numbers, by these numbers alone."""
    printed = frame.dropna(subset="abbr").drop_duplicates("abbr").set_index("abbr")
    orders, density = printed["paper_n"], printed["paper_nnz_per_row"]
    card = float(subject(PAPER, IN_WORDS)["smaller_card_bytes"])
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


BYTES = "24 n\N{SUPERSCRIPT TWO} bytes"
COLUMNS = [
    *columns(n="n", own_nnz="nnz"),
    *columns("", "{:.1f}".format, nnz_per_row="nnz / n"),
    *columns("unified memory", managed_bytes=f"{BYTES},\nGB", times_card="times the\ncard's"),
    *columns("out_of_core", plain, "status", peak_memory="peak,\nGB", launches="launches"),
]
CAPTION = f"""{BYTES}: the arrays of all rows, above the memory of the paper's V100 on
    {len(abbreviations(PAPER))} matrices. out_of_core: its pool. nnz: with explicit zeros, the lower half of
    eight symmetric matrices."""
SHAPE = Sheet(COLUMNS, lambda frame: frame.assign(**frame[["managed_bytes", "peak_memory"]] / 1e9))
EXHIBIT = Exhibit(frame, SHAPE, CAPTION, held=(in_words,), one_run=False)
