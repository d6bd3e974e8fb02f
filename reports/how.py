"""How the cases of a figure were measured: the sentences that the grammar adds to its caption."""

from __future__ import annotations

from typing import Any

import pandas as pd

from fillpath.papers import papers
from fillpath.record import UNTRIED
from fillpath.settings import PROCESSES
from reports.facts.naming import listed


def how(rows: pd.DataFrame, paper: str, span: str) -> str:
    """Return how these cases were measured and prepared, and what a hatched slot is.

    rows : one per case
    span : from what to what seconds are, empty where a figure shows none
    """
    ok = rows[rows["status"] == "ok"]
    if ok.empty:
        return "Nothing of it was measured here."
    parts = (_seconds(ok, span) if span else "", _machine(ok), _prepared(rows, paper), _slots(rows))
    return " ".join(part for part in (*parts, "Stand-ins are indicative only.") if part)


def _seconds(ok: pd.DataFrame, span: str) -> str:
    samples, processes = _ends(ok["samples"]), _ends(ok["processes"])
    several = f"{processes} processes of " if processes not in ("0", "1") else ""
    few = bool(several) and int(ok["processes"].min()) < PROCESSES
    whiskers = "about their range" if few else "their 95% intervals"
    return f"Seconds: {span}; medians of {several}{samples} samples, whiskers {whiskers}."


def _machine(ok: pd.DataFrame) -> str:
    on_cpu, gpus = ok[ok["device"].isna()], listed(ok["device"].dropna())
    threads = listed(
        f"{count:g}" if pd.notna(count) and count else "all cores" for count in on_cpu["threads"]
    )
    words = "" if on_cpu.empty else f"Threads: {threads}. "
    return f"{words}CPU: {listed(ok['host_cpu'].dropna())}.{'' if gpus == 'none' else f' GPU: {gpus}.'}"


def _prepared(rows: pd.DataFrame, paper: str) -> str:
    theirs = papers()[paper].preparation
    return f"Preparation: {listed(rows['preparation'])}{f' (the paper {theirs})' if theirs else ''}."


def _slots(rows: pd.DataFrame) -> str:
    failed = rows[~rows["status"].isin(["ok", *UNTRIED])]
    if failed.empty:
        return ""
    stopped = ((failed["status"] == "timeout") & failed["low"].notna()).any()
    bounds = " More than (>): a limit of time ended the call, and its ratios are bounds." if stopped else ""
    return f"Hatched: no valid result.{bounds}"


def _ends(counts: pd.Series[Any]) -> str:
    """Return `3 to 10`."""
    known = sorted(set(counts.dropna())) or [0]
    return " to ".join(f"{count:g}" for count in dict.fromkeys((known[0], known[-1])))
