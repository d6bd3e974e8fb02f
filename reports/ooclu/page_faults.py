"""The page faults that were counted of a case: what Table 3 and the figure of faults share."""

from __future__ import annotations

import pandas as pd

from reports.ooclu.arrays import WAYS, standing_in, the_seven, with_regime
from reports.series import probes
from reports.table import NOT_MEASURED

COUNTED = ["gpu_fault_groups", "fault_share", "overhead", "link_bytes_per_second"]


def counted(cases: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the ways of having the arrays, with what `fillpath faults` counted of them.

    nnz_per_row : with explicit zeros
    told : `ok` where the counts are known
    """
    rows = cases.assign(way=cases["variant"].map(WAYS)).dropna(subset="way")
    counts = [each.get("facts", {}) for each in probes("faults", rows)]
    rows = rows.join(pd.DataFrame(counts, rows.index).reindex(columns=COUNTED).astype(float))
    told = rows["status"].mask((rows["status"] == "ok") & rows["gpu_fault_groups"].isna(), NOT_MEASURED)
    rows = rows.assign(told=told, nnz_per_row=rows["entries"] / rows["n"])
    return with_regime(standing_in(rows, the_seven()))
