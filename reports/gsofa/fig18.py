"""Figure 18: page faults of shared counts and fill flags, by how the memory is laid out and advised."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import Any

import pandas as pd

from fillpath.case import Case
from fillpath.dicts import dicts
from reports.exhibit import Exhibit, Held
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.facts.probes import read_fault_repeats
from reports.facts.records import Records
from reports.frames.device import NOT_MEASURED, gpu_caption
from reports.frames.gpus import by_kind, gain_frame, panels_of, printed_columns, with_option
from reports.frames.seconds import add_columns
from reports.shapes.beside import BesidePrint
from reports.shapes.marks import PanelRow, marks_of

CLAIM = "fig18_unified_memory_faults"
DATA = subject("gsofa", CLAIM).data
SAVED = DATA["separation_on_top"]
ADVICE, SEPARATION, BOTH = "advice", "separation", "both"
BASE, ADVISED, APART = "one array, no advice", "one array, advice", "separate arrays, advice"
FAULTS = "gpu_fault_groups"
LEFT = ("left", "left_low", "left_high")
BASIS = "groups of GPU page faults"


def over_saved(percent: float) -> float:
    """A saving of 85 per cent is a ratio of 6.7."""
    return 100 / (100 - percent)


PRINTED = {
    ADVICE: DATA["advice"]["max"],
    SEPARATION: {abbr: over_saved(saved) for abbr, saved in SAVED["max_percent"].items()},
}


def frame(inputs: Inputs) -> pd.DataFrame:
    """Three rows per matrix, number of GPUs and machine: `ratio`, groups of GPU page faults in one array of
    all GPUs without advice over those with it, with advice in one array over those in an array each, and the
    first over the last, of the medians of the counted calls; `left`, its inverse; `fewer`, per cent of the
    faults that the step saves; ratio_low, ratio_high : of the calls that are furthest from each other."""
    rows = gain_frame(inputs, _step, _both)
    counted = [_counted(inputs.records, row) for row in dicts(rows)]
    for name in ("ratio", "ratio_low", "ratio_high"):
        rows[name] = None
    add_columns(rows, counted, ("faults", "other_faults", "ratio", "ratio_low", "ratio_high", "fewer"))
    rows[list(LEFT)] = 1 / rows[["ratio", "ratio_high", "ratio_low"]].astype(float).to_numpy()
    rows["pair"] = rows["pair"].where((rows["pair"] != "ok") | rows["ratio"].notna(), NOT_MEASURED)
    return printed_columns(rows, PRINTED, "faults", "other_faults", "fewer", *LEFT)


def _step(case: Case) -> tuple[Case, str] | None:
    options = dict(case.options)
    if "advise" in options:
        return None
    if options.get("sharing") == "one_array":
        return with_option(case, "advise", "false"), ADVICE
    if options.get("sharing") == "separate_arrays":
        return with_option(case, "sharing", "one_array"), SEPARATION
    return None


def _both(case: Case) -> tuple[Case, str] | None:
    options = dict(case.options)
    if "advise" in options or options.get("sharing") != "separate_arrays":
        return None
    return with_option(with_option(case, "sharing", "one_array"), "advise", "false"), BOTH


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


def _marks(frame: pd.DataFrame) -> pd.DataFrame:
    """What each layout leaves of the page faults without advice."""
    shown = [
        marks_of(part[part["what"] == what], "left", "pair", step=step, panel=part["series"].iloc[0])
        for part in panels_of(frame)
        for what, step in ((ADVICE, ADVISED), (BOTH, APART))
    ]
    return pd.concat(shown or [marks_of(frame[:0], "left", "pair", step="", panel="")])


def _per_cent(share: float) -> str:
    return f"{100 * share:.2g}%" if share < 0.995 else f"{100 * share:.0f}%"


MEAN = 1 / DATA["advice"]["mean"]
ROW = PanelRow(
    "page faults, share of\nthose without advice", (BASE, ADVISED, APART),
    {"mean": {ADVISED: MEAN, APART: MEAN / over_saved(SAVED["mean_percent"])}}
    | {abbr: {ADVISED: 1 / value} for abbr, value in PRINTED[ADVICE].items()},
    {abbr: f"separate: {value:g}% fewer" for abbr, value in SAVED["max_percent"].items()}
    | dict.fromkeys(SAVED["increases"], "separate: more"),
    base=BASE, form=_per_cent,
)  # fmt: skip
EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 18",
    "page faults of shared memory",
    frame,
    BesidePrint([ROW], "printed: six V100 of one node", _marks, height=5.2),
    """Groups of page faults on all GPUs of a host, counted by CUPTI (fillpath faults CASE): shared counts
    and fill flags in one array without advice, with it, and with it in an array each. Medians of the calls,
    whiskers their range. The last printed mean is {saved:g}% below the one before. {gpu}""",
    lambda frame: {"saved": SAVED["mean_percent"], "gpu": gpu_caption(frame, "gsofa", timed=False)},
    # Beside the print: no host here has the paper's six cards.
    held=(
        Held(
            CLAIM, "ratio", ("advice_mean", "advice_largest", "advice_fewer"), "pair", BASIS,
            {"what": ADVICE}, by_kind, beside=True,
        ),
        Held(
            CLAIM, "ratio", ("separation_fewer", "separation_rises"), "pair", BASIS, {"what": SEPARATION},
            by_kind, beside=True,
        ),
        Held(
            CLAIM, "fewer", ("separation_mean", "separation_largest"), "pair", BASIS, {"what": SEPARATION},
            by_kind, beside=True,
        ),
    ),
    one_run=True,
    topic="page faults of shared memory on several GPUs",
)  # fmt: skip
