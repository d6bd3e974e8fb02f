"""The calls of a case that CUPTI watches: one child process for each counter, `faults` and `durations`.

The child calls the implementation once, so that kernels are compiled and memory is allocated. Then it makes
`repeats` calls without CUPTI and `repeats` calls under it. The first and the last result are verified. Its
parent stores what it counted with the key of the case's record: reports show counts only with that record.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.engine.follow import die_with_parent
from benchmarks.probes.counting import CountingError, child_status, measured, run_child, store, subject
from fillpath.case import Case
from fillpath.hardware import identity
from fillpath.host import node_lock
from fillpath.lock import exclusive
from fillpath.paths import write_text
from fillpath.registry import Implementation, load_all, lookup
from impl.cuda.cupti import available

SECONDS = 1800.0


@dataclass(frozen=True)
class Counter:
    """A counter of CUPTI.

    tool : name of the module, of the command and of the folder of its files
    rows : name of the list of counted calls in a file
    repeats : calls without CUPTI, and as many under it
    counting : context of a counted call of the case, which yields its counts
    row : the stored row of a call, from its counts, without its seconds
    facts : the medians that reports read, from the file of the child
    first : further measurements before CUPTI is loaded, which then stays in the process
    anew : whether the calls under CUPTI get another operand, and one more call before them
    """

    tool: str
    rows: str
    repeats: int
    counting: Callable[[Case], AbstractContextManager[Any]]
    row: Callable[[Any], dict[str, Any]]
    facts: Callable[[Mapping[str, Any], Implementation], dict[str, float]]
    first: Callable[[], dict[str, Any]] = dict
    anew: bool = False

    def collect(self, case: Case) -> Path:
        """Count a case in a child, alone on this node, and store the counts. Return the file.

        Raises CountingError where CUPTI is missing, where the child fails or takes too long, and where the
        case has no ok record of today's sources.
        """
        implementation = lookup(case.stage, case.implementation)
        record = measured(case, implementation)
        loadable, why_not = available()
        if not loadable:
            raise CountingError(f"{case.name}: {why_not}")
        with tempfile.TemporaryDirectory() as folder, exclusive(node_lock("measurement")):
            target = Path(folder) / "counted.json"
            ended = run_child(self.command(case, target), SECONDS, f"{case.name}: counting")
            # The child writes its file last and whole. How it ends after that, and CUPTI in it, is no matter.
            if not target.is_file():
                why = ended.why(f"{self.tool}: ") or f"the child ended with exit status {ended.status}"
                raise CountingError(f"{case.name}: {why}")
            counted: dict[str, Any] = json.loads(target.read_text())
        # The record may be of another host with this machine's name.
        about = {"host": identity(), "facts": self.facts(counted, implementation)}
        return store(self.tool, record, {**counted, **about})

    def command(self, case: Case, target: Path) -> list[str]:
        """Return the command of the child, which writes its counts as JSON to the target."""
        return [sys.executable, "-m", f"benchmarks.probes.{self.tool}", str(target), case.name]

    def main(self, arguments: Sequence[str]) -> int:
        """Do the child's part for the file to write and the case. Return the exit status."""
        target, name = arguments
        die_with_parent()
        load_all()
        return child_status(
            self.tool, lambda: write_text(Path(target), json.dumps(self.counted(Case.parse(name))))
        )

    def counted(self, case: Case) -> dict[str, Any]:
        """Call the case, and return its rows, `uncounted_seconds`, and what was measured first.

        Raises CountingError for a wrong result, UnavailableError where CUPTI refuses.
        """
        call, check = subject(case)
        check(call()[0], "before CUPTI counted")
        uncounted = [_clocked(call)[0] for _ in range(self.repeats)]
        first = self.first()
        if self.anew:
            del call, check
            call, check = subject(case)
            with self.counting(case):
                call()
        rows, outcome = [], (None, None)
        for _ in range(self.repeats):
            # The memory of a result is free before the next call asks for its own.
            outcome = (None, None)
            with self.counting(case) as counts:
                seconds, outcome = _clocked(call)
            rows.append({**self.row(counts), "seconds": seconds})
        check(outcome[0], "while CUPTI counted")
        return {self.rows: rows, "uncounted_seconds": uncounted, **first}


def _clocked(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds until the device is done, and the outcome of the call."""
    start = time.perf_counter()
    outcome = call()
    return time.perf_counter() - start, outcome
