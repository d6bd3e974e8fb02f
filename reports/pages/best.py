"""What each machine achieves at best on a problem, whoever implements it: the nouns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import pandas as pd

# Where input and result are: on the device that works, or on the host before and after.
RESIDENT, COPIED = "resident", "copied"
COLUMNS = (
    "problem", "input", "span", "machine", "case", "seconds", "low", "high", "processes", "device", "cores",
    "joules", "cost",
)  # fmt: skip


@dataclass(frozen=True)
class Achieved:
    """The least verified seconds of a machine.

    low, high : the interval of the seconds
    processes : that measured them
    device : the GPU; None for the processor
    cores : that it could use, None on a GPU
    joules, cost : of one solution; None where no counter was read, and without a price
    """

    machine: str
    case: str
    seconds: float
    low: float
    high: float
    processes: int
    device: str | None
    cores: int | None
    joules: float | None
    cost: float | None


@dataclass(frozen=True)
class Answer:
    """A problem on an input that every machine has solved.

    problem : its stage
    span : RESIDENT or COPIED
    achieved : by each machine, in their order
    """

    problem: str
    input: str
    span: str
    achieved: tuple[Achieved, ...]


@dataclass(frozen=True)
class BestMean:
    """The geometric mean over a problem's inputs of the first machine's best seconds over another's.

    low, high : the geometric means of the ends that the intervals allow
    first_faster, other_faster : inputs whose interval says so; the others are undecided
    cost : the same mean of what a solution costs, None without prices of both
    """

    problem: str
    span: str
    machine: str
    ratio: float
    low: float
    high: float
    n: int
    first_faster: int
    other_faster: int
    cost: float | None


@dataclass(frozen=True)
class Unanswered:
    """An input that another machine has solved and this one has not."""

    problem: str
    input: str
    machine: str
    reason: str


@dataclass(frozen=True)
class NotPooled:
    """Records of a machine whose time is not of the whole problem alone: how many, and why."""

    machine: str
    reason: str
    records: int


@dataclass(frozen=True)
class Best:
    """What machines achieve at best."""

    answers: tuple[Answer, ...] = ()
    means: tuple[BestMean, ...] = ()
    unanswered: tuple[Unanswered, ...] = ()
    not_pooled: tuple[NotPooled, ...] = ()

    @property
    def reasons(self) -> Mapping[tuple[str, str, str], Sequence[str]]:
        """The inputs that a machine has not solved, by problem, machine and reason."""
        groups: dict[tuple[str, str, str], list[str]] = {}
        for entry in self.unanswered:
            groups.setdefault((entry.problem, entry.machine, entry.reason), []).append(entry.input)
        return groups

    @property
    def of_one_process(self) -> bool:
        """Whether a time is of a single process, whose interval is too narrow."""
        return any(achieved.processes == 1 for answer in self.answers for achieved in answer.achieved)

    def frame(self) -> pd.DataFrame:
        """One row per problem, input, span and machine, as the CSV has it."""
        rows = [
            {"problem": answer.problem, "input": answer.input, "span": answer.span, **asdict(achieved)}
            for answer in self.answers
            for achieved in answer.achieved
        ]
        return pd.DataFrame(rows, columns=list(COLUMNS))


def ratio_of(first: Achieved, other: Achieved) -> tuple[float, float, float]:
    """Of their seconds, with what the two intervals allow: processes of two machines are no pairs."""
    return first.seconds / other.seconds, first.low / other.high, first.high / other.low
