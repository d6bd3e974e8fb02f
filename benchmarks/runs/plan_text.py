"""The text of `fillpath plan`: a line per prepared matrix, totals, and what the marks mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.runs.plan import Plan
from benchmarks.runs.plan_line import Line
from fillpath.paths import bytes_text, cache


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
        "-" if line.seconds is None else duration_text(line.seconds) + ("+" if line.unknown else ""),
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
    usable = "an unknown amount" if plan.limits.memory is None else bytes_text(plan.limits.memory)
    largest = max((line.memory or 0 for line in lines), default=0)
    least = "at least " if any(line.at_least or line.memory is None for line in lines) else ""
    predicted = sum(line.cases - len(line.unknown) for line in lines if line.seconds is not None)
    seconds = sum(line.seconds or 0.0 for line in lines)
    bound = min(sum(line.bound for line in lines), plan.settings.limit or float("inf"))
    cases = sum(line.cases for line in lines)
    return [
        f"download  {about}{bytes_text(sum(line.download for line in coming))} in {len(coming)} archives",
        f"disk      {'~' if coming else ''}{bytes_text(plan.disk)} in {cache()}, "
        f"{bytes_text(plan.free_disk)} free{lacking}",
        f"memory    {least}{bytes_text(largest)} for the largest process, {usable} may be used",
        f"time      about {duration_text(seconds)} for {predicted} of {cases} cases, at most "
        f"{duration_text(bound)} for all; downloads and drawing not counted",
    ]


def _notes(plan: Plan) -> list[str]:
    """Footnotes, where they apply."""
    unknown = sorted({name for line in plan.lines for name in line.unknown})
    assumed = sorted({name for line in plan.lines for name in line.assumed})
    notes = [
        (
            any(line.guessed for line in plan.lines),
            "~ of a download: no server was asked or none answered; from the entries, within a factor of 4",
        ),
        (
            any(line.download for line in plan.lines),
            f"> and no time for what is not here: `fillpath fetch {plan.settings.suite}`, then plan again",
        ),
        (
            bool(assumed),
            f"no record here yet of {', '.join(assumed)}: its rate is assumed, within a factor of 3",
        ),
        (
            bool(unknown),
            f"+ no record here yet of {', '.join(unknown)}: in the upper bound only; `make figures` makes it",
        ),
    ]
    return [f"          {text}" for applies, text in notes if applies]


def duration_text(seconds: float) -> str:
    """A time for people: `45 s`, `3.2 min`, `1.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
