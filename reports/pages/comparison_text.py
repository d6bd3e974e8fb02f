"""A comparison of machines as text: what each achieves at best first, then the same implementation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fillpath.case import Case
from reports.pages.best import COPIED, RESIDENT, Achieved, Answer, Best, BestMean, ratio_of
from reports.pages.best_pools import PROBLEMS
from reports.pages.comparison import Comparison, Mean, Pair
from reports.shapes.bars import seconds, times

SPANS = {RESIDENT: "data where the work is", COPIED: "copied from the host and back"}
ONE_PROCESS = "Some times are of a single process: others would differ by more than its interval says."
HARDWARE = "On a processor all cores work unless the name says otherwise or the implementation is sequential."
EQUAL_CORES = (
    "seconds times cores, which is a bound: as if all work were shared out perfectly (implementations for "
    "the processor alone; sequential ones as they are)"
)
# Inputs named in a line.
NAMED = 4


def text(comparison: Comparison) -> str:
    """For people: the best, the cases side by side, the means, what is left out."""
    return "\n".join([*_best(comparison), *_same(comparison), *_left_out(comparison)])


def sentence(mean: BestMean, first: str) -> str:
    """Who is faster, by how much, on how many inputs."""
    if mean.ratio <= 1:
        names, values = (first, mean.machine), (1 / mean.ratio, 1 / mean.high, 1 / mean.low)
    else:
        names, values = (mean.machine, first), (mean.ratio, mean.low, mean.high)
    value, low, high = map(times, values)
    counts = f"faster on {mean.first_faster} of {mean.n}, {mean.machine} on {mean.other_faster}"
    return f"{names[0]} is {value} as fast as {names[1]} ({low} to {high}); {first} is {counts}"


def implementation(achieved: Achieved) -> str:
    """Who implements it, one option or how many; of a linear system in which order."""
    case = Case.parse(achieved.case)
    options = [f"{name}={value}" for name, value in case.options]
    options += [f"{name}={value}" for name in ("threads", "gpus") if (value := getattr(case, name))]
    order = [] if PROBLEMS[case.stage].ordered else [case.preparation.name]
    several = [f"{len(options)} options"] if len(options) > 1 else options
    return ", ".join([case.implementation, *several, *order])


def _best(comparison: Comparison) -> list[str]:
    first, best = comparison.machines[0], comparison.best
    lines = [f"The best verified time to solution on {_listed(comparison.machines)}, whoever implements it"]
    for stage, problem in PROBLEMS.items():
        answers = [answer for answer in best.answers if answer.problem == stage]
        if answers:
            lines += ["", f"{problem.name}, geometric means over {_count(_inputs(answers), 'input')}:"]
            means = [mean for mean in best.means if mean.problem == stage]
            lines += [f"  {line}" for mean in means for line in mean_lines(mean, first)]
            lines += _columns(_heads(comparison), [_row(pair) for pair in by_input(answers)])
    if not best.answers:
        lines += ["", "no problem that all of them have solved on one input"]
    lines += ["", *([ONE_PROCESS, ""] if best.of_one_process else []), *_not_solved(best), ""]
    return lines


def mean_lines(mean: BestMean, first: str) -> list[str]:
    """What a mean says, and of its costs."""
    lines = [f"{SPANS[mean.span]}: {sentence(mean, first)}"]
    if mean.cost is not None:
        lines.append(f"  a solution on {first} costs {times(mean.cost)} of one on {mean.machine}")
    return lines


def _heads(comparison: Comparison) -> tuple[str, ...]:
    first, *others = comparison.machines
    over = [f"{first} over {other}" for other in others]
    return ("input", *comparison.machines, *over, *(f"{name}, copied" for name in over))


def _row(spans: tuple[Answer, Answer | None]) -> tuple[str, ...]:
    resident, copied = spans
    ratios = [ratio_of(resident.achieved[0], other) for other in resident.achieved[1:]]
    copies = copied.achieved if copied else ()
    return (
        resident.input,
        *(f"{seconds(a.seconds)} {described(a)}" for a in resident.achieved),
        *(f"{times(ratio)} ({times(low)} to {times(high)})" for ratio, low, high in ratios),
        *(times(ratio_of(copies[0], other)[0]) for other in copies[1:]),
    )


def described(achieved: Achieved) -> str:
    """Who implements it, joules and cost of a solution: `gsofa, 1.2 J, cost 0.00012`."""
    energy = [] if achieved.joules is None else [f"{achieved.joules:.3g} J"]
    cost = [] if achieved.cost is None else [f"cost {achieved.cost:.3g}"]
    return ", ".join([implementation(achieved), *energy, *cost])


def by_input(answers: Sequence[Answer]) -> list[tuple[Answer, Answer | None]]:
    """Each answer with its data where the work is, beside that with copies, None where there is none."""
    copied = {(a.problem, a.input): a for a in answers if a.span == COPIED}
    return [(a, copied.get((a.problem, a.input))) for a in answers if a.span == RESIDENT]


def _inputs(answers: Sequence[Answer]) -> int:
    return len({answer.input for answer in answers})


def _not_solved(best: Best) -> list[str]:
    """Inputs that not all have solved, and what is in no pool, by reason."""
    lines = [
        f"  {PROBLEMS[problem].name}: {machine}: {reason}: {_named(inputs)}"
        for (problem, machine, reason), inputs in best.reasons.items()
    ]
    left = [f"  {n.machine}: {_count(n.records, 'record')}: {n.reason}" for n in best.not_pooled]
    others = sum(entry.records for entry in best.not_pooled)
    return [
        f"solved on some of these machines only: {_count(len(best.unanswered), 'input')}",
        *lines,
        f"not pooled, as the time is of other work: {_count(others, 'record')}",
        *left,
    ]


def _same(comparison: Comparison) -> list[str]:
    first, *others = comparison.machines
    heads = ("group", "machine", "ratio", "cases")
    lines = [
        "The same implementation on each, which leaves out what runs on one of them only",
        f"Seconds of {first} over those of {_listed(others)}: above 1, {first} is slower. {HARDWARE}",
        "",
        *_columns(("case", "seconds", "ratio"), [_pair_row(pair, first) for pair in comparison.pairs]),
        "",
        "geometric means over the cases that all have solved:",
        *_columns(heads, [_mean_row(mean) for mean in comparison.means]),
        "",
    ]
    if comparison.scaled:
        lines += [
            f"the same at equal cores, by {EQUAL_CORES}:",
            *_columns(heads, [_mean_row(mean) for mean in comparison.scaled]),
            "",
        ]
    return lines


def _left_out(comparison: Comparison) -> list[str]:
    """Failures one by one, and how many cases have no record."""
    absent = [left for left in comparison.left_out if left.reason == "no record"]
    failed = [left for left in comparison.left_out if left.reason != "no record"]
    counts = [f"  {sum(a.machine == m for a in absent)} cases: {m}: no record" for m in comparison.machines]
    return [
        f"in no mean of the same implementation: {_count(len(comparison.left_out), 'case')}",
        *(line for line in counts if not line.startswith("  0 ")),
        *(f"  {left.case}: {left.machine}: {left.reason}" for left in failed),
    ]


def _pair_row(pair: Pair, first: str) -> tuple[str, str, str]:
    sources = ", other sources" if pair.other_sources else ""
    both = f"{seconds(pair.seconds[0])} {first}, {seconds(pair.seconds[1])} {pair.machine}"
    return pair.case, both, f"{times(pair.ratio)} ({times(pair.low)} to {times(pair.high)}){sources}"


def _mean_row(mean: Mean) -> tuple[str, str, str, str]:
    ends = f"{times(mean.ratio)} ({times(mean.low)} to {times(mean.high)})"
    return mean.group, mean.machine, ends, str(mean.n)


def _columns(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    whole = [row + ("",) * (len(heads) - len(row)) for row in (heads, *rows)]
    widths = [max(map(len, column)) for column in zip(*whole, strict=True)]
    return ["  ".join(f"{c:<{w}}" for c, w in zip(row, widths, strict=True)).rstrip() for row in whole]


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return "; ".join(names[:NAMED]) + more


def _listed(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"
