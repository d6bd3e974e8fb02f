"""The appendix for an artefact evaluation, in Markdown, written from the records: what there is, checksums,
what each claim needs, and what can be seen in a quarter of an hour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from fillpath import __version__
from fillpath.case import Case
from fillpath.holdings import SUMS, digest_of, sums_text
from fillpath.paths import PAGE, ROOT, bytes_text, results, write_text
from fillpath.record import Record
from fillpath.registry import lookup
from reports.facts.claims import PAPERS
from reports.facts.records import Records, printed_name
from reports.facts.standings import JUDGED, Standing
from reports.pages.ledger import HARDWARE_DIFFERS, measured_text
from reports.pages.webpage.scoreboard import by_claim, machines_of

FOLDER = PAGE.parent / "artifact"
LOCKS = ("requirements.lock", "requirements-cuda12.lock", "requirements-cuda13.lock")
# Seconds that a case takes beside its samples: a process, the input, the check before and after.
OVERHEAD = 6.0
# Of the quarter of an hour, what installing, checking and the page leave.
LEFT = 8 * 60.0

CasesByFigure = Mapping[tuple[str, str], Sequence[Case]]


def write(standings: Sequence[Standing], cases: CasesByFigure, records: Records) -> list[Path]:
    """Write the appendix and the checksums of all results. cases : behind each (paper, figure)."""
    sums = {str(path.relative_to(results())): digest_of(path) for path in _files()}
    appendix, checksums = FOLDER / "appendix.md", FOLDER / SUMS
    write_text(checksums, sums_text(sums))
    write_text(appendix, text(standings, cases, records, digest_of(checksums)))
    return [appendix, checksums]


def text(standings: Sequence[Standing], cases: CasesByFigure, records: Records, digest: str) -> str:
    """The appendix. digest : of the file of checksums."""
    costs = _costs(standings, cases, records)
    parts = [
        f"# Artefact appendix: fillpath {__version__}",
        "Re-implementations of " + "; ".join(PAPERS.values()) + ". Every number below is of a record under "
        "`results/`, every verdict follows from records by code. " + HARDWARE_DIFFERS,
        "## What there is\n\n" + _inventory(records),
        "## Checksums\n\n" + _checksums(digest),
        "## Requirements\n\n" + _requirements(),
        "## Fifteen minutes\n\n" + _path(standings, costs),
        "## Claims, and what each needs\n\n" + _claims(standings, cases, costs),
    ]
    return "\n\n".join(parts) + "\n"


def _files() -> list[Path]:
    """All results but asv's series and hidden files."""
    found = (path for path in results().glob("*/**/*") if path.is_file() and not path.name.startswith("."))
    return sorted(path for path in found if path.relative_to(results()).parts[0] != "asv")


def _inventory(records: Records) -> str:
    rows = []
    for machine in records.machines():
        own = records.of_machine(machine).rows
        files = [path for path in _files() if path.relative_to(results()).parts[0] == machine]
        ok = sum(record.median is not None for record in own)
        size = bytes_text(sum(path.stat().st_size for path in files))
        rows.append((machine, _distinct(own, "device") or "none", _distinct(own, "host_cpu"),
                     f"{ok} ok of {len(own)}", f"{len(files)} files, {size}",
                     _distinct(own, "commit", 12)))  # fmt: skip
    return _table(("machine", "GPU", "processor", "cases", "results", "commits"), rows)


def _distinct(records: Sequence[Record], name: str, letters: int | None = None) -> str:
    return ", ".join(sorted({str(value)[:letters] for r in records if (value := getattr(r, name))}))


def _checksums(digest: str) -> str:
    locks = [(f"`{name}`", f"`{digest_of(ROOT / name)}`") for name in LOCKS]
    rows = [(f"`{FOLDER.relative_to(ROOT)}/{SUMS}` (every file of `results/`)", f"`{digest}`"), *locks]
    check = f"    cd results && sha256sum --check --quiet ../{FOLDER.relative_to(ROOT)}/{SUMS}"
    return _table(("file", "SHA-256"), rows) + "\n\n" + check


def _requirements() -> str:
    return (
        "Linux, make, Python 3.11 to 3.13 and a package index; about 2 GB of disk, 4 GB with CuPy. A GPU is "
        "needed only to measure what the table of claims marks `GPU`: an NVIDIA card with driver 525 or "
        "newer. The papers' matrices come from the SuiteSparse Matrix Collection (CC-BY 4.0): `fillpath plan "
        "small` and `fillpath plan papers` say how many bytes and how long."
    )


def _path(standings: Sequence[Standing], costs: Mapping[str, float]) -> str:
    """Steps whose times are of the records, until the quarter of an hour is full."""
    again = [
        f"    - `FILLPATH_SUITE=small .venv/bin/{s.command}`"
        f" ({_duration(costs[s.claim.id])}, {s.machine}: {s.told})"
        for s in _quick(standings, costs)
    ]
    steps = [
        "`make page` (installs; then about one minute) draws every figure from the records and writes "
        "`reports/index.html`. Open it: the verdicts stand first.",
        "`.venv/bin/fillpath check`: every record is whole and readable.",
        "`.venv/bin/fillpath claims --paper glu3`: the ledger as text, with what each verdict is made of.",
        "Without a GPU, `make figures` measures the embedded suite (generated matrices), in about eight "
        "minutes on two cores.",
        "On a machine of the kind named, claims are measured anew, of each figure the cheapest:",
    ]
    return "\n".join([*(f"{number}. {step}" for number, step in enumerate(steps, start=1)), *again])


def _quick(standings: Sequence[Standing], costs: Mapping[str, float]) -> list[Standing]:
    """Judged claims, one a figure, the cheapest first, as many as there is time for."""
    chosen: dict[tuple[str, str], Standing] = {}
    left = LEFT
    judged = [s for s in standings if s.outcome in JUDGED and s.claim.id in costs]
    for standing in sorted(judged, key=lambda s: costs[s.claim.id]):
        figure = (standing.claim.paper, standing.figure)
        if figure not in chosen and costs[standing.claim.id] <= left:
            chosen[figure] = standing
            left -= costs[standing.claim.id]
    return list(chosen.values())


def _claims(standings: Sequence[Standing], cases: CasesByFigure, costs: Mapping[str, float]) -> str:
    machines = machines_of(standings)
    rows = [
        (
            f"`{id}`",
            claim.printed,
            *(_told(found.get(machine)) for machine in machines),
            _needs(next(iter(found.values())), cases),
            _duration(costs.get(id)),
        )
        for id, found in by_claim(standings).items()
        for claim in [next(iter(found.values())).claim]
    ]
    counts = Counter((s.machine, s.told) for s in standings)
    told = "\n".join(f"- {machine}: {count} {words}" for (machine, words), count in sorted(counts.items()))
    heads = ("claim", "printed", *machines, "needs", "to measure anew")
    return f"{told}\n\n{_table(heads, rows)}\n\nEach is measured anew by `fillpath remeasure CLAIM`."


def _told(standing: Standing | None) -> str:
    if standing is None:
        return ""
    number = measured_text(standing.claim, standing.verdict) if standing.verdict else ""
    return f"{standing.told}{f': {number}' if number else ''}"


def _needs(standing: Standing, cases: CasesByFigure) -> str:
    """What this claim takes, whatever is at hand."""
    if standing.claim.needs:
        return standing.claim.needs
    own = cases.get((standing.claim.paper, standing.figure), ())
    if not own:
        return "an experiment: none of config/experiments.yaml measures it"
    devices = {lookup(case.stage, case.implementation).device for case in own}
    matrices = dict.fromkeys(printed_name(case.matrix) for case in own)
    return f"{'GPU, ' if 'gpu' in devices else ''}{len(own)} cases on {len(matrices)} matrices"


def _costs(standings: Sequence[Standing], cases: CasesByFigure, records: Records) -> dict[str, float]:
    """Seconds of measuring what decides each claim anew, as the records of the machine that has judged most
    have them; claims of which no machine has any are left out."""
    found: dict[str, float] = {}
    for machine in machines_of(standings):
        timed = {r.case: sum(r.seconds) + OVERHEAD for r in records.of_machine(machine).rows if r.seconds}
        for standing in standings:
            own = cases.get((standing.claim.paper, standing.figure), ())
            seconds = sum(timed.get(case.name, 0.0) for case in own)
            if standing.machine == machine and seconds:
                found.setdefault(standing.claim.id, seconds)
    return found


def _duration(seconds: float | None) -> str:
    return "-" if seconds is None else f"{max(1, round(seconds / 60))} min"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(text.replace('|', '/') for text in row)} |" for row in cells)
