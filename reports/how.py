"""The part of a caption on method and machine: how cases were measured, and which were not."""

import pandas as pd

from fillpath.papers import papers
from fillpath.record import UNTRIED
from fillpath.settings import PROCESSES
from reports.facts.naming import listed
from reports.shapes.bars import ends


def how(rows: pd.DataFrame, paper: str, span: str, is_judged: bool = True) -> str:
    """Return how these cases were measured and prepared.

    span : from what to what seconds are, empty where a figure shows none
    is_judged : whether the figure is held against claims
    """
    ok = rows[rows["status"] == "ok"]
    if ok.empty:
        return "Nothing was measured here."
    theirs = papers()[paper].preparation
    parts = [_seconds(ok, span)] if span else []
    parts += [_machine(ok)]
    parts += [f"Preparation: {listed(rows['preparation'])}{f' (the paper {theirs})' if theirs else ''}."]
    if span and ((rows["status"] == "timeout") & rows["low"].notna()).any():
        parts += ["More than (>): a time limit ended the call, and its ratios are bounds."]
    return " ".join([*parts, "Stand-ins decide nothing."] if is_judged else parts)


def place(rows: pd.DataFrame) -> str:
    """Return `Measured on h200 (NVIDIA H200).`, with the processor where no GPU was met.

    `Simulated on` where all devices were virtual; empty where nothing was measured.
    """
    ok = rows[rows["status"] == "ok"]
    if ok.empty:
        return ""
    chips = set(ok["device"].dropna()) or set(ok["host_cpu"].dropna())
    verb = "Simulated" if ok["case"].str.contains("virtual_gpus=").all() else "Measured"
    return f"{verb} on {listed(ok['machine'])}{f' ({listed(chips)})' if chips else ''}."


def measured(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that were tried, their groups numbered anew; all of a frame without a status."""
    if "status" not in frame:
        return frame
    rows = frame[_tried(frame)].reset_index(drop=True)
    return rows.assign(group=rows["group"].rank(method="dense").astype(int) - 1) if "group" in rows else rows


def unmeasured(frame: pd.DataFrame) -> str:
    """Return `Not measured: audikw_1 (AU), stomach (ST).`: the matrices that no row of the picture is of."""
    if "status" not in frame or "label" not in frame:
        return ""
    tried = _tried(frame)
    names = set(frame.loc[~tried, "label"]) - set(frame.loc[tried, "label"])
    return f"Not measured: {listed(map(str, names))}." if names else ""


def _tried(frame: pd.DataFrame) -> "pd.Series[bool]":
    """Return whether a case of each row was tried."""
    words = frame.filter(regex="^status(_|$)").astype("object")
    return (words.notna() & ~words.isin(UNTRIED)).any(axis=1)


def _seconds(ok: pd.DataFrame, span: str) -> str:
    samples, processes = (ends(ok[name], "{:g}".format) for name in ("samples", "processes"))
    several = f"{processes} processes of " if processes not in ("0", "1") else ""
    few = bool(several) and int(ok["processes"].min()) < PROCESSES
    whiskers = "about their range" if few else "their 95% intervals"
    return f"Seconds: {span}; medians of {several}{samples} samples, whiskers {whiskers}."


def _machine(ok: pd.DataFrame) -> str:
    """Return the threads where every case on the CPU names a number, the processors and the GPUs."""
    counts = sorted(set(ok.loc[ok["device"].isna(), "threads"].fillna(0).astype(int)))
    threads = f"Threads: {', '.join(map(str, counts))}. " if counts and 0 not in counts else ""
    gpus = listed(ok["device"].dropna())
    return f"{threads}CPU: {listed(ok['host_cpu'].dropna())}.{'' if gpus == 'none' else f' GPU: {gpus}.'}"
