"""Compile what the cases of a run call on CPUs, on all cores, before any of them is measured.

Each implementation runs once on small generated matrices, by the code of the worker: Numba's cache then holds
the signatures that measurements ask for. No record is written. Implementations of which one imports the other
share a process, because two processes would compile the same functions twice.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.engine.crew import Alone
from benchmarks.engine.follow import begin_part
from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import job_of, ranks_of
from benchmarks.engine.reference import reference
from benchmarks.engine.worker import measure
from fetch.prepare import prepare
from fillpath.case import Case
from fillpath.errors import FillpathError
from fillpath.nouns import Pattern
from fillpath.numba_locator import reached
from fillpath.registry import lookup
from fillpath.stages import stage_of
from impl.symbolic.bitfronts_cpu import bitfronts_cpu
from impl.symbolic.fill1_pruned import fill1_pruned
from impl.symbolic.gilbert_peierls import gilbert_peierls

# An unsymmetric pattern and a symmetric one; a graph for the stages on graphs.
PATTERNS = ("circuit,300", "poisson3d,6")
GRAPHS = ("grid2d,12,laplacian",)
CHECKERS = (fill1_pruned, bitfronts_cpu, gilbert_peierls)

Task = Callable[[], object]

_log = logging.getLogger("fillpath")


def compile_for(cases: Iterable[Case], processes: int) -> None:
    """Compile what the cases call, in so many processes.

    An implementation that fails on a small matrix is logged: its own measurement reports why.
    """
    small = _small(cases)
    inputs = {(case.matrix, case.preparation): case for case in small}.values()
    on_patterns = [case for case in inputs if stage_of(case.stage).refers]
    waves: list[list[Task]] = [
        [partial(_prepare, case) for case in inputs],
        [partial(_check, checker, on_patterns) for checker in CHECKERS],
        [partial(_refer, on_patterns)],
        [partial(_measure, group) for group in _groups(small)],
    ]
    for tasks in waves:
        _run(tasks, processes)


def _small(cases: Iterable[Case]) -> list[Case]:
    """List the cases on small matrices that call what the given ones do, each once."""
    small: dict[Case, None] = {}
    for case in cases:
        entry = lookup(case.stage, case.implementation)
        if entry.device == "cpu" and entry.available()[0] and ranks_of(case, entry) == 1:
            names = GRAPHS if stage_of(case.stage).on_graph else PATTERNS
            small |= dict.fromkeys(replace(case, matrix=name, seed=0) for name in names)
    return list(small)


def _groups(cases: Iterable[Case]) -> list[list[Case]]:
    """Split cases by implementation, each with another that it imports. The most code comes first."""
    reach = {case: reached(_file(case)) for case in cases}
    files = {_file(case) for case in reach}
    groups: dict[Path, list[Case]] = {}
    for case, closure in reach.items():
        imported = closure & files - {_file(case)}
        groups.setdefault(min(imported, default=_file(case)), []).append(case)
    return sorted(groups.values(), key=lambda group: -max(len(_code(reach[case])) for case in group))


def _file(case: Case) -> Path:
    return Path(str(sys.modules[lookup(case.stage, case.implementation).module].__file__))


def _code(files: Iterable[Path]) -> str:
    return "".join(file.read_text() for file in files)


def _prepare(case: Case) -> None:
    prepare(case.matrix, case.preparation)


def _check(checker: Callable[[Pattern], object], cases: Iterable[Case]) -> None:
    for case in cases:
        checker(prepare(case.matrix, case.preparation).pattern)


def _refer(cases: Iterable[Case]) -> None:
    for case in cases:
        reference(prepare(case.matrix, case.preparation))


def _measure(cases: Iterable[Case]) -> None:
    """Call the implementations as a worker does. One may refuse the matrix, and take another."""
    for case in cases:
        prepared = prepare(case.matrix, case.preparation)
        job = job_of(case, lookup(case.stage, case.implementation), prepared, Limits(samples=1))
        with tempfile.TemporaryDirectory() as folder, contextlib.suppress(FillpathError):
            measure({**job, "series": str(Path(folder, "series"))}, lambda event, **_: None, Alone())


def _run(tasks: Sequence[Task], processes: int) -> None:
    """Do the tasks in forked processes: each takes the next number from a pipe, so a crash loses one task."""
    reading, writing = os.pipe()
    os.write(writing, b"".join(number.to_bytes(2) for number in range(len(tasks))))
    os.close(writing)
    fork = multiprocessing.get_context("fork")
    children = [fork.Process(target=_work, args=(tasks, reading)) for _ in range(min(processes, len(tasks)))]
    for child in children:
        child.start()
    os.close(reading)
    for child in children:
        child.join()
        if child.exitcode:
            _log.warning("compiling: a process ended with exit status %s", child.exitcode)


def _work(tasks: Sequence[Task], numbers: int) -> None:
    begin_part()
    # Some libraries print.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    while number := os.read(numbers, 2):
        try:
            tasks[int.from_bytes(number)]()
        except Exception as error:
            _log.warning("compiling: %s: %s", type(error).__name__, error)
