"""Figure 13: memory throughput."""

from dataclasses import replace

import pandas as pd

from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.facts.naming import listed
from reports.gsofa.memory import told
from reports.gsofa.symbolic import per_cent
from reports.series import probes
from reports.shapes.beside import BesidePrint, PanelRow, Step
from reports.shapes.sheet import plain
from reports.table import DRAM_PEAK
from reports.verbs import beside, in_papers_order

DATA = subject("gsofa", "fig13_bandwidth")
SHARES, RATES = DATA["share_of_peak"], {**DATA, "max": DATA["max"]["AU"]}
PRINTED = {"mean": "mean", "AU, the most": "max", "the least": "min"}
READ = ["dram_bytes", "l2_bytes", "kernel_seconds", DRAM_PEAK]
COUNTERS, COUNTED, DRAM, L2 = "hardware counters", "counted", "through DRAM", "through L2"
GB = 1e9


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case: bytes through DRAM and L2, `how` they were counted, the share of the peak."""
    facts = [each.get("facts", {}) for each in probes("counters", cases)]
    read = pd.DataFrame(facts, cases.index, columns=READ, dtype="float64")
    is_read = read["kernel_seconds"].notna()
    is_counted = (cases["status"] == "ok") & ~is_read & cases["bytes"].notna()
    # Bytes that the implementation counted, over its seconds, replace absent hardware counters.
    own = pd.DataFrame({"dram_bytes": cases["bytes"], "kernel_seconds": cases["median"]}).where(is_counted)
    rows = cases.assign(**read.fillna(own.join(cases[DRAM_PEAK])))
    for level in ("dram", "l2"):
        rows[f"{level}_bytes_per_s"] = rows[f"{level}_bytes"] / rows["kernel_seconds"]
    rows["how"] = is_counted.map({True: COUNTED}).astype("object").mask(is_read, COUNTERS)
    rows["share_of_peak"] = rows["dram_bytes_per_s"] / rows[DRAM_PEAK]
    printed = {"paper_bytes_per_s": {"AU": GB * RATES["max"]}, "paper_share": {"AU": SHARES["max"]}}
    rows = in_papers_order(beside(rows, "gsofa", printed), "gsofa")
    rows["counted"], rows["of_l2"] = rows["how"] == COUNTED, rows["l2_bytes_per_s"].notna()
    return rows.assign(told=told(rows, "dram_bytes_per_s"))


SHARE = PanelRow(
    "DRAM, share of the\ncard's peak",
    [Step(DRAM, "share_of_peak")],
    {DRAM: {name: SHARES[end] for name, end in PRINTED.items()}},
    status="told",
    hollow="counted",
    even=None,
    form=per_cent,
)
RATE = replace(
    SHARE,
    label="GB / second (log axis)",
    steps=[Step(DRAM, "dram_bytes_per_s"), Step(L2, "l2_bytes_per_s", {"of_l2": True})],
    printed={DRAM: {name: GB * RATES[end] for name, end in PRINTED.items()}},
    points=True,
    log=True,
    form=lambda rate: plain(rate / GB),
)
CAPTION = """Bytes: {hows}. Hardware counters: read by ncu in a separate run. Counted: bytes that the
    implementation uses, in any memory. Peak: from the card's memory clock and bus width. The paper reads
    nvprof."""
SHAPE = BesidePrint([SHARE, RATE], "printed: V100, peak 900 GB/s", "counted, not read")
EXHIBIT = Exhibit(frame, SHAPE, CAPTION, lambda frame: {"hows": listed(frame["how"].dropna())}, one_run=False)
