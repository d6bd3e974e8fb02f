"""Which cases answer one question, whoever implements them: the same problem, on the same input, and no other
work."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fillpath import registry, source
from fillpath.case import Case
from fillpath.errors import UnknownNameError
from fillpath.record import Record, Status
from fillpath.registry import Implementation
from reports.facts.record_rows import TRANSFERS


@dataclass(frozen=True)
class Problem:
    """What a user wants solved.

    name : as a user calls it.
    ordered : whether the matrix in its order is the input. A linear system is the same one in any order, so
        that there the order belongs to the solution.
    """

    name: str
    ordered: bool


PROBLEMS: Mapping[str, Problem] = {
    "symbolic": Problem("symbolic pattern of A", ordered=True),
    "numeric": Problem("factor, its pattern given", ordered=True),
    "solve": Problem("A x = b", ordered=False),
    "laplacian": Problem("Laplacian system", ordered=False),
}
SUSPECT = "suspect: faster than its bytes can be moved"
# Options that make other work of a stage's problem, and which.
_OTHER_WORK: Mapping[str, str] = {
    "output": "row counts only",
    "virtual_gpus": "simulates several GPUs in turn",
    "nodes": "simulates several nodes in turn",
    "ranks": "by MPI ranks, a launch of its own",
    "sharing": "finds supernodes too",
}


@dataclass(frozen=True)
class Question:
    """A problem on one input.

    stage : of PROBLEMS.
    key : what makes two inputs one.
    label : of the input, for people. One input may have several, such as two names of one order.
    """

    stage: str
    key: Hashable
    label: str = field(compare=False)


def question(record: Record) -> Question | None:
    """What a record answers; None for one without a verified result, and for a stage that is no problem of a
    user's."""
    case = Case.parse(record.case)
    if case.stage not in PROBLEMS or record.status is not Status.OK or record.prepared is None:
        return None
    matrix, notes = _matrix(case, record.prepared), _notes(case, record)
    label = f"{case.matrix}.{case.preparation.name}" if PROBLEMS[case.stage].ordered else case.matrix
    return Question(case.stage, (*matrix, *notes), ", ".join([label, *filter(None, notes)]))


def unlike(record: Record) -> str:
    """Why the record's time is not of the whole problem alone; empty where it is."""
    case = Case.parse(record.case)
    implementation = implementation_of(case)
    if record.suspect:
        return SUSPECT
    if case.stage in ("symbolic", "numeric") and implementation is not None and implementation.peer:
        return "a peer, which factorises from the matrix on"
    for name, work in _OTHER_WORK.items():
        if name in dict(case.options):
            return work
    if case.seed:
        return "one of several draws of random numbers"
    if case.threads and not is_sequential(implementation):
        return "limited to fewer threads than the machine has"
    return ""


def implementation_of(case: Case) -> Implementation | None:
    """The case's implementation; None where it is not here."""
    try:
        return registry.lookup(case.stage, case.implementation)
    except UnknownNameError:
        return None


def is_sequential(implementation: Implementation | None) -> bool:
    """Whether it works on one core throughout: its summary says so, and no loop of its code is parallel."""
    return implementation is not None and _is_sequential(implementation.stage, implementation.name)


@functools.cache
def _is_sequential(stage: str, name: str) -> bool:
    entry = registry.lookup(stage, name)
    texts = source.texts(entry.function, entry.takes, entry.kernels)
    return "(sequential" in entry.summary and not any("prange" in text for text in texts)


def cores(record: Record) -> int | None:
    """CPU cores that it could use; None for one that works on a GPU, and where they are not recorded."""
    if record.device is not None:
        return None
    return 1 if is_sequential(implementation_of(Case.parse(record.case))) else record.threads_used


def joules(record: Record) -> float | None:
    """Of one solution; None where no counter was read."""
    return float(np.median(record.energy)) if record.energy else None


def with_copies(record: Record) -> list[float]:
    """Seconds of each sample with those of copying the input to the device and the result back; none where a
    GPU's copies were not measured."""
    if record.device is None:
        return record.samples
    copies = [record.phases.get(name) for name in TRANSFERS]
    medians = [float(np.median(seconds)) for seconds in copies if seconds]
    whole = len(medians) == len(TRANSFERS)
    return [seconds + sum(medians) for seconds in record.samples] if whole else []


def input_name(record: Record) -> tuple[str, ...]:
    """What a case's name says of a problem's input: also of a record without a prepared matrix."""
    case = Case.parse(record.case)
    ordered = case.stage in PROBLEMS and PROBLEMS[case.stage].ordered
    return case.stage, case.matrix, case.preparation.name if ordered else ""


def failure(record: Record) -> str:
    """Why a record has no time; empty where it has."""
    if record.status is Status.OK:
        return ""
    status = str(record.status).replace("_", " ")
    return f"{status}: {record.reason}" if record.reason else status


def _matrix(case: Case, prepared: Mapping[str, Any]) -> tuple[Hashable, ...]:
    """What makes two matrices one: the prepared one's content, or that of its source in any order."""
    if PROBLEMS[case.stage].ordered:
        return (prepared["hash"],)
    return prepared.get("checksum") or case.matrix, prepared.get("entries"), case.preparation.diagonal


def _notes(case: Case, record: Record) -> list[str]:
    """What the input is beside the matrix; empty where it is as usual."""
    if case.stage == "laplacian":
        rhs = _option(case, "rhs", "random")
        return ["" if rhs == "random" else f"rhs={rhs}"]
    if case.stage == "solve":
        dtype = _option(case, "dtype", "float64")
        return ["" if dtype == "float64" else dtype]
    if case.stage == "numeric":
        replaced = int(((record.work or {}).get("facts") or {}).get("small_pivots", 0))
        return [_option(case, "dtype", "float64"), f"{replaced} pivots replaced" if replaced else ""]
    return []


def _option(case: Case, name: str, default: str) -> str:
    """Its value as text, the implementation's default where the case does not say."""
    implementation = implementation_of(case)
    if name in dict(case.options) or implementation is None:
        return dict(case.options).get(name, default)
    defaults = {option.name: option.text(option.default) for option in implementation.options}
    return defaults.get(name, default)
