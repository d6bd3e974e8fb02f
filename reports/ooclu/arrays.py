"""The arrays of all rows: ways of storing them, their bytes, unified memory's regime, page faults."""

import re
from collections.abc import Collection
from functools import partial

import numpy as np
import pandas as pd

from reports.exhibit import Subset
from reports.facts.naming import among
from reports.facts.printed import printed_column, printed_table
from reports.series import probes
from reports.shapes.bars import few
from reports.shapes.stacked import BASELINE
from reports.table import NOT_MEASURED
from reports.verbs import BUDGET, beside, fact, on, over, with_budgets, with_groups, without

PAPER = "ooclu"
MATRICES, FAULTS = "ooclu_table2_matrices", "ooclu_table3_page_faults"
# The matrices that Figures 5 and 6 and Table 3 show.
SEVEN: list[str] = printed_table(FAULTS)["abbr"].tolist()
SYMBOLIC = "from the input pattern to the filled pattern, both resident"
# The matrices of Table 2 with the largest n, in place of those that Figure 7 does not name.
LARGEST = ["AP", "PR", "IN"]
# Bytes per vertex and row: six words.
ARRAYS = 24
OUT_OF_CORE, PLAIN, PREFETCHED = "out_of_core", "unified memory", "unified memory, prefetched"
# The figures' names for the ways of storing the arrays. The last has those that an earlier call left.
WAYS = {
    "out_of_core": OUT_OF_CORE,
    "unified_memory.prefetch=true": PREFETCHED,
    "unified_memory": PLAIN,
    "unified_memory.keep=true.prefetch=true": "unified memory, prefetched, arrays kept",
}
FITS, OVERSUBSCRIBED = "fits", "oversubscribed"
# Why another regime than the paper's tests no claim.
OTHER_REGIME = {
    OVERSUBSCRIBED: "",
    FITS: "the arrays fit the card's memory, the claim is of arrays that do not, and a card that others use "
    "too may not be filled until they do not",
    "": "the card's memory is not recorded",
}
COUNTED = ["gpu_fault_groups", "fault_share", "overhead", "link_bytes_per_second"]
REGIMES = f"{FITS}: all in the card's memory, nothing evicted; {OVERSUBSCRIBED}: not all, as in the paper."


def standing_in(rows: pd.DataFrame, shown: Collection[str], by: str = "stand_in_for") -> pd.DataFrame:
    """Return the rows, each standing in for these matrices alone, by the names of a column."""
    return rows.assign(stand_in_for=rows[by].map(lambda names: among(names, shown)).astype("object"))


def budgeted(cases: pd.DataFrame, variant: str, whole: str = "") -> pd.DataFrame:
    """Return a variant's rows within budgets, and another's without; `binds`: in several launches."""
    rows = with_budgets(standing_in(cases, LARGEST))
    within = rows["budget"].notna() & (without(rows["variant"], BUDGET) == variant)
    rows = with_groups(rows[within | (rows["variant"] == whole)])
    launches = fact(rows, "launches").where(rows["budget"].notna())
    return rows.assign(binds=(launches > 1).astype(float).where(launches.notna()))


def with_regime(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with `managed_bytes`, how many times the card's they are, and the `regime`."""
    managed = ARRAYS * rows["n"] ** 2
    over_card = managed / rows["card"].astype(float)
    regimes = np.select([over_card < 1, over_card >= 1], [FITS, OVERSUBSCRIBED], "")
    return rows.assign(managed_bytes=managed, times_card=over_card, regime=regimes)


def counted(cases: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of WAYS with what `fillpath faults` counted; `told` is `ok` where that is known."""
    rows = cases.assign(way=cases["variant"].map(WAYS)).dropna(subset="way")
    counts = [each.get("facts", {}) for each in probes("faults", rows)]
    rows = rows.join(pd.DataFrame(counts, rows.index, columns=COUNTED, dtype="float64"))
    rows = rows.assign(groups=rows.pop(COUNTED[0]), nnz_per_row=rows["entries"] / rows["n"])
    rows["told"] = rows["status"].mask((rows["status"] == "ok") & rows["groups"].isna(), NOT_MEASURED)
    return with_regime(standing_in(rows, SEVEN))


def by_density(rows: pd.DataFrame, shown: Collection[str]) -> pd.DataFrame:
    """Return the rows by nnz/n, with their regime, and a `not_run` row for `shown` matrices without cases."""
    density = printed_column(PAPER, MATRICES, "nnz_per_row")
    rows = standing_in(rows, shown).assign(nnz_per_row=rows["entries"] / rows["n"])
    rows = beside(rows, PAPER, {"paper_nnz_per_row": {abbr: density[abbr] for abbr in shown}})
    order = rows["nnz_per_row"].fillna(rows["paper_nnz_per_row"]).argsort(kind="stable")
    return with_groups(with_regime(rows.iloc[order].reset_index(drop=True)))


def over_baseline(rows: pd.DataFrame, way: str, name: str) -> pd.DataFrame:
    """Return the rows with their ratios over those of a way, which has none itself; its name in `pair`."""
    ratios = over(rows, on(rows, rows[rows["way"] == way]), ("", name))
    baseline = rows["way"] == way
    return rows.join(ratios.mask(baseline).assign(pair=ratios["pair"].mask(baseline, BASELINE)))


def by_regime(frame: pd.DataFrame) -> list[Subset]:
    """Return the rows of each regime that has a number, judged where it is the paper's; else all rows."""
    rows = frame[frame["regime"].isin(frame.loc[frame["has_number"], "regime"])]
    return [
        Subset(part, partial(re.sub, OVERSUBSCRIBED, str(name) or "regime unknown"), OTHER_REGIME[str(name)])
        for name, part in rows.groupby("regime")
    ] or [Subset(frame)]


def labelled(frame: pd.DataFrame, memory: bool = True) -> pd.DataFrame:
    """Return the frame with labels of a picture: nnz/n, the bytes of all rows' arrays, and their regime."""
    known = frame.assign(gigabytes=frame["managed_bytes"] / 1e9, regime=frame["regime"].replace("", None))
    labels, forms = frame["label"], {"gigabytes": "\n{:.2g} GB", "regime": " ({})"} if memory else {}
    for name, form in {"nnz_per_row": ", nnz/n {:.3g}", **forms}.items():
        labels = labels + known[name].map(form.format, na_action="ignore").astype("object").fillna("")
    instead = frame["stand_in_for"].map(few, na_action="ignore").astype("object")
    return frame.assign(label=labels, stand_in_for=instead)
