"""The appendix for an artefact evaluation, in Markdown, written from the records: what there is, checksums,
what each claim needs, and what can be seen in a quarter of an hour. Its words are in templates/appendix.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fillpath import __version__
from fillpath.case import Case
from fillpath.holdings import SUMS, digest_of, sums_text
from fillpath.papers import paper_names
from fillpath.paths import BASE, PAGE, ROOT, bytes_text, results, write_text
from fillpath.record import Record
from fillpath.registry import lookup
from fillpath.settings import PROCESSES
from reports.claims.verdict import JUDGED
from reports.facts.entries import printed_name
from reports.facts.records import Records
from reports.facts.standings import Standing
from reports.pages.environment import environment
from reports.pages.ledger.order import ClaimRow, claim_rows, counts, machines_of
from reports.pages.ledger.text import HARDWARE_DIFFERS, measured_text

FOLDER = PAGE.parent / "artifact"
LOCKS = ("requirements.lock", "requirements-cuda12.lock", "requirements-cuda13.lock")
# Seconds that a process takes beside its samples: its start, the input, the check before and after.
OVERHEAD = 2.5
# Seconds of the quarter of an hour that are left after installing, checking and the page.
REMAINING = 8 * 60.0

CasesByFigure = Mapping[tuple[str, str], Sequence[Case]]


@dataclass(frozen=True)
class Again:
    """A claim to measure anew within the quarter of an hour."""

    standing: Standing
    duration: str


def write(standings: Sequence[Standing], cases: CasesByFigure, records: Records) -> list[Path]:
    """Write the appendix and the checksums of all results.

    standings : of all machines
    cases : behind each (paper, figure)
    """
    sums = {str(path.relative_to(results())): digest_of(path) for path in result_files()}
    appendix, checksums = FOLDER / "appendix.md", FOLDER / SUMS
    write_text(checksums, sums_text(sums))
    write_text(appendix, text(standings, cases, records, digest_of(checksums)))
    return [appendix, checksums]


def text(standings: Sequence[Standing], cases: CasesByFigure, records: Records, digest: str) -> str:
    """The appendix.

    digest : of the file of checksums
    """
    machines = machines_of(standings)
    costs = _costs(standings, cases, records)
    return (
        environment(Path(__file__).parent / "templates")
        .get_template("appendix.md")
        .render(
            version=__version__,
            papers=paper_names().values(),
            hardware_differs=HARDWARE_DIFFERS,
            inventory=[_inventory(records.of_machine(name), name) for name in records.machines()],
            sums=f"{FOLDER.relative_to(BASE)}/{SUMS}",
            digest=digest,
            locks={name: digest_of(ROOT / name) for name in LOCKS},
            again=[Again(s, _duration(costs[s.claim.id])) for s in _quick(standings, costs)],
            counts=counts(standings),
            machines=machines,
            claims=[_claim_cells(row, cases, costs) for row in claim_rows(standings, machines)],
        )
    )


def result_files() -> list[Path]:
    """All results but asv's series and hidden files."""
    files = (path for path in results().glob("*/**/*") if path.is_file() and not path.name.startswith("."))
    return sorted(path for path in files if path.relative_to(results()).parts[0] != "asv")


def _inventory(records: Records, machine: str) -> tuple[str, ...]:
    """The machine's row: GPU, processor, cases, files, commits."""
    files = [path for path in result_files() if path.relative_to(results()).parts[0] == machine]
    ok = sum(record.median is not None for record in records.rows)
    size = bytes_text(sum(path.stat().st_size for path in files))
    return (
        machine,
        _distinct(records.rows, "device") or "none",
        _distinct(records.rows, "host_cpu"),
        f"{ok} ok of {len(records.rows)}",
        f"{len(files)} files, {size}",
        _distinct(records.rows, "commit", 12),
    )


def _distinct(records: Sequence[Record], name: str, letters: int | None = None) -> str:
    return ", ".join(sorted({str(value)[:letters] for r in records if (value := getattr(r, name))}))


def _quick(standings: Sequence[Standing], costs: Mapping[str, float]) -> list[Standing]:
    """Judged claims, one per figure, the cheapest first, as many as there is time for."""
    chosen: dict[tuple[str, str], Standing] = {}
    remaining = REMAINING
    judged = [s for s in standings if s.outcome in JUDGED and s.claim.id in costs]
    for standing in sorted(judged, key=lambda s: costs[s.claim.id]):
        figure = (standing.claim.paper, standing.figure)
        if figure not in chosen and costs[standing.claim.id] <= remaining:
            chosen[figure] = standing
            remaining -= costs[standing.claim.id]
    return list(chosen.values())


def _claim_cells(row: ClaimRow, cases: CasesByFigure, costs: Mapping[str, float]) -> tuple[str, ...]:
    """The claim's row: id, print, standing on each machine, needs, time to measure it anew."""
    figure = next(standing.figure for standing in row.standings if standing)
    return (
        f"`{row.claim.id}`",
        row.claim.printed,
        *map(_standing_text, row.standings),
        row.claim.needs or _needs(cases.get((row.claim.paper, figure), ())),
        _duration(costs.get(row.claim.id)),
    )


def _standing_text(standing: Standing | None) -> str:
    """`reproduced: 1.05x (0.98x to 1.12x), n = 4 of 15`; empty for none."""
    if standing is None:
        return ""
    number = measured_text(standing.claim, standing.verdict) if standing.verdict else ""
    return f"{standing.label}{f': {number}' if number else ''}"


def _needs(cases: Sequence[Case]) -> str:
    """What the cases of a claim's figure take, whatever is at hand."""
    if not cases:
        return "an experiment: config/experiments.yaml has none that measures it"
    devices = {lookup(case.stage, case.implementation).device for case in cases}
    matrices = dict.fromkeys(printed_name(case.matrix) for case in cases)
    return f"{'GPU, ' if 'gpu' in devices else ''}{len(cases)} cases on {len(matrices)} matrices"


def _costs(standings: Sequence[Standing], cases: CasesByFigure, records: Records) -> dict[str, float]:
    """Seconds to measure anew what decides each claim, by the records of the machine that has judged most;
    claims that no machine has records of are left out. A case takes as many processes as a firm verdict."""
    costs: dict[str, float] = {}
    for machine in machines_of(standings):
        timed = {
            record.case: PROCESSES * (sum(record.seconds) + OVERHEAD)
            for record in records.of_machine(machine).rows
            if record.seconds
        }
        for standing in (s for s in standings if s.machine == machine):
            behind = cases.get((standing.claim.paper, standing.figure), ())
            if seconds := sum(timed.get(case.name, 0.0) for case in behind):
                costs.setdefault(standing.claim.id, seconds)
    return costs


def _duration(seconds: float | None) -> str:
    return "-" if seconds is None else f"{max(1, round(seconds / 60))} min"
