"""Figure 18: page faults of shared counts and fill flags, by how the memory is laid out and advised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.claims import claim, subject
from reports.device import NOT_MEASURED, gpu_caption
from reports.figures import Entries, FigureSpec
from reports.gsofa.several import draw_pairs, gain_frame, is_several, printed_columns, with_option
from reports.records import Records, read_fault_repeats
from reports.standings import Verdict
from reports.timed import add_columns
from reports.verdicts import judge

CLAIM = "fig18_unified_memory_faults"
ADVICE, SEPARATION = "advice", "separation"
FAULTS = "gpu_fault_groups"


def fig18_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """Two rows a matrix, number of GPUs and machine: `ratio`, groups of GPU page faults in one array of all
    GPUs without advice over those with it, and with advice in one array over those in an array each, of the
    medians of the counted calls; `fewer`, per cent of the faults that the step saves; ratio_low, ratio_high :
    of the calls that are furthest from each other."""
    frame = gain_frame(records, entries, cases, _pairing)
    counted = [_counted(records, row) for row in frame.to_dict("records")]
    for name in ("ratio", "ratio_low", "ratio_high"):
        frame[name] = None
    add_columns(
        frame, counted, ("faults", "other_faults", "ratio", "ratio_low", "ratio_high", "fewer")
    )  # fmt: skip
    frame["pair"] = frame["pair"].where((frame["pair"] != "ok") | frame["ratio"].notna(), NOT_MEASURED)
    printed = {what: _printed(what) for what in (ADVICE, SEPARATION)}
    return printed_columns(frame, printed, "faults", "other_faults", "fewer")


def fig18(frame: pd.DataFrame) -> Figure:
    """What each step saves, one above the other."""
    data = subject("gsofa", CLAIM).data
    separated = 100 / (100 - data["separation_on_top"]["mean_percent"])
    return draw_pairs(
        frame,
        "GSoFA, Figure 18: page faults of shared memory",
        [
            (ADVICE, "page faults, one array,\nwithout advice over with", data["advice"]["mean"],
             _printed(ADVICE)),
            (SEPARATION, "page faults with advice,\none array over separate ones", separated,
             _printed(SEPARATION)),
        ],
    )  # fmt: skip


def fig18_caption(frame: pd.DataFrame) -> str:
    """What faults, and how it is counted."""
    return (
        "Groups of GPU page faults on all GPUs of a host, by CUPTI (`python -m benchmarks.faults CASE`), in "
        "a traversal and the search for supernodes, which reads counts and fill flags of other GPUs' rows; "
        "ordinary arrays that are copied (sharing=peer_copy) cannot have any. One array: the GPUs' parts "
        "one after another, whose borders lie within pages. Advice: preferred location and accessed by. "
        "Points: medians of the counted calls; whiskers: the calls furthest from each other. What is shared "
        "is small: 20 bytes a row. The paper has six V100 of one node. "
        f"{gpu_caption(frame, timed=False)}"
    )


def fig18_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """Beside the print: no host here has the paper's six cards."""
    advice, separation = (frame[frame["what"] == what] for what in (ADVICE, SEPARATION))
    basis = "groups of GPU page faults"
    return [
        verdict
        for rows, step, value in ((advice, ADVICE, "ratio"), (separation, SEPARATION, "fewer"))
        for end in ("mean", "largest")
        for verdict in judge(
            rows, claim("gsofa", CLAIM, f"{step}_{end}"), value, status="pair", basis=basis, beside=True
        )
    ]


def _pairing(case: Case) -> tuple[Case, str] | None:
    options = dict(case.options)
    if not is_several(case) or "advise" in options:
        return None
    if options.get("sharing") == "one_array":
        return with_option(case, "advise", "false"), ADVICE
    if options.get("sharing") == "separate_arrays":
        return with_option(case, "sharing", "one_array"), SEPARATION
    return None


def _counted(records: Records, row: Mapping[Any, Any]) -> dict[str, float | None]:
    """Both cases' page faults, where they were counted; no ratio over none."""
    if row["pair"] != "ok":
        return {}
    own, other = (_faults(records, str(row[name]), str(row["machine"])) for name in ("case", "other"))
    if own is None or other is None:
        return {"faults": own and own[1], "other_faults": other and other[1]}
    low, high = other[0] / own[2] if own[2] else None, other[2] / own[0] if own[0] else None
    fewer = 100 * (1 - own[1] / other[1]) if other[1] else None
    ratio = other[1] / own[1] if own[1] else None
    return {
        "faults": own[1], "other_faults": other[1], "ratio": ratio, "ratio_low": low, "ratio_high": high,
        "fewer": fewer,
    }  # fmt: skip


def _faults(records: Records, case: str, machine: str) -> tuple[float, float, float] | None:
    """Least, median and most of the counted calls."""
    found = records.result(case, machine)
    repeats = () if found is None else read_fault_repeats(machine, case, found.key)
    calls = [repeat[FAULTS] for repeat in repeats]
    return (min(calls), float(median(calls)), max(calls)) if calls else None


def _printed(what: str) -> dict[str, float]:
    """A saving of 85 per cent is a ratio of 6.7."""
    data = subject("gsofa", CLAIM).data
    if what == ADVICE:
        return dict(data["advice"]["max"])
    return {abbr: 100 / (100 - saved) for abbr, saved in data["separation_on_top"]["max_percent"].items()}


SPEC = FigureSpec(
    "Figure 18: page faults of shared memory on several GPUs",
    is_several,
    fig18_frame,
    fig18,
    fig18_caption,
    claims=(CLAIM,),
    judge=fig18_verdicts,
    one_run=True,
)
