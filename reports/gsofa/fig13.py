"""Figure 13: device memory throughput."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from reports.exhibit import Exhibit, Held
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.facts.naming import listed
from reports.facts.probes import read_counters
from reports.facts.records import DRAM_PEAK
from reports.facts.verdicts import Subset
from reports.frames.device import NOT_MEASURED, add_printed, columns_of, device_frame, gpu_caption
from reports.frames.seconds import add_columns
from reports.shapes import bars
from reports.shapes.gains import PRINTED_LINE, add_stars, gains_legend
from reports.shapes.panels import Panels

CLAIM = "fig13_bandwidth"
DATA = subject("gsofa", CLAIM).data
SHARES = DATA["share_of_peak"]
COUNTERS, COUNTED = "hardware counters", "counted"
BASIS = "share of DRAM's peak, {}"
NUMBERS = (
    "dram_bytes", "l2_bytes", "kernel_seconds", "dram_bytes_per_s", "l2_bytes_per_s", DRAM_PEAK,
    "share_of_peak",
)  # fmt: skip
RATE = bars.Panel("rate", "rate", "rate", "bytes / second", "told")
SHARE = bars.Panel(
    "share_of_peak", "share_of_peak", "share_of_peak", "DRAM, share of the\ncard's peak", "told_share",
    points=True, hollow="counted", form="{:.0%}".format, log=False,
)  # fmt: skip


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix and machine: bytes through DRAM and L2, the seconds of the kernels that moved them,
    and the share of the card's peak. how : `hardware counters`, or `counted` by the implementation, or
    empty."""
    result = device_frame(inputs, (DRAM_PEAK,))
    read = [_read(row) for row in result.to_dict("records")]
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


def _draw_rates(axes: Axes, frame: pd.DataFrame) -> None:
    """Bytes per second through DRAM and L2."""
    levels = _levels(frame)
    bars.bar_panel(axes, levels, RATE)
    add_stars(axes, frame, "paper_bytes_per_s", _gigabytes)
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, float(frame["paper_bytes_per_s"].min()) / 4), high)
    bars.legend(axes, levels, {}, hidden=set(levels.loc[levels["machine"].isna(), "series"]))


def _draw_shares(axes: Axes, frame: pd.DataFrame) -> None:
    """The share of DRAM's peak."""
    told_share = frame["told"].where(frame["told"] != "ok", _share_status(frame))
    share = frame.assign(told_share=told_share, counted=frame["how"] == COUNTED)
    bars.bar_panel(axes, share, SHARE)
    axes.set_ylim(0, 1)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1.0], ["0%", "25%", "50%", "75%", "100%"])
    axes.axhline(SHARES["mean"], **PRINTED_LINE)
    add_stars(axes, frame, "paper_share", SHARE.form)
    lines = [("star", "printed, of the matrix"), ("line", f"printed mean, {SHARES['mean']:.0%}")]
    counted = [("hollow", "counted, not read")] if share["counted"].any() else []
    gains_legend(axes, share, [*lines, *counted, ("slot", "no number")])


def _gigabytes(rate: float) -> str:
    return f"{rate / 1e9:.4g} GB/s"


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


def _share_status(frame: pd.DataFrame) -> pd.Series[str]:
    """`ok` where the card's peak is known too."""
    known = frame["share_of_peak"].notna()
    return pd.Series("ok", index=frame.index).where(known, NOT_MEASURED)


def _levels(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for DRAM and one for L2, with `rate`; L2's left out where it is not known."""
    dram = frame.assign(rate=frame["dram_bytes_per_s"], series="DRAM, " + frame["series"])
    second = frame[frame["l2_bytes_per_s"].notna()]
    second = second.assign(rate=second["l2_bytes_per_s"], series="L2, " + second["series"])
    return pd.concat([dram, second]) if len(second) else dram


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 13",
    "memory throughput",
    frame,
    Panels([_draw_rates, _draw_shares], 9.0),
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
