"""Which machine a picture is of: one, whose name begins its caption.

Machines against each other are what `fillpath compare` draws.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import pandas as pd

from fillpath.case import Case
from fillpath.record import Status
from reports.claims.verdict import JUDGED
from reports.exhibit import Exhibit
from reports.facts.entries import Entries
from reports.facts.naming import listed
from reports.facts.records import Records


@dataclass(frozen=True)
class Evidence:
    """What a machine's records say to a figure.

    decided : claims that the figure judges by a number of that machine
    numbers : what the figure says of that machine, beside the print too
    ok : cases of the figure that have a verified result there
    silent : the figure holds nothing against a claim
    """

    machine: str
    decided: int
    numbers: int
    ok: int
    silent: bool

    @property
    def suffices(self) -> bool:
        """Whether a picture of that machine shows what the figure is for."""
        return self.decided > 0 or (self.silent and self.ok > 0)


def picture_machine(
    shown: Exhibit, cases: Sequence[Case], records: Records, entries: Entries, here: Collection[str]
) -> str | None:
    """The machine that a figure's picture is of; None where no machine has a record of its cases.

    It is the machine that runs the command, if its records decide a claim of the figure; for a figure
    without claims, if it has a verified result of any case. Otherwise it is, of all machines, the one that
    decides most claims of the figure; of several the one of which the figure says most, then the one with
    most verified results, then the first by name.

    here : names of the machine that runs the command; on a cluster of several, chosen among by the same rule.
    """
    names = {case.name for case in cases}
    tried = [record for record in records.rows if record.case in names]
    ok = Counter(record.machine for record in tried if record.status is Status.OK)
    # A machine without a result decides nothing.
    machines = sorted(ok or {record.machine for record in tried})
    if len(machines) < 2:
        return next(iter(machines), None)

    def evidence(machine: str) -> Evidence:
        there = records.of_machine(machine)
        of_run = there.of_one_run(cases) if shown.one_run else there
        verdicts = shown.verdicts(shown.frame(of_run, entries, recorded(cases, there)))
        numbers = [v for v in verdicts if v.machine == machine]
        decided = {v.claim for v in numbers if v.outcome in JUDGED}
        return Evidence(machine, len(decided), len(numbers), ok[machine], silent=not shown.subjects)

    own = [evidence(name) for name in machines if name in here]
    if any(each.suffices for each in own):
        return _best(own)
    return _best([*own, *(evidence(name) for name in machines if name not in here)])


def recorded(cases: Sequence[Case], records: Records) -> list[Case]:
    """The cases that have one of these records; all where none has."""
    names = {record.case for record in records.rows}
    return [case for case in cases if case.name in names] or list(cases)


def place(rows: pd.DataFrame) -> str:
    """`Measured on h200 (NVIDIA H200).`, by the rows of `Records.frame`, with the processor where no GPU was
    met; `Simulated on` where all stood in for other devices; empty where nothing was measured."""
    ok = rows[rows["status"] == str(Status.OK)]
    if ok.empty:
        return ""
    chips = set(ok["device"].dropna()) or set(ok["host_cpu"].dropna())
    how = "Simulated" if ok["case"].str.contains("virtual_gpus=").all() else "Measured"
    return f"{how} on {listed(ok['machine'])}{f' ({listed(chips)})' if chips else ''}."


def _best(evidence: Sequence[Evidence]) -> str:
    return min(evidence, key=lambda each: (-each.decided, -each.numbers, -each.ok, each.machine)).machine
