"""What Figures 10 and 11 share: a row a case, and how seconds are drawn and explained."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes

from fillpath.case import Case
from reports import bars
from reports.claims import abbreviation, claim
from reports.figures import Entries
from reports.gsofa.naming import label, lines, listed, stand_in
from reports.records import Records, find_entry

SECONDS = bars.Panel("median", "low", "high", "seconds")


def timed_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a case, with what a drawing needs: label, stand_in_for, series (the implementation), group (the
    position of the matrix)."""
    frame = records.frame(cases)
    for name in ("median", "low", "high"):
        frame[name] = frame[name].astype(float)
    found = [find_entry(matrix, entries) for matrix in frame["matrix"]]
    frame["label"] = [label(m, entry) for m, entry in zip(frame["matrix"], found, strict=True)]
    frame["stand_in_for"] = [stand_in(entry) for entry in found]
    frame["series"] = _series(frame)
    groups = list(dict.fromkeys(zip(frame["matrix"], frame["preparation"], strict=True)))
    frame["group"] = [groups.index(key) for key in zip(frame["matrix"], frame["preparation"], strict=True)]
    return frame


def add_printed_ratios(frame: pd.DataFrame, entries: Entries, id: str, over: str) -> None:
    """Add what the paper prints of GSoFA over the implementation `over`: paper_gsofa_over_this, of the matrix
    itself, and paper_gsofa_over_this_mean. Empty on the rows of other implementations."""
    printed = claim("gsofa", id)
    shorts = [abbreviation(find_entry(matrix, entries)) for matrix in frame["matrix"]]
    own = pd.array([printed.value(short) if short else None for short in shorts], dtype="Float64")
    here = frame["implementation"] == over
    frame["paper_gsofa_over_this"] = pd.Series(own, index=frame.index).where(here)
    frame["paper_gsofa_over_this_mean"] = pd.Series(printed.mean, index=frame.index).where(here)


def name_matrices(axes: Axes, frame: pd.DataFrame) -> None:
    """The matrices below the axis, in the order of their groups."""
    groups = frame.drop_duplicates("group")
    several = groups["preparation"].nunique() > 1
    labels = [lines(row, several) for row in groups.to_dict("records")]
    axes.set_xticks(range(len(labels)), labels, rotation=32, ha="right", rotation_mode="anchor")
    axes.set_xlim(-0.6, max(1, len(labels)) - 0.4)


def width(frame: pd.DataFrame) -> float:
    """Of the figure, in inches."""
    return min(22.0, max(10.0, 2.5 + 1.25 * frame["group"].nunique()))


def measured_how(frame: pd.DataFrame) -> str:
    """The caption's part on what the seconds are, their interval, threads, processor and preparation."""
    ok = frame[frame["status"] == "ok"]
    counts = sorted(set(ok["samples"])) or [0]
    samples = " to ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
    threads = listed(str(count) if count else "all cores" for count in frame["threads"])
    cpus, prepared = listed(ok["host_cpu"].dropna()), listed(frame["preparation"])
    return (
        "Seconds: input pattern resident in memory to filled pattern resident, preparation outside. "
        f"They are medians of {samples} samples, whiskers the 95% bootstrap interval of the median "
        f"(least to most below 6 samples). Threads: {threads}. CPU: {cpus}. Preparation: {prepared} (metis: "
        "METIS; the paper orders by ParMETIS)."
    )


SLOTS = (
    "A hatched slot has no valid result: it names the status, its height means nothing. Stand-ins are other "
    "matrices than the paper's: indicative only."
)


def _series(frame: pd.DataFrame) -> list[str]:
    """The implementation, with options, and the machine where there are several."""
    several = frame["machine"].nunique() > 1
    names = (frame["implementation"] + " " + frame["options"]).str.strip()
    threads = [f" threads={t}" if t else "" for t in frame["threads"]]
    hosts = [f" on {m}" if several and not pd.isna(m) else "" for m in frame["machine"]]
    return [f"{name}{t}{host}" for name, t, host in zip(names, threads, hosts, strict=True)]
