"""Compile what the cases of a run call on CPUs, on all cores, before any of them is measured.

Each implementation runs once on small generated matrices, by the code of the worker. Numba's cache then holds
the signatures that measurements ask for. No record is written. Two implementations share a process if one
imports the other, because two processes would compile the same functions twice.
"""

import contextlib
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from benchmarks.engine import machine
from benchmarks.engine.follow import begin_part
from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import job_of, ranks_of
from benchmarks.engine.tasks import measure
from fetch.prepare import prepare
from fillpath import LOG
from fillpath.case import Case
from fillpath.errors import FillpathError
from fillpath.numba_locator import reached
from fillpath.registry import lookup
from fillpath.stages import stage_of

# An unsymmetric pattern and a symmetric one; a graph for the stages on graphs.
PATTERNS = ("circuit,300", "poisson3d,6")
GRAPHS = ("grid2d,12,laplacian",)


def compile_for(cases: Iterable[Case]) -> None:
    """Compile what the cases call.

    An implementation that fails on a small matrix is logged: its own measurement reports why.
    """
    small = _small(cases)
    inputs = {(case.matrix, case.preparation) for case in small}
    _run([partial(prepare, *each) for each in inputs])
    _run([partial(_measure, group) for group in _groups(small)])


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
    """Split cases by implementation, each with another that it imports. The most imports come first."""
    modules = {case: sys.modules[lookup(case.stage, case.implementation).module] for case in cases}
    files = {case: Path(str(module.__file__)) for case, module in modules.items()}
    groups: dict[Path, list[Case]] = {}
    for case, file in files.items():
        imported = reached(file) & {*files.values()} - {file}
        groups.setdefault(min(imported, default=file), []).append(case)
    return sorted(groups.values(), key=lambda group: -max(len(reached(files[case])) for case in group))


def _measure(cases: Iterable[Case]) -> None:
    """Call the implementations as a worker does. An implementation may refuse a matrix."""
    for case in cases:
        job = job_of(case, lookup(case.stage, case.implementation), Limits(samples=1))
        with tempfile.TemporaryDirectory() as folder, contextlib.suppress(FillpathError):
            measure({**job, "series": str(Path(folder, "series"))}, lambda event, **_: None)


def _run(tasks: Iterable[Callable[[], object]]) -> None:
    """Do each task in a forked process of its own, one per core at a time, so that a crash loses one task."""
    fork = multiprocessing.get_context("fork")
    children: list[BaseProcess] = []
    for task in tasks:
        while len(alive := [child.sentinel for child in children if child.is_alive()]) >= machine.cores():
            wait(alive)
        children.append(fork.Process(target=_work, args=(task,)))
        children[-1].start()
    for child in children:
        child.join()
        if child.exitcode:
            LOG.warning("compiling: a process ended with exit status %s", child.exitcode)


def _work(task: Callable[[], object]) -> None:
    begin_part()
    # Some libraries print.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    try:
        task()
    except Exception as error:
        LOG.warning("compiling: %s: %s", type(error).__name__, error)
