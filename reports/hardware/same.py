"""The same cases on several machines: pairs with the first of them, and their means."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fillpath.case import Case
from reports.hardware.questions import is_part
from reports.hardware.solved import RATIO, first_of, means, over_first

EVERYTHING = "all"
_PAIR = [
    "case", "machine", "first_seconds", "seconds", *RATIO, "equal_cores", "first_joules", "joules",
    "other_sources",
]  # fmt: skip


def pairs_of(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the cases that the first machine and another have solved, and the cases that are in no mean.

    Only cases of the very same input are a pair. A case without one is listed by the first machine that has
    no comparable result, with the reason.

    rows : of `solved`
    """
    first = first_of(rows)
    both = over_first(rows, "case")
    both = both[both["machine"] != first]
    lacks = both["first_why"] != ""
    known = both["input_hash"].notna() & both["first_input_hash"].notna()
    others = known & (both["input_hash"] != both["first_input_hash"])
    why = both["first_why"].where(lacks, both["why"])
    why = why.mask((why == "") & others, f"another input than {first}'s: its content differs")
    left = both.assign(machine=both["machine"].mask(lacks, first), reason=why)[why != ""]
    # With the seconds of whichever has more cores as they would be on as many as the other's.
    cores = both[["first_cores", "cores"]].astype(float).replace(0.0, np.nan)
    current = both["current"].eq(True) & both["first_current"].eq(True)
    pairs = both.assign(
        seconds=both["median"],
        first_seconds=both["first_median"],
        equal_cores=both["ratio"] * cores["first_cores"] / cores["cores"],
        other_sources=~current,
    )[why == ""]
    left = left[["case", "machine", "reason"]].drop_duplicates()
    return pairs[_PAIR].reset_index(drop=True), left.reset_index(drop=True)


def means_of(pairs: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the means of each implementation, each stage and all, by machine, and those at equal cores.

    The former have `equal_cores` too, where no GPU works in a pair of theirs.
    """
    grouped = pairs.assign(group=pairs["case"].map(_groups)).explode("group").dropna(subset="group")
    last = grouped["group"] == EVERYTHING
    order = [*sorted(grouped.loc[~last, "group"].unique()), EVERYTHING]
    grouped = grouped.assign(group=pd.Categorical(grouped["group"], order))
    factor = grouped["equal_cores"] / grouped["ratio"]
    ends = {name: grouped[name] * factor for name in RATIO}
    whole, scaled = (
        means(part, "machine", "group") for part in (grouped, grouped.assign(**ends)[factor.notna()])
    )
    every = scaled["n"].reindex(whole.index) == whole["n"]
    whole = whole.assign(equal_cores=scaled["ratio"].reindex(whole.index).where(every))
    return whole.reset_index(), scaled.reset_index()


def _groups(name: str) -> list[str]:
    """Return the groups that a case counts in: its implementation, its stage, and all.

    With fewer threads than a machine has it says nothing of the machine, so that its stage is a group apart.
    Of several draws of random numbers the first one counts.
    """
    case, implementation = Case.parse(name), name.partition("@")[0]
    if case.seed:
        return []
    if is_part(case):
        return [implementation, f"{case.stage}.threads={case.threads}"]
    return [implementation, case.stage, EVERYTHING]
