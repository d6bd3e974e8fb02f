"""`fillpath plan`: what a run will take, before it begins. No matrix is downloaded for it.

What is here already is prepared, which the run reuses, and its work is forecast from the pattern; what is not
here yet is told by the catalogue and by the size of its archive.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from benchmarks.engine.measure import Limits, settled
from benchmarks.engine.reference import reference_path
from benchmarks.runs import costs
from benchmarks.runs.experiments import suite_cases
from benchmarks.runs.rates import Kind, Rate, kind_of, rates
from fetch import catalogue, names, suitesparse
from fetch.prepare import prepare, prepared_path
from fetch.sizes import archive_sizes
from fillpath import host, registry
from fillpath.case import Case, Preparation
from fillpath.errors import FillpathError, MemoryBudgetError, TransferError
from fillpath.nouns import Prepared
from fillpath.paths import RESERVE, bytes_text, cache
from fillpath.record import standing_records
from fillpath.settings import Settings
from fillpath.stages import stage_of

_Step = tuple[str, float | None]

_log = logging.getLogger("fillpath")


@dataclass(frozen=True)
class Line:
    """A prepared matrix of the run. order, entries : of the prepared matrix if it is here, else the
    catalogue's. download, disk : bytes still to come, and to be written. guessed : both are from the entries
    alone. memory : bytes of the largest process, or at_least so many, None if unknown. cases : still to be
    measured; unknown, assumed : those of them without a rate, and with one that is no record's. seconds :
    predicted, None if unknown; bound : no more."""

    name: str
    order: int | None
    entries: int | None
    download: int = 0
    disk: int = 0
    guessed: bool = False
    memory: int | None = None
    at_least: bool = False
    cases: int = 0
    unknown: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    seconds: float | None = None
    bound: float = 0.0
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """What a run takes and what there is: free_disk and limits.memory in bytes."""

    settings: Settings
    lines: tuple[Line, ...]
    limits: Limits
    free_disk: int

    @property
    def disk(self) -> int:
        """Bytes to be written; the largest archive lies there while it is unpacked."""
        return sum(line.disk for line in self.lines) + max((line.download for line in self.lines), default=0)

    @property
    def disk_fits(self) -> bool:
        return self.disk + RESERVE <= self.free_disk

    @property
    def fits(self) -> bool:
        """Whether there is disk for all matrices and memory for each."""
        return self.disk_fits and all(_fits(line.memory, self.limits) for line in self.lines)

    def text(self) -> str:
        """The plan for people."""
        header = ("matrix", "order", "entries", "download", "disk", "memory", "time", "")
        return "\n".join([*_aligned([header, *map(_cells, self.lines)]), "", *_totals(self), *_notes(self)])


@dataclass(frozen=True)
class _Input:
    """A prepared matrix that a run needs, and its cases that this machine can run."""

    entry: catalogue.Entry
    preparation: Preparation
    cases: tuple[Case, ...]

    @property
    def line(self) -> Line:
        """What the catalogue says."""
        name = f"{self.entry.id}.{self.preparation.name}"
        return Line(name, self.entry.order, self.entry.nnz_with_zeros)


@dataclass(frozen=True)
class _Known:
    """What all lines share. sizes : of archives. fresh : nothing that is stored is reused."""

    sizes: Mapping[tuple[str, str], int | TransferError | None]
    rates: Mapping[Kind, Rate]
    limits: Limits
    fresh: bool


def plan(settings: Settings) -> Plan:
    """Plan the run of these settings. Raises ConfigError where config/ contradicts its schemas."""
    limits = Limits(memory=Limits().memory_limit())
    inputs = _inputs(settings)
    absent = [i.entry for i in inputs if i.entry.obtainable and not _is_here(i.entry)]
    sizes = archive_sizes((entry.group, entry.name) for entry in absent)
    known = _Known(sizes, rates(standing_records(host.machine_name())), limits, settings.fresh)
    costs.warm_up()
    _log.info("preparing and sampling what is here; the run reuses it")
    first = {wanted.entry.id: wanted for wanted in reversed(inputs)}
    lines = tuple(_line(wanted, known, first[wanted.entry.id] is wanted) for wanted in inputs)
    folder = cache().absolute()
    present = next(place for place in (folder, *folder.parents) if place.exists())
    return Plan(settings, lines, limits, shutil.disk_usage(present).free)


def _inputs(settings: Settings) -> list[_Input]:
    grouped: dict[tuple[str, Preparation], list[Case]] = {}
    for case in suite_cases(settings):
        cases = grouped.setdefault((case.matrix, case.preparation), [])
        if registry.lookup(case.stage, case.implementation).available()[0]:
            cases.append(case)
    return [_Input(catalogue.lookup(key[0]), key[1], tuple(cases)) for key, cases in grouped.items()]


def _is_here(entry: catalogue.Entry) -> bool:
    here = names.is_generated(entry.id)
    return here or suitesparse.cached(entry.group, entry.name, entry.sha256) is not None


def _line(wanted: _Input, known: _Known, first: bool) -> Line:
    """first : no line before has counted this matrix's download."""
    if not wanted.entry.obtainable:
        return replace(wanted.line, remarks=(f"not obtainable: {wanted.entry.kind}",))
    if not _is_here(wanted.entry):
        return _absent(wanted, known, first)
    try:
        prepared = _prepared(wanted, known.limits)
    except MemoryBudgetError as problem:
        needed = _preparing_memory(wanted.entry)
        return replace(wanted.line, memory=needed, remarks=(f"will not fit: {problem}",))
    except FillpathError as problem:
        return replace(wanted.line, remarks=(f"cannot be prepared: {problem}",))
    return _present(wanted, prepared, known)


def _absent(wanted: _Input, known: _Known, first: bool) -> Line:
    """What is not here yet has no pattern to forecast from: the memory is that of preparing it, at least."""
    size = known.sizes[wanted.entry.group, wanted.entry.name]
    if isinstance(size, TransferError):
        return replace(wanted.line, remarks=(f"not obtainable: {size}",))
    order, entries = wanted.entry.order or 0, wanted.entry.nnz_with_zeros or 0
    archive = costs.archive_bytes_of(entries) if size is None else size
    artefacts = costs.prepared_bytes(order, entries + order) + costs.reference_bytes(order)
    memory = _preparing_memory(wanted.entry)
    lacking = () if _fits(memory, known.limits) else (f"will not fit: {_lack(memory, known.limits)}",)
    return replace(
        wanted.line,
        download=archive if first else 0,
        disk=artefacts + (costs.matrix_bytes_of(archive) if first else 0),
        guessed=size is None,
        memory=memory,
        at_least=True,
        remarks=lacking,
        cases=len(wanted.cases),
        bound=known.limits.seconds * (1 + len(wanted.cases)),
    )


def _prepared(wanted: _Input, limits: Limits) -> Prepared:
    """The prepared matrix, made now if need be. Raises MemoryBudgetError where there is too little memory for
    that, and what `prepare` raises."""
    needed = _preparing_memory(wanted.entry)
    is_made = prepared_path(wanted.entry.id, wanted.preparation).is_file()
    if not (is_made or _fits(needed, limits)):
        raise MemoryBudgetError(_lack(needed, limits))
    return prepare(wanted.entry.id, wanted.preparation)


def _preparing_memory(entry: catalogue.Entry) -> int:
    return costs.preparing_memory(entry.order or 0, entry.nnz_with_zeros or 0)


def _present(wanted: _Input, prepared: Prepared, known: _Known) -> Line:
    limits, pattern = known.limits, prepared.pattern
    stages = {case.stage for case in wanted.cases}
    on_graphs = bool(stages) and all(stage_of(stage).on_graph for stage in stages)
    work = costs.graph_work(pattern) if on_graphs else costs.forecast_work(pattern)
    cases = [
        case for case in wanted.cases if known.fresh or settled(case, prepared.hash, known.limits) is None
    ]
    has_reference = on_graphs or reference_path(prepared.hash).is_file()
    steps = [(case.implementation, costs.case_seconds(case, work, known.rates)) for case in cases]
    unknown = tuple(name for name, seconds in steps if seconds is None)
    if cases and not has_reference:
        reference = "the reference, without which nothing is measured"
        steps.append((reference, costs.reference_seconds(work, known.rates)))
    memory = work.memory if cases else 0
    return replace(
        wanted.line,
        order=pattern.n,
        entries=pattern.nnz,
        disk=0 if has_reference else costs.reference_bytes(pattern.n),
        memory=memory,
        cases=len(cases),
        unknown=unknown,
        assumed=tuple(case.implementation for case in cases if _is_assumed(case, known)),
        seconds=sum(min(seconds, limits.seconds) for _, seconds in steps if seconds is not None),
        bound=limits.seconds * len(steps),
        remarks=_remarks(steps, memory, len(wanted.cases) - len(cases), limits),
    )


def _is_assumed(case: Case, known: _Known) -> bool:
    rate = known.rates.get(kind_of(case))
    return rate is not None and rate.records == 0


def _remarks(steps: Sequence[_Step], memory: int, stored: int, limits: Limits) -> tuple[str, ...]:
    """steps : name and predicted seconds, None where there is no rate."""
    beyond = dict.fromkeys(name for name, seconds in steps if (seconds or 0) > limits.seconds)
    told = [
        (not _fits(memory, limits), f"will not fit: {_lack(memory, limits)}"),
        (bool(beyond), f"beyond the {limits.seconds:g} s limit: {', '.join(beyond)}"),
        (bool(stored), f"{stored} stored" if steps else "stored"),
    ]
    return tuple(text for applies, text in told if applies)


def _fits(needed: int | None, limits: Limits) -> bool:
    return needed is None or limits.memory is None or needed <= limits.memory


def _lack(needed: int, limits: Limits) -> str:
    return f"needs {bytes_text(needed)} of memory, {bytes_text(limits.memory or 0)} may be used"


def _cells(line: Line) -> tuple[str, ...]:
    return (
        line.name,
        "-" if line.order is None else str(line.order),
        "-" if line.entries is None else str(line.entries),
        ("~" if line.guessed else "") + bytes_text(line.download) if line.download else "-",
        ("~" if line.download else "") + bytes_text(line.disk) if line.disk else "-",
        (">" if line.at_least else "") + bytes_text(line.memory) if line.memory else "-",
        "-" if line.seconds is None else duration_text(line.seconds) + ("+" if line.unknown else ""),
        "; ".join(line.remarks),
    )


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Columns of numbers to the right; the first and the last, which are text, to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    put: list[Callable[[str, int], str]] = [str.ljust, *[str.rjust] * (len(widths) - 2), str.ljust]
    return [
        "  ".join(pad(cell, width) for pad, cell, width in zip(put, row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _totals(made: Plan) -> list[str]:
    lines, coming = made.lines, [line for line in made.lines if line.download]
    about = "~" if any(line.guessed for line in lines) else ""
    lacking = "" if made.disk_fits else ": will not fit"
    usable = "an unknown amount" if made.limits.memory is None else bytes_text(made.limits.memory)
    largest = max((line.memory or 0 for line in lines), default=0)
    least = "at least " if any(line.at_least or line.memory is None for line in lines) else ""
    known = sum(line.cases - len(line.unknown) for line in lines if line.seconds is not None)
    seconds = sum(line.seconds or 0.0 for line in lines)
    bound = min(sum(line.bound for line in lines), made.settings.limit or float("inf"))
    cases = sum(line.cases for line in lines)
    return [
        f"download  {about}{bytes_text(sum(line.download for line in coming))} in {len(coming)} archives",
        f"disk      {'~' if coming else ''}{bytes_text(made.disk)} in {cache()}, "
        f"{bytes_text(made.free_disk)} free{lacking}",
        f"memory    {least}{bytes_text(largest)} for the largest process, {usable} may be used",
        f"time      about {duration_text(seconds)} for {known} of {cases} cases, at most "
        f"{duration_text(bound)} for all; downloads and drawing not counted",
    ]


def _notes(made: Plan) -> list[str]:
    """Footnotes, where they apply."""
    unknown = sorted({name for line in made.lines for name in line.unknown})
    assumed = sorted({name for line in made.lines for name in line.assumed})
    notes = [
        (
            any(line.guessed for line in made.lines),
            "~ of a download: no server was asked or none answered; from the entries, within a factor of 4",
        ),
        (
            any(line.download for line in made.lines),
            f"> and no time for what is not here: `fillpath fetch {made.settings.suite}`, then plan again",
        ),
        (
            bool(assumed),
            f"no record here yet of {', '.join(assumed)}: its rate is assumed, within a factor of 3",
        ),
        (
            bool(unknown),
            f"+ no record here yet of {', '.join(unknown)}: in the upper bound only; `make figures` makes it",
        ),
    ]
    return [f"          {text}" for applies, text in notes if applies]


def duration_text(seconds: float) -> str:
    """A time for people: `45 s`, `3.2 min`, `1.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
