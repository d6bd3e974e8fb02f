"""Figure 18: page faults of shared counts and fill flags, by how the memory is laid out and advised."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import Any

import pandas as pd

from fillpath.case import Case
from reports.exhibit import Exhibit, Held
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.facts.probes import read_fault_repeats
from reports.facts.records import Records
from reports.frames.device import NOT_MEASURED, gpu_caption
from reports.frames.gpus import gain_frame, printed_columns, with_option
from reports.frames.seconds import add_columns
from reports.shapes.pairs import Pair, Pairs

CLAIM = "fig18_unified_memory_faults"
DATA = subject("gsofa", CLAIM).data
SAVED = DATA["separation_on_top"]
ADVICE, SEPARATION = "advice", "separation"
FAULTS = "gpu_fault_groups"
BASIS = "groups of GPU page faults"


def over_saved(percent: float) -> float:
    """A saving of 85 per cent is a ratio of 6.7."""
    return 100 / (100 - percent)


PRINTED = {
    ADVICE: DATA["advice"]["max"],
    SEPARATION: {abbr: over_saved(saved) for abbr, saved in SAVED["max_percent"].items()},
}


def frame(inputs: Inputs) -> pd.DataFrame:
    """Two rows per matrix, number of GPUs and machine: `ratio`, groups of GPU page faults in one array of all
    GPUs without advice over those with it, and with advice in one array over those in an array each, of the
    medians of the counted calls; `fewer`, per cent of the faults that the step saves; ratio_low, ratio_high :
    of the calls that are furthest from each other."""
    rows = gain_frame(inputs, _pairing)
    counted = [_counted(inputs.records, row) for row in rows.to_dict("records")]
    for name in ("ratio", "ratio_low", "ratio_high"):
        rows[name] = None
    add_columns(rows, counted, ("faults", "other_faults", "ratio", "ratio_low", "ratio_high", "fewer"))
    rows["pair"] = rows["pair"].where((rows["pair"] != "ok") | rows["ratio"].notna(), NOT_MEASURED)
    return printed_columns(rows, PRINTED, "faults", "other_faults", "fewer")


def _pairing(case: Case) -> tuple[Case, str] | None:
    options = dict(case.options)
    if "advise" in options:
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
    faults, other = (_faults(records, str(row[name]), str(row["machine"])) for name in ("case", "other"))
    if faults is None or other is None:
        return {"faults": faults and faults[1], "other_faults": other and other[1]}
    low, high = other[0] / faults[2] if faults[2] else None, other[2] / faults[0] if faults[0] else None
    fewer = 100 * (1 - faults[1] / other[1]) if other[1] else None
    ratio = other[1] / faults[1] if faults[1] else None
    return {
        "faults": faults[1], "other_faults": other[1], "ratio": ratio, "ratio_low": low, "ratio_high": high,
        "fewer": fewer,
    }  # fmt: skip


def _faults(records: Records, case: str, machine: str) -> tuple[float, float, float] | None:
    """Least, median and most of the counted calls."""
    record = records.result(case, machine)
    repeats = () if record is None else read_fault_repeats(machine, case, record.key)
    calls = [repeat[FAULTS] for repeat in repeats]
    return (min(calls), float(median(calls)), max(calls)) if calls else None


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 18",
    "page faults of shared memory",
    frame,
    Pairs(
        [
            Pair(
                ADVICE, "page faults, one array,\nwithout advice over with", DATA["advice"]["mean"],
                PRINTED[ADVICE],
            ),
            Pair(
                SEPARATION, "page faults with advice,\none array over separate ones",
                over_saved(SAVED["mean_percent"]), PRINTED[SEPARATION],
            ),
        ]
    ),
    """Groups of page faults on all GPUs of a host, counted by CUPTI (fillpath faults CASE): shared counts
    and fill flags in one array without and with advice, and in separate arrays. Points: medians of the
    counted calls; whiskers: their range. The paper has six V100 of one node. {gpu}""",
    lambda frame: {"gpu": gpu_caption(frame, "gsofa", timed=False)},
    # Beside the print: no host here has the paper's six cards.
    held=(
        Held(
            CLAIM, "ratio", ("advice_mean", "advice_largest"), "pair", BASIS, {"what": ADVICE}, beside=True
        ),
        Held(
            CLAIM, "fewer", ("separation_mean", "separation_largest"), "pair", BASIS, {"what": SEPARATION},
            beside=True,
        ),
    ),
    one_run=True,
    topic="page faults of shared memory on several GPUs",
)  # fmt: skip
