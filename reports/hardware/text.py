"""A comparison of machines as text: the best of each, then the same implementation on all."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from fillpath.case import Case
from fillpath.columns import columns, counted
from reports.facts.means import geometric_mean
from reports.hardware.comparison import COPIED, RESIDENT, Comparison, by_input
from reports.hardware.solved import NO_RECORD, ORDERED, PROBLEMS, each
from reports.shapes.bars import seconds, times

SPANS = {RESIDENT: "data where the work is", COPIED: "copied from the host and back"}
ONE_PROCESS = "Some times are of a single process: other processes would differ by more than its interval."
SPEED = "Speed: seconds of {first} over seconds of the machine. Below 1x the machine is slower than {first}."
HARDWARE = "On a processor all cores work unless the name says otherwise or the implementation is sequential."
# Inputs named in a line.
NAMED = 4


def text(comparison: Comparison) -> str:
    """Return a comparison for people: the best, the means of the same cases, what is left out."""
    return "\n".join([*_best(comparison), *_same(comparison)])


def speed_line(mean: Any, first: str) -> str:
    """Return a machine's speed against the first on a problem, on how many inputs."""
    counts = f"faster on {mean.other_faster} of {counted(mean.n, 'input')}, slower on {mean.first_faster}"
    older = f", {mean.older} with older sources" if mean.older else ""
    return f"{mean.machine} has {_ratio(mean)} the speed of {first}: {counts}{older}"


def mean_lines(comparison: Comparison, problem: str) -> list[str]:
    """Return each machine's speed on a problem, and its costs."""
    means, first = comparison.best["means"], comparison.machines[0]
    lines = []
    for mean in each(means[means["problem"] == problem]):
        lines.append(f"{SPANS[mean.span]}: {speed_line(mean, first)}")
        if pd.notna(mean.cost):
            lines.append(f"  a solution on {mean.machine} costs {times(1 / mean.cost)} as much as on {first}")
    return lines


def energy_lines(comparison: Comparison) -> list[str]:
    """Return each machine's joules over the first's, on cases of today's sources with both."""
    first, pairs = comparison.machines[0], comparison.pairs[~comparison.pairs["other_sources"]]
    ratios = (pairs["joules"] / pairs["first_joules"]).dropna().groupby(pairs["machine"], observed=True)
    return [
        f"{own} has {times(mean)} the energy of {first}, {times(low)} to {times(top)} on {counted(n, 'case')}"
        for own, mean, low, top, n in ratios.agg([geometric_mean, "min", "max", "size"]).itertuples()
    ]


def described(answer: Any) -> str:
    """Return who implements it, joules and cost of a solution: `gsofa, 1.2 J, cost 0.00012`.

    Says where one of the two machines never tried the other's case, and the day of older sources.
    """
    case = Case.parse(answer.case)
    named = *case.options, ("threads", case.threads), ("gpus", case.gpus)
    options = [f"{name}={value}" for name, value in named if value]
    several = [f"{len(options)} non-default options"] if len(options) > 1 else options
    order = [] if case.stage in ORDERED else [case.preparation.name]
    energy = [f"{answer.joules:.3g} J"] if pd.notna(answer.joules) else []
    cost = [f"cost {answer.cost:.3g}"] if pd.notna(answer.cost) else []
    marks = {"not tried on both": answer.untried, f"older sources of {answer.started_at[:10]}": answer.older}
    notes = [mark for mark, is_so in marks.items() if is_so]
    return ", ".join([case.implementation, *several, *order, *energy, *cost, *notes])


def together(names: Sequence[str]) -> str:
    """Return `a, b and c`."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _best(comparison: Comparison) -> list[str]:
    """Return the best of each input, the inputs that not all have solved, and what is in no pool."""
    best, machines = comparison.best, comparison.machines
    heads = [machines[0], *(f"{name} ({machines[0]} = 1x)" for name in machines[1:])]
    answers, unanswered, left = best["answers"], best["unanswered"], best["not_pooled"]
    lines = [f"The best verified time to solution on {together(machines)}, by any implementation"]
    for problem in PROBLEMS:
        found = by_input(answers[answers["problem"] == problem])
        if rows := [(name, *(_cell(own, each) for each in machines)) for _, name, own in found]:
            count = counted(len(rows), "input")
            lines += ["", f"{PROBLEMS[problem]}, {count}, geometric means over cases tried on both:"]
            lines += [f"  {line}" for line in mean_lines(comparison, problem)]
            lines += columns([("input", *heads), *rows])
    if answers.empty:
        lines += ["", "no problem that two machines have solved on one input"]
    lines += ["", ONE_PROCESS, ""] if comparison.of_one_process else [""]
    lines.append(f"solved on some of these machines only: {counted(len(unanswered), 'input')}")
    by = ["problem", "machine", "reason"]
    for (stage, machine, reason), inputs in unanswered.groupby(by, sort=False, observed=True)["input"]:
        more = f" and {len(inputs) - NAMED} more" if len(inputs) > NAMED else ""
        lines.append(f"  {PROBLEMS[str(stage)]}: {machine}: {reason}: {'; '.join(inputs[:NAMED])}{more}")
    lines.append(f"not pooled, because the time is of other work: {counted(sum(left['records']), 'record')}")
    return [*lines, *(f"  {n.machine}: {counted(n.records, 'record')}: {n.reason}" for n in each(left)), ""]


def _same(comparison: Comparison) -> list[str]:
    """Return the means of the same cases, failures one by one, and how many cases have no record."""
    first, left = comparison.machines[0], comparison.left_out
    means = [(m.group, m.machine, _ratio(m), str(m.n), str(m.older)) for m in each(comparison.means)]
    absent = left["reason"] == NO_RECORD
    counts = left[absent].groupby("machine", observed=True).size()
    return [
        "The same implementation on each machine, without codes that ran on one machine alone",
        f"{SPEED.format(first=first)} {HARDWARE}",
        "",
        "geometric means over the cases that both have solved (each is in ratios.csv):",
        *columns([("group", "machine", f"speed ({first} = 1x)", "cases", "older sources"), *means]),
        "",
        *energy_lines(comparison),
        f"left out of a mean of the same implementation: {counted(left['case'].nunique(), 'case')}",
        *(f"  {counted(count, 'case')}: {machine}: {NO_RECORD}" for machine, count in counts.items()),
        *(f"  {row.case}: {row.machine}: {row.reason}" for row in each(left[~absent])),
    ]


def _cell(own: Mapping[tuple[str, str], Any], machine: str) -> str:
    """Return a machine's answer on an input as `2.8 ms gsofa: 1.1x (1x to 1.3x; with copies 0.9x)`."""
    answer, moved = own.get((RESIDENT, machine)), own.get((COPIED, machine))
    if answer is None:
        return "-"
    copied = f"; with copies {times(moved.ratio)}" if moved else ""
    speed = f": {_ratio(answer).removesuffix(')')}{copied})" if pd.notna(answer.ratio) else ""
    return f"{seconds(answer.seconds)} {described(answer)}{speed}"


def _ratio(row: Any) -> str:
    """Return a speed with its interval."""
    return f"{times(row.ratio)} ({times(row.ratio_low)} to {times(row.ratio_high)})"
