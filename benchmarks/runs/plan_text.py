"""The text of `fillpath plan`: a line per prepared matrix, the totals, and how good they are."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.runs.plan import Plan
from fillpath.paths import bytes_text, cache

# The columns of the inputs that are shown.
_SHOWN = ["order", "entries", "download", "disk", "memory", "time", "stored", "remarks"]


def plan_text(plan: Plan) -> str:
    """Return the plan for people."""
    remark = f"{{:{max(map(len, plan.inputs['remarks']), default=0)}}}".format
    form = {"download": _bytes, "disk": _bytes, "memory": _bytes, "time": duration_text, "remarks": remark}
    rows = plan.inputs.rename_axis(None)
    table = rows.to_string(columns=_SHOWN, formatters=form, na_rep="-") if len(rows) else "nothing to measure"
    return "\n".join([*map(str.rstrip, table.splitlines()), "", *_totals(plan), _error(plan.checks)])


def _totals(plan: Plan) -> list[str]:
    inputs, cases, lacking = plan.inputs, plan.cases, "" if plan.disk_fits else ": will not fit"
    archives = (inputs["download"] > 0).sum()
    preparing, known = inputs["preparing"].sum(), cases["call"].notna().sum()
    hours = f"{duration_text(preparing + cases['seconds'].sum())} for {known} of {len(cases)} cases"
    foreseen = _counts(cases["foreseen"].replace("", "in time"))
    needed, usable = inputs["memory"].max(), plan.site.memory
    scarce = "; some may not fit" if needed > usable else ""
    return [
        f"download  {_bytes(inputs['download'].sum())} in {archives} archives, guessed by their entries",
        f"disk      {_bytes(plan.disk)} in {cache()}, {_bytes(plan.free_disk)} free{lacking}",
        f"memory    {_bytes(needed)} for one process, {_bytes(usable)} may be used{scarce}",
        f"time      about {hours}, {duration_text(preparing)} to prepare; without downloads and drawing",
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
        return "error     about a factor of 3: the machine has no records, and other machines differ"
    mean, most = np.exp(np.log(checks["factor"]).mean()), checks["factor"].quantile(0.9)
    return (
        f"error     of {len(checks)} measured calls, each predicted by records of other inputs: "
        f"a factor of {mean:.2f} (geometric mean), {most:.1f} for nine in ten; "
        f"predicted {checks['predicted'].sum() / checks['measured'].sum():.2f} of all their seconds"
    )


def _bytes(count: float) -> str:
    return bytes_text(int(count)) if 0 < count < np.inf else "unknown" if count == np.inf else "-"


def duration_text(seconds: float) -> str:
    """Return a time for people: `45 s`, `3.2 min`, `1.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
