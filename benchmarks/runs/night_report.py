"""The outcome of a night, its exit status and its summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.runs.regressions import Regression, State


@dataclass(frozen=True)
class Night:
    """The outcome of a night.

    commits : those measured, the base first
    state : what is known now
    new : the regressions since the night's base
    mended : cases that are no longer worse
    count : int, commits that no earlier night measured
    results : int, records with a result
    compared : int, cases that were judged
    exact : what changed that needs no clock, by case
    kernels : what changed of a kernel's registers and spills, one line each
    failed : (commit, reason) of each commit without a result
    notes : sentences for the head of the summary
    """

    commits: tuple[str, ...]
    state: State
    new: tuple[Regression, ...] = ()
    mended: tuple[str, ...] = ()
    count: int = 0
    results: int = 0
    compared: int = 0
    exact: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kernels: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def status(self) -> int:
        """Return the exit status."""
        return 2 if self.failed else int(bool(self.new))

    @property
    def text(self) -> str:
        """Return the summary."""
        base = f" against {self.commits[0][:12]}" if len(self.commits) > 1 else ""
        new = {regression.case for regression in self.new}
        known = [regression for case, regression in self.state.worse.items() if case not in new]
        return "\n".join(
            [
                f"{self.count} new commits{base}, {self.compared} cases compared, {self.results} results",
                *self.notes,
                *(f"NOT MEASURED {commit[:12]}: {reason}" for commit, reason in self.failed),
                *(f"NEW REGRESSION {regression.text}" for regression in self.new),
                *(f"known regression {regression.text}" for regression in known),
                *(f"mended {case}" for case in self.mended),
                *(f"exact change {case}: {', '.join(texts)}" for case, texts in self.exact.items()),
                *(f"exact change {line}" for line in self.kernels),
            ]
        )
