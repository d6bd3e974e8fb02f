"""What became of a night, and its summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.runs.regressions import Change


@dataclass(frozen=True)
class Night:
    """What became of a night.

    commits : that were measured, the base first
    change : in what is known
    new : number of those that no earlier night measured
    results : number of records with a result
    compared : number of cases that the rule judged
    exact : what changed that needs no clock, by case
    kernels : what changed of a kernel's registers and spills, one line each
    steps : where a series of asv's changes its level, one line each
    failed : (commit, reason) of those without a result
    notes : what else has to be known, as sentences
    """

    commits: tuple[str, ...]
    change: Change
    new: int = 0
    results: int = 0
    compared: int = 0
    exact: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kernels: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def status(self) -> int:
        """The exit status."""
        return 2 if self.failed else int(bool(self.change.new))

    @property
    def text(self) -> str:
        """The summary."""
        new = {regression.case for regression in self.change.new}
        old = [regression for case, regression in self.change.state.worse.items() if case not in new]
        return "\n".join(
            [
                self._head(),
                *self.notes,
                *(f"NOT MEASURED {commit[:12]}: {reason}" for commit, reason in self.failed),
                *(f"NEW REGRESSION {regression.text}" for regression in self.change.new),
                *(f"known regression {regression.text}" for regression in old),
                *(f"mended {case}" for case in self.change.mended),
                *(f"exact change {case}: {', '.join(texts)}" for case, texts in self.exact.items()),
                *(f"exact change {line}" for line in self.kernels),
                *(f"step {line}" for line in self.steps),
            ]
        )

    def _head(self) -> str:
        base = f" against {self.commits[0][:12]}" if len(self.commits) > 1 else ""
        return f"{self.new} new commits{base}, {self.compared} cases compared, {self.results} results"
