"""Implementations that go wrong in every way that a real one can. Importing this module registers them."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numba
import numpy as np
from scipy.linalg.blas import dgemm

from fillpath.errors import MemoryBudgetError, UnsupportedError
from fillpath.nouns import Filled, Pattern, Prepared, Series, Supernodes, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.peers.superlu import superlu
from impl.supernodes.t3 import t3
from impl.symbolic.fill1 import fill1


def register() -> None:
    """Register every fake; tests call it after the registry was put back."""
    for function, arguments in FAKES:
        implementation(**{"stage": "symbolic", **arguments})(function)


def right(pattern: Pattern, *, repeats: int = 1) -> Any:
    """A right answer."""
    return fill1(pattern)


def missing_row(pattern: Pattern) -> Any:
    """The input's own pattern: no fill."""
    diagonal = np.flatnonzero(pattern.rows() == pattern.indices)
    filled, work = fill1(pattern)
    return replace(filled, pattern=pattern, upper_start=diagonal), work


def not_a_pattern(pattern: Pattern) -> Any:
    """Something else altogether."""
    return "filled", Work()


def wild_indices(pattern: Pattern) -> Any:
    """Column indices outside the matrix."""
    filled, work = fill1(pattern)
    wild = replace(filled.pattern, indices=filled.pattern.indices + 1_000_000)
    return replace(filled, pattern=wild), work


_calls = 0


def wrong_later(pattern: Pattern) -> Any:
    """Right at first, wrong from the third call on: a race would look so."""
    global _calls
    _calls += 1
    return missing_row(pattern) if _calls > 2 else fill1(pattern)


def changes_its_input(pattern: Pattern) -> Any:
    """A right answer, but its input is another afterwards."""
    found = fill1(pattern)
    pattern.indices[:] = pattern.indices[::-1].copy()
    return found


def crashes(pattern: Pattern) -> Any:
    """SIGSEGV."""
    os.kill(os.getpid(), signal.SIGSEGV)


def killed(pattern: Pattern) -> Any:
    """SIGKILL, as from outside."""
    os.kill(os.getpid(), signal.SIGKILL)


def leaves(pattern: Pattern) -> Any:
    """Ends the process without a word."""
    os._exit(0)


def hoards(pattern: Pattern) -> Any:
    """Touches memory without end."""
    hoard = []
    while True:
        hoard.append(np.ones(2**22))
        time.sleep(0.01)


def cannot_allocate(pattern: Pattern) -> Any:
    """MemoryError."""
    np.empty(2**60, np.uint8)


def over_budget(pattern: Pattern) -> Any:
    """A budget below one unit of work."""
    raise MemoryBudgetError("a source needs 12 n bytes")


def hangs(pattern: Pattern) -> Any:
    """Never returns."""
    time.sleep(3600)


def raises(pattern: Pattern) -> Any:
    """An unexpected exception."""
    raise RuntimeError("no such thing")


def unsupported(pattern: Pattern) -> Any:
    """Declines."""
    raise UnsupportedError("symmetric input only")


def absent(pattern: Pattern) -> Any:
    """Cannot run here."""
    raise AssertionError("an unavailable implementation was called")


def negative_work(pattern: Pattern) -> Any:
    """A right answer and a count that cannot be."""
    return fill1(pattern)[0], Work(edges=-1)


def negative_facts(pattern: Pattern) -> Any:
    """A right answer and a share that is no number."""
    return fill1(pattern)[0], Work(edges=1, facts={"queue_peak": -2, "reinit_share": float("nan")})


def device_facts(pattern: Pattern) -> Any:
    """A right answer and what a device would count."""
    filled, work = fill1(pattern)
    return filled, replace(work, facts={"queue_peak": np.int64(7), "reinit_share": np.float32(0.25)})


def watches(pattern: Pattern) -> Any:
    """A right answer; its facts: this process, its parent, the other workers of that, how many of them are
    not stopped, and a variable of the job."""
    listed = subprocess.run(
        ["ps", "-ww", "-o", "pid=,stat=,args=", "--ppid", str(os.getppid())], capture_output=True, text=True
    )
    rows = [line.split(None, 2) for line in listed.stdout.splitlines() if "engine.worker" in line]
    others = [stat for pid, stat, _ in rows if int(pid) != os.getpid()]
    running = [stat for stat in others if not stat.startswith("T")]
    filled, work = fill1(pattern)
    facts = {"pid": os.getpid(), "parent": os.getppid(), "others": len(others), "running": len(running)}
    facts["processes"] = int(os.environ.get("FILLPATH_PROCESSES", "0"))
    return filled, replace(work, facts=facts)


def threaded(pattern: Pattern) -> Any:
    """A right answer; its facts: Numba's threads, and all of this process once both BLAS have worked."""
    ones = np.ones((500, 500))
    dgemm(1.0, ones, ones @ ones)
    filled, work = fill1(pattern)
    facts = {"numba": numba.get_num_threads(), "all": len(list(Path("/proc/self/task").iterdir()))}
    return filled, replace(work, facts=facts)


def kills_its_parent(pattern: Pattern) -> Any:
    """SIGKILL to its template."""
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)


def slow(pattern: Pattern) -> Any:
    """Takes half a second."""
    with phase("sleep"):
        time.sleep(0.5)
    return fill1(pattern)


def chatty(pattern: Pattern) -> Any:
    """Prints a lot, which must neither block nor be read as a report."""
    sys.stdout.write('{"event": "done"}\n' * 100_000)
    sys.stdout.flush()
    return fill1(pattern)


def counted(pattern: Pattern) -> Any:
    """Right row counts where the pattern is asked for."""
    return fill1(pattern, output="counts")


def miscounted(pattern: Pattern, *, output: str = "counts") -> Any:
    """Row counts, one of them wrong."""
    counts, work = counted(pattern)
    counts.upper[3] += 1
    return counts, work


def kept(pattern: Pattern) -> Any:
    """A right answer and what each source took."""
    filled, work = fill1(pattern)
    edges = np.arange(pattern.n)
    return filled, replace(work, edges=int(edges.sum()), series=Series(edges=edges, frontier=edges / 4))


def kept_by_a_wrong_one(pattern: Pattern) -> Any:
    """A series of what turns out wrong."""
    return wrong_later(pattern)[0], kept(pattern)[1]


def a_peer_in_disguise(prepared: Prepared) -> Any:
    """A factorisation where a pattern is asked for."""
    return superlu(prepared)


def imprecise(prepared: Prepared) -> Any:
    """A peer whose solutions are off by a millionth."""
    factorised, work = superlu(prepared)
    return replace(factorised, solve=lambda b: 1.000001 * factorised.solve(b)), work


def one_each(filled: Filled, *, maxsup: int = 128) -> Any:
    """Every row a supernode of its own."""
    return Supernodes(np.arange(filled.pattern.n + 1)), Work()


def all_in_one(filled: Filled, *, maxsup: int = 128) -> Any:
    """A single supernode."""
    return Supernodes(np.array([0, filled.pattern.n])), Work()


def no_cap(filled: Filled) -> Any:
    """Supernodes without the option that the stage is defined by."""
    return t3(filled)


FAKES: list[tuple[Any, dict[str, Any]]] = [
    (watches, {}),
    *((f, {}) for f in (
        right, missing_row, not_a_pattern, wild_indices, wrong_later, changes_its_input, crashes, killed,
        leaves, hoards, cannot_allocate, over_budget, hangs, raises, unsupported, negative_work,
        negative_facts, device_facts, slow, chatty, threaded, kills_its_parent, counted, miscounted, kept,
        kept_by_a_wrong_one, a_peer_in_disguise,
    )),
    (imprecise, {"peer": "scipy"}),
    *((f, {"stage": "supernodes"}) for f in (one_each, all_in_one, no_cap)),
    (absent, {"available": lambda: (False, "needs a machine that does not exist")}),
]  # fmt: skip

register()
