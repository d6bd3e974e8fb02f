"""Print the bytes, disk, memory and time of a run; exit status 1 if it cannot fit."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.runs.plan import Plan, plan
from commands._parser import Arguments, Parser
from fillpath.paths import bytes_text, cache, write_text
from fillpath.settings import SUITES, settings

# The columns of the inputs that are shown.
_SHOWN = ["order", "entries", "download", "disk", "memory", "time", "stored", "remarks"]


def add_arguments(parser: Parser) -> None:
    parser.add_choice("suite", tuple(SUITES), help="which matrices")
    parser.add_argument("--cases", type=Path, metavar="FILE", help="write a row per case to FILE, as CSV")


def run(arguments: Arguments) -> int:
    needs = plan(replace(settings(), suite=arguments.suite))
    print("\n".join([*_table(needs.inputs), "", *_totals(needs), _error(needs.checks)]))
    if arguments.cases is not None:
        rows = needs.cases.drop(columns="stored").merge(needs.checks, how="left", on="case")
        write_text(arguments.cases, rows.to_csv(index=False, float_format="%.4g"))
    return 0 if needs.fits else 1


def _table(inputs: pd.DataFrame) -> list[str]:
    """Return a line per prepared matrix."""
    if inputs.empty:
        return ["nothing to measure"]
    remark = f"{{:{max(map(len, inputs['remarks']))}}}".format
    form = {"download": _bytes, "disk": _bytes, "memory": _bytes, "time": _duration, "remarks": remark}
    text = inputs.rename_axis(None).to_string(columns=_SHOWN, formatters=form, na_rep="-")
    return [line.rstrip() for line in text.splitlines()]


def _totals(plan: Plan) -> list[str]:
    inputs, cases, lacking = plan.inputs, plan.cases, "" if plan.disk_fits else ": will not fit"
    archives, guessed = (inputs["download"] > 0).sum(), inputs["guessed"].sum()
    preparing, known = inputs["preparing"].sum(), cases["call"].notna().sum()
    hours = f"{_duration(preparing + cases['seconds'].sum())} for {known} of {len(cases)} cases"
    foreseen = _counts(cases["foreseen"].replace("", "in time"))
    needed, usable = inputs["memory"].max(), plan.site.memory
    scarce = "; some may not fit" if needed > usable else ""
    return [
        f"download  {_bytes(inputs['download'].sum())} in {archives} archives, {guessed} of them guessed",
        f"disk      {_bytes(plan.disk)} in {cache()}, {_bytes(plan.free_disk)} free{lacking}",
        f"memory    {_bytes(needed)} for one process, {_bytes(usable)} may be used{scarce}",
        f"time      about {hours}, {_duration(preparing)} to prepare; without downloads and drawing",
        f"cases     {foreseen}; {plan.elsewhere} cannot run on {plan.site.name}",
        f"processes {_counts('in ' + cases['processes'].astype(str))}",
        f"known by  calls: {_counts(cases['lender'])}; L + U: {_counts(cases['fill'])}",
    ]


def _counts(words: pd.Series) -> str:
    """Return `3146 own, 490 another code`."""
    return ", ".join(f"{count} {word}" for word, count in words.value_counts().items()) or "none"


def _error(checks: pd.DataFrame) -> str:
    """Return how far the calls measured on the machine are from what records of other inputs predict."""
    if checks.empty:
        return "error     about a factor of 3: no call measured on the machine has another to predict it"
    mean, most = np.exp(np.log(checks["factor"]).mean()), checks["factor"].quantile(0.9)
    return (
        f"error     of {len(checks)} measured calls, each predicted by records of other inputs: "
        f"a factor of {mean:.2f} (geometric mean), {most:.1f} for nine in ten; "
        f"predicted {checks['predicted'].sum() / checks['measured'].sum():.2f} of all their seconds"
    )


def _bytes(count: float) -> str:
    return bytes_text(int(count)) if 0 < count < np.inf else "unknown" if count == np.inf else "-"


def _duration(seconds: float) -> str:
    """Return a time for people: `45 s`, `3.2 min`, `1.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
