"""Figure 13: device memory throughput."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from fillpath.dicts import dicts
from reports.exhibit import Exhibit, Held, Subset
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.facts.naming import listed
from reports.facts.probes import read_counters
from reports.facts.records import DRAM_PEAK
from reports.frames.device import NOT_MEASURED, add_printed, columns_of, device_frame, gpu_caption
from reports.frames.order import in_papers_order
from reports.frames.seconds import add_columns
from reports.shapes.beside import BesidePrint
from reports.shapes.marks import PanelRow, marks_of

CLAIM = "fig13_bandwidth"
DATA = subject("gsofa", CLAIM).data
SHARES = DATA["share_of_peak"]
COUNTERS, COUNTED = "hardware counters", "counted"
BASIS = "share of DRAM's peak, {}"
NUMBERS = (
    "dram_bytes", "l2_bytes", "kernel_seconds", "dram_bytes_per_s", "l2_bytes_per_s", DRAM_PEAK,
    "share_of_peak",
)  # fmt: skip
GB = 1e9
SHARE, DRAM, L2 = "share", "through DRAM", "through L2"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix and machine: bytes through DRAM and L2, the seconds of the kernels that moved them,
    and the share of the card's peak. how : `hardware counters`, or `counted` by the implementation, or
    empty."""
    result = device_frame(inputs, (DRAM_PEAK,))
    read = [_read(row) for row in dicts(result)]
    result["how"] = pd.Series([row.get("how") for row in read], index=result.index, dtype="object")
    add_columns(result, read, NUMBERS)
    result["told"] = result["status"].where(
        (result["status"] != "ok") | result["dram_bytes_per_s"].notna(), NOT_MEASURED
    )
    rates = {abbr: 1e9 * float(value) for abbr, value in DATA["max"].items()}
    shares = dict.fromkeys(rates, float(SHARES["max"]))
    result = add_printed(result, "gsofa", {"paper_bytes_per_s": rates, "paper_share": shares})
    return columns_of(result, "how", "told", *NUMBERS, "paper_bytes_per_s", "paper_share")


def _as_read(frame: pd.DataFrame) -> list[Subset]:
    """The share of the peak by hardware counters, as in the paper; what was not read is named too."""
    return [Subset(frame[frame["how"] != COUNTED])]


def _marks(frame: pd.DataFrame) -> pd.DataFrame:
    """The share of DRAM's peak of each matrix, and the bytes through DRAM and, where they were read, L2."""
    rows = in_papers_order(frame, "gsofa").assign(
        dram=lambda rows: rows["dram_bytes_per_s"] / GB, l2=lambda rows: rows["l2_bytes_per_s"] / GB
    )
    columns = {SHARE: "share_of_peak", DRAM: "dram", L2: "l2"}
    marks = [
        marks_of(
            rows,
            value,
            "told",
            step=step,
            panel="measured on " + rows["where"],
            hollow=rows["how"] == COUNTED,
        )
        for step, value in columns.items()
    ]
    whole = pd.concat(marks)
    return whole[(whole["step"] != L2) | whole["value"].notna()]


def _per_cent(share: float) -> str:
    return f"{100 * share:.2g}%"


def _gigabytes(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def _read(row: Mapping[Any, Any]) -> dict[str, Any]:
    """What is known of the bytes of a verified result: counters before counts; nothing of any other."""
    if row["status"] != "ok":
        return {}
    counters = read_counters(row["machine"], row["case"], row["key"])
    if counters is not None:
        return _rates({DRAM_PEAK: row[DRAM_PEAK], **counters, "how": COUNTERS})
    if pd.isna(row["bytes"]):
        return {}
    counted = {"dram_bytes": row["bytes"], "kernel_seconds": row["median"], DRAM_PEAK: row[DRAM_PEAK]}
    return _rates({**counted, "how": COUNTED})


def _rates(known: dict[str, Any]) -> dict[str, Any]:
    seconds, peak = known.get("kernel_seconds"), known.get(DRAM_PEAK)
    rates = {
        f"{level}_bytes_per_s": known[f"{level}_bytes"] / seconds
        for level in ("dram", "l2")
        if seconds and f"{level}_bytes" in known
    }
    dram = rates.get("dram_bytes_per_s")
    return known | rates | ({"share_of_peak": dram / peak} if dram is not None and peak else {})


def _printed(step: str, numbers: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Mean, largest and smallest. numbers : of the subject."""
    most = numbers["max"]
    most = most["AU"] if isinstance(most, Mapping) else most
    return {
        "mean": {step: numbers["mean"]},
        "AU, the most": {step: most},
        "the least": {step: numbers["min"]},
    }


ROWS = (
    PanelRow("DRAM, share of the\ncard's peak", (SHARE,), _printed(SHARE, SHARES), even=None, form=_per_cent),
    PanelRow(
        "GB / second (log axis)", (DRAM, L2), _printed(DRAM, DATA), even=None, points=True, log=True,
        form=_gigabytes,
    ),
)  # fmt: skip
EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 13",
    "memory throughput",
    frame,
    BesidePrint(ROWS, "printed: V100, peak 900 GB/s", _marks, "counted, not read"),
    """Bytes: {hows}. Hardware counters: of the implementation's kernels, read by ncu in a run of its own;
    counted: what the implementation asks for, wherever it finds it. Peak: from the card's memory clock and
    bus width. The paper reads nvprof on one V100 (900 GB/s). {gpu}""",
    lambda frame: {"hows": listed(frame["how"].dropna()), "gpu": gpu_caption(frame, "gsofa", timed=False)},
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
