"""Shared parts of GSoFA's figures: phases of peers, the good sequential codes, and prints by matrix."""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from fillpath.processes import Samples
from reports.facts import naming
from reports.facts.claims import claims_of, subject
from reports.facts.printed import printed_column
from reports.table import NOT_MEASURED, phases
from reports.verbs import RATIO, beside, fact, fastest, in_papers_order, of, over, over_variant, without

# The phases of a peer's symbolic factorisation, without conversion and counting for the check. KLU refactors
# in the pattern that its factor found: the rest is the search for it.
PEERS: dict[str, tuple[str, Samples]] = {
    "superlu_dist": ("etree + symbolic", phases("etree", "symbolic")),
    "superlu_dist_parallel": ("symbolic", phases("symbolic")),
    "klu": ("factor - refactor", phases("factor", less=["refactor"])),
    "cudss": ("symbolic", phases("symbolic")),
}
SYMBOLIC = {name: samples for name, (_, samples) in PEERS.items()}
NAMED = {name: f"{name} ({words})" for name, (words, _) in PEERS.items()}
# The codes that examine few entries, with their letters in a picture.
GOOD = {"fill1_pruned": "p", "etree_cpu": "e", "fill1_supernodal": "n", "superlu_dist": "s"}
SPAN = "from the input pattern to the filled pattern, both resident"
COUNTS = "from the input pattern to the counts of the filled rows, both resident"


def paired(cases: pd.DataFrame, option: str, names: tuple[str, str], inverse: bool = False) -> pd.DataFrame:
    """Return the cases with an option and their ratio over the cases without.

    Both need the same concurrent sources, else `pair` has the reason. A stopped call's ratio is a bound.
    """
    rows = cases[cases["variant"].str.match(rf"gsofa\..*{option}=")]
    found = over_variant(cases, rows, without(rows["variant"], option), names, inverse)
    ours, theirs = fact(rows, "concurrent_sources"), fact(found, "other_concurrent_sources")
    which = [found["pair"] != "ok", ours.isna() | theirs.isna(), ours != theirs]
    why = np.select(which, [found["pair"], NOT_MEASURED, "other_concurrency"], "ok")
    lost = found["pair"] != why
    return rows.join(found.assign(pair=why, **{each: found[each].mask(lost) for each in RATIO[1:]}))


def fastest_sequential(rows: pd.DataFrame, ours: pd.DataFrame) -> pd.DataFrame:
    """Return the fastest of GOOD over ours, by input: RATIO, which `code` it is, its `letter`, `untimed`."""
    codes = {name: of(rows, name, "implementation").reindex(ours.index) for name in GOOD}
    # A bound on one code is none on the fastest.
    pairs = {name: code.join(over(code, ours, (name, ""), bounds=False)) for name, code in codes.items()}
    best = fastest(pairs, status="pair")
    known = best["code"].where(best["pair"] == "ok")
    return best.assign(code=known, letter=known.map(GOOD))[[*RATIO, "code", "letter", "untimed"]]


def fastest_facts(frame: pd.DataFrame, prefix: str = "sequential_") -> dict[str, str]:
    """Return a sentence on which sequential code is the fastest, by columns of `fastest_sequential`."""
    *first, last = (NAMED.get(name, name) for name in GOOD)
    letters = {name: f"{name} ({letter})" for name, letter in GOOD.items()}
    best = frame.rename(columns=lambda name: name.removeprefix(prefix))[["code", "untimed"]]
    return {"fastest": naming.fastest_how(best, f"{', '.join(first)} and {last}", letters)}


def spread(claim: str) -> str:
    """Return a subject's mean and extremes: `50.1x, 1.01x (BC) to 171.1x (BB)`."""
    printed = subject("gsofa", claim)
    ends = (f"{value:,g}x ({abbr})" for end in ("min", "max") for abbr, value in printed[end].items())
    return f"{printed['mean']:g}x, {' to '.join(ends)}"


def printed_of(rows: pd.DataFrame, claim: str) -> "pd.Series[float]":
    """Return what a subject prints of each row's own matrix."""
    numbers = {k: v for each in claims_of("gsofa", claim) for k, v in each.by_matrix.items()}
    return rows["abbr"].map(numbers).astype(float)


def printed_matrix(rows: pd.DataFrame, known: Collection[str]) -> "pd.Series[str]":
    """Return the paper's matrix of each row, or the nearest that a stand-in replaces."""
    names = rows[["abbr"]].assign(instead=naming.nearest(rows)).stack().str.split(", ").explode()
    return names[names.isin(known)].groupby(level=0).first().reindex(rows.index)


def beside_prints(frame: pd.DataFrame, table: str, columns: Sequence[str]) -> pd.DataFrame:
    """Return the rows in the paper's order, joined with a printed table by `paper_matrix`."""
    printed = pd.DataFrame({f"paper_{name}": printed_column("gsofa", table, name) for name in columns})
    rows = in_papers_order(beside(frame, "gsofa", printed), "gsofa")
    matrix = printed_matrix(rows, printed.index)
    prints = printed.astype(float).reindex(matrix).set_axis(rows.index)
    return rows.assign(**prints, paper_matrix=matrix, printed_of=matrix.where(rows["stand_in_for"].notna()))


def per_cent(share: float) -> str:
    """Return a share in per cent: `0.082%`, `100%`."""
    return f"{100 * share:.2g}%" if share < 0.995 else f"{100 * share:.0f}%"
