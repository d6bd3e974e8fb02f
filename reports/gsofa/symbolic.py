"""What figures of the symbolic stage share: phases of peers, and the good sequential codes."""

from __future__ import annotations

import pandas as pd

from fillpath.processes import Samples
from reports.facts.naming import listed
from reports.table import phases
from reports.verbs import RATIO, fastest, of, over

# What of a peer's record is its symbolic factorisation. SuperLU_DIST: what pdgssvx calls SYMBFACT, of the
# sequential code with the tree that it is given; neither conversion to its format nor counting, which are for
# the check. KLU refactors in the pattern that its factor found: what that took more is the search for the
# pattern.
SYMBOLIC: dict[str, Samples] = {
    "superlu_dist": phases("etree", "symbolic"),
    "superlu_dist_parallel": phases("symbolic"),
    "klu": phases("factor", less=["refactor"]),
    "cudss": phases("symbolic"),
}
# A peer with the phases that are drawn of it.
NAMED = {
    "superlu_dist": "superlu_dist (etree + symbolic)",
    "superlu_dist_parallel": "superlu_dist_parallel (symbolic)",
    "klu": "klu (factor - refactor)",
    "cudss": "cudss (symbolic)",
}
# The codes that examine few entries, with their letters in a picture. etree_cpu takes structurally symmetric
# patterns alone.
GOOD = {"fill1_pruned": "p", "etree_cpu": "e", "fill1_supernodal": "n", "superlu_dist": "s"}
# Seconds of a symbolic factorisation.
SPAN = "from the input pattern to the filled pattern, both resident"


def fastest_sequential(rows: pd.DataFrame, ours: pd.DataFrame) -> pd.DataFrame:
    """Return by input the fastest of GOOD over ours: RATIO, which `code` it is, its `letter`, `untimed`.

    ours : by input
    """
    codes = {name: of(rows, name, "implementation").reindex(ours.index) for name in GOOD}
    # A bound on one code is none on the fastest.
    codes = {name: code.join(over(code, ours, (name, ""), bounds=False)) for name, code in codes.items()}
    best = fastest(codes, status="pair")
    known = best["code"].where(best["pair"] == "ok")
    return best.assign(code=known, letter=known.map(GOOD))[[*RATIO, "code", "letter", "untimed"]]


def fastest_how(code: pd.Series[str], untimed: pd.Series[str]) -> str:
    """Return the caption's part on which sequential code is the fastest, and where some had no time."""
    counts = code.dropna().value_counts()
    if counts.empty:
        return ""
    of_each = ", ".join(f"{name} ({GOOD[name]}) on {counts[name]}" for name in GOOD if name in counts)
    unknown = untimed[code.notna() & (untimed != "")]
    names = listed(name for part in unknown for name in part.split(", "))
    lacking = f"; no time of {names} on {len(unknown)} of {counts.sum()}" if len(unknown) else ""
    *first, last = (NAMED.get(name, name) for name in GOOD)
    words = f"the fastest of {', '.join(first)} and {last}"
    return f"Good sequential code: on each matrix {words}, one core ({of_each}{lacking}). "
