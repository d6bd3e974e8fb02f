"""Figure 13: device memory throughput."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from reports.exhibit import Exhibit, Held, Subset
from reports.facts.claims import subject
from reports.facts.naming import listed
from reports.gsofa.printed import per_cent
from reports.series import probes
from reports.shapes.beside import BesidePrint, PanelRow, Step
from reports.table import DRAM_PEAK, NOT_MEASURED
from reports.verbs import beside, in_papers_order

CLAIM = "fig13_bandwidth"
DATA = subject("gsofa", CLAIM).data
SHARES = DATA["share_of_peak"]
COUNTERS, COUNTED = "hardware counters", "counted"
READ = ["dram_bytes", "l2_bytes", "kernel_seconds", DRAM_PEAK]
BASIS = "share of DRAM's peak, {}"
GB = 1e9
DRAM, L2 = "through DRAM", "through L2"


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case: bytes through DRAM and L2, seconds of their kernels, the share of the peak.

    `how` is `hardware counters`, or `counted` by the implementation.
    """
    ok = cases["status"] == "ok"
    read = [each.get("facts", {}) for each in probes("counters", cases)]
    is_read = np.array(list(map(bool, read)), dtype=bool)
    counters = pd.DataFrame(read, cases.index, columns=READ, dtype="float64")
    is_counted = ok & ~is_read & cases["bytes"].notna()
    rows = cases.assign(
        how=pd.Series(None, cases.index, dtype="object").mask(is_read, COUNTERS).mask(is_counted, COUNTED),
        dram_bytes=counters["dram_bytes"].fillna(cases["bytes"].where(is_counted)),
        l2_bytes=counters["l2_bytes"],
        kernel_seconds=counters["kernel_seconds"].fillna(cases["median"].where(is_counted)),
        **{DRAM_PEAK: counters[DRAM_PEAK].fillna(cases[DRAM_PEAK])},
    )
    for level in ("dram", "l2"):
        rows[f"{level}_bytes_per_s"] = rows[f"{level}_bytes"] / rows["kernel_seconds"]
    rows["share_of_peak"] = rows["dram_bytes_per_s"] / rows[DRAM_PEAK]
    rates = {abbr: GB * float(value) for abbr, value in DATA["max"].items()}
    shares = dict.fromkeys(rates, float(SHARES["max"]))
    rows = in_papers_order(
        beside(rows, "gsofa", {"paper_bytes_per_s": rates, "paper_share": shares}), "gsofa"
    )
    lost = (rows["status"] == "ok") & rows["dram_bytes_per_s"].isna()
    return rows.assign(
        told=rows["status"].mask(lost, NOT_MEASURED),
        counted=rows["how"] == COUNTED,
        of_l2=rows["l2_bytes_per_s"].notna(),
    )


def _as_read(frame: pd.DataFrame) -> list[Subset]:
    """Return the shares by hardware counters, as in the paper, and what was not read."""
    return [Subset(frame[frame["how"] != COUNTED])]


def _gigabytes(rate: float) -> str:
    return f"{rate / GB:,.0f}" if rate >= 100 * GB else f"{rate / GB:.3g}"


def _printed(step: str, numbers: Mapping[str, Any], unit: float = 1.0) -> dict[str, dict[str, float]]:
    """Return mean, largest and smallest of the numbers of a subject."""
    most = numbers["max"]
    most = most["AU"] if isinstance(most, Mapping) else most
    values = {"mean": numbers["mean"], "AU, the most": most, "the least": numbers["min"]}
    return {name: {step: unit * value} for name, value in values.items()}


SHARE = PanelRow(
    "DRAM, share of the\ncard's peak",
    [Step(DRAM, "share_of_peak")],
    _printed(DRAM, SHARES),
    status="told",
    hollow="counted",
    even=None,
    form=per_cent,
)
RATE = PanelRow(
    "GB / second (log axis)",
    [Step(DRAM, "dram_bytes_per_s"), Step(L2, "l2_bytes_per_s", {"of_l2": True})],
    _printed(DRAM, DATA, GB),
    status="told",
    hollow="counted",
    even=None,
    points=True,
    log=True,
    form=_gigabytes,
)
EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 13",
    "memory throughput",
    frame,
    BesidePrint([SHARE, RATE], "printed: V100, peak 900 GB/s", "counted, not read"),
    """Bytes: {hows}. Hardware counters: of the implementation's kernels, read by ncu in a run of its own;
    counted: what the implementation asks for, wherever it finds it. Peak: from the card's memory clock and
    bus width. The paper reads nvprof on one V100 (900 GB/s).""",
    lambda frame: {"hows": listed(frame["how"].dropna())},
    held=(
        Held(
            CLAIM, "share_of_peak", ("mean", "largest", "smallest"), "told", BASIS.format(COUNTERS),
            subsets=_as_read,
        ),
        Held(
            CLAIM, "share_of_peak", ("mean",), "told", BASIS.format(COUNTED), {"how": COUNTED}, beside=True
        ),
    ),
)  # fmt: skip
