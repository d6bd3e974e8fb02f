"""The text of `fillpath plan`: a line per prepared matrix, totals, how good they are, what the marks mean.

Longer than two screens: the same numbers as lines for people and as CSV.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Callable, Sequence

from benchmarks.runs.plan import Plan
from benchmarks.runs.plan_case import CaseForecast
from benchmarks.runs.plan_line import Line
from benchmarks.runs.rates import Check
from fillpath.paths import bytes_text, cache

# Seconds of a call that weighs in a night, and how many of the worst predictions are shown.
LONG, WORST = 1.0, 3
CASE_COLUMNS = (
    "case", "seconds", "call_seconds", "error_factor", "rate", "work", "memory_bytes", "disk_bytes_of_matrix",
    "limit_seconds", "processes", "foreseen", "measured_call_seconds", "predicted_by_others",
)  # fmt: skip


def plan_text(plan: Plan) -> str:
    """The plan for people."""
    header = ("matrix", "order", "entries", "download", "disk", "memory", "time", "")
    return "\n".join([*_aligned([header, *map(_cells, plan.lines)]), "", *_totals(plan), *_notes(plan)])


def _cells(line: Line) -> tuple[str, ...]:
    return (
        line.name,
        "-" if line.order is None else str(line.order),
        "-" if line.entries is None else str(line.entries),
        ("~" if line.guessed else "") + bytes_text(line.download) if line.download else "-",
        ("~" if line.download else "") + bytes_text(line.disk) if line.disk else "-",
        (">" if line.at_least else "") + bytes_text(line.memory) if line.memory else "-",
        duration_text(line.seconds) if line.cases else "-",
        "; ".join(line.remarks),
    )


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Columns of numbers to the right; the first and the last, which are text, to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    put: list[Callable[[str, int], str]] = [str.ljust, *[str.rjust] * (len(widths) - 2), str.ljust]
    return [
        "  ".join(pad(cell, width) for pad, cell, width in zip(put, row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _totals(plan: Plan) -> list[str]:
    lines, coming = plan.lines, [line for line in plan.lines if line.download]
    about = "~" if any(line.guessed for line in lines) else ""
    lacking = "" if plan.disk_fits else ": will not fit"
    free = "" if plan.free_disk is None else f" in {cache()}, {bytes_text(plan.free_disk)} free"
    usable = "an unknown amount" if plan.site.memory is None else bytes_text(plan.site.memory)
    largest = max((line.memory or 0 for line in lines), default=0)
    least = "at least " if any(line.at_least or line.memory is None for line in lines) else ""
    cases = [case for line in lines for case in line.cases]
    seconds = sum(line.seconds for line in lines)
    preparing = sum(line.preparing for line in lines)
    counted = sum(case.call is not None for case in cases)
    bound = min(sum(line.bound for line in lines), plan.settings.limit or float("inf"))
    return [
        f"download  {about}{bytes_text(sum(line.download for line in coming))} in {len(coming)} archives",
        f"disk      {'~' if coming else ''}{bytes_text(plan.disk)}{free}{lacking}",
        f"memory    {least}{bytes_text(largest)} for the largest process, {usable} may be used",
        f"time      about {duration_text(seconds)} for {counted} of {len(cases)} cases, "
        f"{duration_text(preparing)} of it to prepare, at most {duration_text(bound)} for all; "
        "downloads and drawing not counted",
        *_of_cases(plan, cases),
        *_errors(plan.checks),
    ]


def _of_cases(plan: Plan, cases: Sequence[CaseForecast]) -> list[str]:
    """How they are measured, what will have no number, and by what they are predicted."""
    if not cases:
        return []
    counts = Counter(case.most_processes for case in cases)
    each = ", ".join(f"{counts[number]} in {number}" for number in sorted(counts, reverse=True))
    late, small = (sum(c.foreseen == name for c in cases) for name in ("timeout", "out_of_memory"))
    limits = Counter(case.limit for case in cases if case.foreseen == "timeout")
    ends = ", ".join(f"{limits[limit]} at {limit:g} s" for limit in sorted(limits))
    rates = Counter(case.source.partition(" ")[0] for case in cases)
    works = Counter(case.work for case in cases)
    elsewhere = f"; {plan.elsewhere} cases {plan.site.name} cannot run" if plan.elsewhere else ""
    return [
        f"layout    processes: {each}{elsewhere}",
        f"          {late} foreseen as timeouts ({ends or 'none'}), {small} as out of memory by plan",
        f"known by  rates: {_counts(rates)}; work: {_counts(works)}",
    ]


def _counts(words: Counter[str]) -> str:
    return ", ".join(f"{count} {word}" for word, count in words.most_common())


def _errors(checks: Sequence[Check]) -> list[str]:
    """What the machine's other records predict of each measured call, beside it."""
    if not checks:
        return []
    factors = sorted(check.factor for check in checks)
    mean = math.exp(sum(map(math.log, factors)) / len(factors))
    most = factors[math.ceil(0.9 * len(factors)) - 1]
    long = [check for check in checks if check.measured >= LONG]
    sums = sum(check.predicted for check in checks) / sum(check.measured for check in checks)
    worst = sorted(checks, key=lambda check: -check.factor)[:WORST]
    return [
        f"error     of {len(checks)} measured calls, each predicted by the others: a factor of {mean:.2f} "
        f"(geometric mean), {most:.1f} for nine in ten; predicted {sums:.2f} of all their seconds; "
        f"{len(long)} of them take {LONG:g} s or more",
        *(
            f"          {check.case}: {check.measured:.3g} s, predicted {check.predicted:.3g} s"
            for check in worst
        ),
    ]


def _notes(plan: Plan) -> list[str]:
    """Footnotes, where they apply."""
    assumed = sorted(
        {c.case.implementation for line in plan.lines for c in line.cases if c.source == "assumed"}
    )
    notes = [
        (
            any(line.guessed for line in plan.lines),
            "~ of a download: no server was asked or none answered; from the entries, within a factor of 4",
        ),
        (
            any(line.at_least for line in plan.lines),
            "> of what is not here: its fill is printed, or assumed from its kind; "
            f"`fillpath fetch {plan.settings.suite}`, then plan again",
        ),
        (
            bool(assumed),
            f"no record here yet of {', '.join(assumed)}: its rate is assumed, within a factor of 3",
        ),
    ]
    return [f"          {text}" for applies, text in notes if applies]


def cases_csv(plan: Plan) -> str:
    """Every case as CSV: what it is predicted to take, the factor of one standard deviation, and by what."""
    measured = {check.case: check for check in plan.checks}
    rows = io.StringIO()
    writer = csv.writer(rows, lineterminator="\n")
    writer.writerow(CASE_COLUMNS)
    for line in plan.lines:
        for each in line.cases:
            check = measured.get(each.case.name)
            call = None if each.call is None else f"{each.call:.4g}"
            known = ("", "") if check is None else (f"{check.measured:.4g}", f"{check.predicted:.4g}")
            writer.writerow(
                [each.case.name, f"{each.seconds:.4g}", call, f"{math.exp(each.spread):.2f}", each.source,
                 each.work, each.memory, line.disk, f"{each.limit:g}", each.processes, each.foreseen, *known]
            )  # fmt: skip
    return rows.getvalue()


def duration_text(seconds: float) -> str:
    """A time for people: `45 s`, `3.2 min`, `1.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
