"""The worker's reports: its protocol.

The worker writes one JSON object per line: an `event`, and the values that belong to it.
"""

import math
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.checks.held import advice_on_pivots
from fillpath.record import Status, Verified


@dataclass
class Outcome:
    """The worker's reports so far.

    began : whether the implementation was called: an earlier failure is not its doing
    calling_since : start of the running call by the monotonic clock, None where none runs
    complete : whether all that a right result needs is there, whatever becomes of the worker later
    done : whether there is nothing to wait for
    bytes : the least that had to be moved, 0 until it is known
    held : numbers among the facts of the gate
    reported : further values of the case's record that are known, by the record's names
    """

    status: Status = Status.ERROR
    reason: str = ""
    conclusive: bool = True
    began: bool = False
    calling_since: float | None = None
    complete: bool = False
    done: bool = False
    seconds: list[float] = field(default_factory=list)
    phases: dict[str, list[float]] = field(default_factory=dict)
    kernel_seconds: list[float] = field(default_factory=list)
    held: dict[str, float] = field(default_factory=dict)
    bytes: int = 0
    reported: dict[str, Any] = field(default_factory=dict)

    def take(self, message: dict[str, Any]) -> None:
        """Take in one message; messages after the last are ignored."""
        event = message["event"]
        if self.done:
            return
        # The first call runs from "began" to "returned", the first sample from "sampling" to "sample".
        self.calling_since = time.monotonic() if event in ("began", "sampling") else None
        if event == "began":
            self.began = True
        elif event not in ("returned", "sampling"):
            getattr(self, f"_on_{event}")(message)

    def stop(self, status: Status, reason: str) -> None:
        """Note why the worker is ended, unless nothing that matters is missing."""
        if not self.complete:
            self.status, self.reason = status, reason
        if self.status is Status.TIMEOUT and self.calling_since is not None:
            self.reported["longer_than"] = time.monotonic() - self.calling_since

    def _on_verified(self, message: dict[str, Any]) -> None:
        # JSON has no NaN and no infinity; neither is below any bound.
        value = message["value"] if math.isfinite(message["value"]) else sys.float_info.max
        verdict = Verified(message["by"], message["method"], value, message["bound"])
        facts = message.get("facts") or {}
        self.reported["verified"] = verdict
        self.held = {name: number for name, number in facts.items() if math.isfinite(number)}
        if not verdict.passes:
            row = message.get("row")
            where = "" if row is None else f", in row {row}"
            advice = advice_on_pivots(message.get("pivot"), message.get("replaced", 0))
            reason = (
                f"{verdict.method}: {verdict.value:g} where at most {verdict.bound:g} is right{where}{advice}"
            )
            self._end(Status.WRONG, reason)

    def _on_sample(self, message: dict[str, Any]) -> None:
        self.seconds.append(message["seconds"])
        for name, spent in message["phases"].items():
            self.phases.setdefault(name, []).append(spent)
        if message["kernel_seconds"] is not None:
            self.kernel_seconds.append(message["kernel_seconds"])

    def _on_sampled(self, message: dict[str, Any]) -> None:
        self.bytes = message["bytes"]
        taken = ("work", "peak_memory", "energy", "clocks", "throttle")
        self.reported |= {name: message[name] for name in taken}
        self._add_facts(self.held)

    def _on_moved(self, message: dict[str, Any]) -> None:
        self.phases |= message["transfers"]

    def _on_counted(self, message: dict[str, Any]) -> None:
        self._add_facts(message["facts"])

    def _on_complete(self, message: dict[str, Any]) -> None:
        self.status, self.complete = Status.OK, True
        self.reported["series"] = message["series"]

    def _on_failed(self, message: dict[str, Any]) -> None:
        if self.complete:
            self.done = True
            return
        self._end(Status(message["status"]), message["reason"])
        self.conclusive = self.began

    def _on_done(self, message: dict[str, Any]) -> None:
        self.status, self.done = Status.OK, True

    def _add_facts(self, facts: Mapping[str, float]) -> None:
        """Add facts to the work, and refuse work that is impossible."""
        work = dict(self.reported["work"])
        work["facts"] = {**(work["facts"] or {}), **facts} or None
        impossible = _impossible(work)
        self.reported["work"] = None if impossible else work
        if impossible:
            self._end(Status.ERROR, f"its work has {', '.join(impossible)}")

    def _end(self, status: Status, reason: str) -> None:
        self.status, self.reason, self.done = status, reason, True


def _impossible(work: dict[str, Any]) -> list[str]:
    """List the counts that are negative or not finite."""
    counts = [(name, value) for name, value in work.items() if name != "facts" and value is not None]
    counts += (work["facts"] or {}).items()
    negative = [f"negative {name}" for name, value in counts if value < 0]
    infinite = [f"no finite {name}" for name, value in counts if not (value < 0 or math.isfinite(value))]
    return negative + infinite
