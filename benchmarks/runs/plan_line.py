"""A prepared matrix of a planned run: what it will take of disk, memory and time.

Longer than two screens: each line, of a matrix that is here or not, fills the same fields.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from benchmarks.engine.limits import Limits
from benchmarks.engine.reference import reference_path
from benchmarks.runs import costs
from benchmarks.runs.amounts import Catalogued, Forecast
from benchmarks.runs.layout import limits_of
from benchmarks.runs.plan_case import CaseForecast, forecast_of
from benchmarks.runs.plan_site import Site
from benchmarks.runs.rates import Kind, Rate
from fetch import catalogue, names, suitesparse
from fetch.prepare import prepare, prepared_path
from fillpath.case import Case, Preparation
from fillpath.errors import FillpathError, MemoryBudgetError, TransferError
from fillpath.nouns import Prepared
from fillpath.paths import bytes_text, write_text
from fillpath.registry import lookup
from fillpath.settings import Settings
from fillpath.stages import stage_of

# A plan prepares what takes no longer, on one core: the run reuses it.
QUICK_SECONDS = 60.0


@dataclass(frozen=True)
class Line:
    """A prepared matrix of the run.

    name : `matrix.preparation`
    order : of the prepared matrix if it is here, else the catalogue's
    entries : likewise
    download : bytes still to come
    disk : bytes to be written
    guessed : whether download and disk are estimated from the entries alone
    memory : bytes of the largest process, None if unknown
    at_least : whether it may take more memory than that
    source : how the work is known, as Forecast has it; empty where there is none
    preparing : seconds of preparing it and making its reference
    cases : still to be measured
    remarks : for people
    """

    name: str
    order: int | None
    entries: int | None
    download: int = 0
    disk: int = 0
    guessed: bool = False
    memory: int | None = None
    at_least: bool = False
    source: str = ""
    preparing: float = 0.0
    cases: tuple[CaseForecast, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """Predicted, of preparing and measuring."""
        return self.preparing + sum(case.seconds for case in self.cases)

    @property
    def bound(self) -> float:
        """Seconds that it cannot exceed."""
        preparing = Limits().preparation if self.preparing else 0.0
        return preparing + sum(case.processes * case.limit for case in self.cases)


@dataclass(frozen=True)
class Matrix:
    """A prepared matrix that a run needs, and its cases that the machine can run."""

    entry: catalogue.Entry
    preparation: Preparation
    cases: tuple[Case, ...]

    @property
    def line(self) -> Line:
        """What the catalogue says."""
        name = f"{self.entry.id}.{self.preparation.name}"
        return Line(name, self.entry.order, self.entry.nnz_with_zeros)

    @property
    def on_graph(self) -> bool:
        """Whether no case of it needs its F."""
        return bool(self.cases) and not any(map(_needs_filled, self.cases))

    @property
    def refers(self) -> bool:
        """Whether a case of it needs the reference."""
        return not self.cases or any(stage_of(case.stage).refers for case in self.cases)


def _needs_filled(case: Case) -> bool:
    """Whether F is made for the case: a peer's solution makes its own, in an order of its own."""
    solves = case.stage == "solve" and not lookup(case.stage, case.implementation).peer
    return stage_of(case.stage).refers or solves


@dataclass(frozen=True)
class Facts:
    """What all lines share.

    sizes : of archives in bytes, by (group, name); an error for what does not exist, None if unknown
    rates : by kind of case
    catalogued : the work on what is not here
    site : the machine
    settings : of the run
    """

    sizes: Mapping[tuple[str, str], int | TransferError | None]
    rates: Mapping[Kind, Rate]
    catalogued: Catalogued
    site: Site
    settings: Settings


def is_here(entry: catalogue.Entry) -> bool:
    here = names.is_generated(entry.id)
    return here or suitesparse.cached(entry.group, entry.name, entry.sha256) is not None


def line_of(matrix: Matrix, facts: Facts, first: bool) -> Line:
    """first : no line before has counted this matrix's download."""
    if not matrix.entry.obtainable:
        return replace(matrix.line, remarks=(f"not obtainable: {matrix.entry.kind}",))
    if not is_here(matrix.entry) or not facts.site.here or not _is_quick(matrix):
        return _catalogued(matrix, facts, first)
    try:
        prepared = _prepared(matrix, facts.site)
    except MemoryBudgetError as problem:
        needed = _preparing_memory(matrix.entry)
        return replace(matrix.line, memory=needed, remarks=(f"will not fit: {problem}",))
    except FillpathError as problem:
        return replace(matrix.line, remarks=(f"cannot be prepared: {problem}",))
    return _present(matrix, prepared, facts)


def _is_quick(matrix: Matrix) -> bool:
    seconds = costs.preparing_seconds(matrix.entry.nnz_with_zeros or 0, matrix.preparation, generated=True)
    return seconds <= QUICK_SECONDS or prepared_path(matrix.entry.id, matrix.preparation).is_file()


def _catalogued(matrix: Matrix, facts: Facts, first: bool) -> Line:
    """Of a matrix without a pattern here: not downloaded yet, long to prepare, or of another machine."""
    generated = names.is_generated(matrix.entry.id)
    there = generated or (facts.site.here and is_here(matrix.entry))
    size = 0 if there else facts.sizes[matrix.entry.group, matrix.entry.name]
    if isinstance(size, TransferError):
        return replace(matrix.line, remarks=(f"not obtainable: {size}",))
    order, entries = matrix.entry.order or 0, matrix.entry.nnz_with_zeros or 0
    archive = costs.archive_bytes_of(entries) if size is None else size
    artefacts = costs.prepared_bytes(order, entries + order)
    artefacts += costs.reference_bytes(order) if matrix.refers else 0
    work = (
        costs.graph_work(order, entries)
        if matrix.on_graph
        else facts.catalogued.forecast(matrix.entry, matrix.preparation)
    )
    cases = _forecasts(matrix, work, facts, None)
    preparing = costs.preparing_seconds(entries, matrix.preparation, generated)
    line = replace(
        matrix.line,
        download=archive if first else 0,
        disk=artefacts + (costs.matrix_bytes_of(archive) if first else 0),
        guessed=size is None,
        at_least=not matrix.on_graph and work.source != "measured",
    )
    return _finished(line, matrix, work, cases, preparing, facts)


def _prepared(matrix: Matrix, site: Site) -> Prepared:
    """The prepared matrix, made now if need be. Raises MemoryBudgetError where there is too little memory for
    that, and what `prepare` raises."""
    needed = _preparing_memory(matrix.entry)
    is_prepared = prepared_path(matrix.entry.id, matrix.preparation).is_file()
    if not (is_prepared or fits(needed, site)):
        raise MemoryBudgetError(_lack(needed, site))
    return prepare(matrix.entry.id, matrix.preparation)


def _preparing_memory(entry: catalogue.Entry) -> int:
    return costs.preparing_memory(entry.order or 0, entry.nnz_with_zeros or 0)


def _present(matrix: Matrix, prepared: Prepared, facts: Facts) -> Line:
    pattern = prepared.pattern
    on_graph = matrix.on_graph
    work = costs.graph_work(pattern.n, pattern.nnz) if on_graph else _sampled(prepared)
    has_reference = not matrix.refers or reference_path(prepared.hash).is_file()
    line = replace(
        matrix.line,
        order=pattern.n,
        entries=pattern.nnz,
        disk=0 if has_reference else costs.reference_bytes(pattern.n),
    )
    cases = _forecasts(matrix, work, facts, prepared.hash)
    return _finished(line, matrix, work, cases, 0.0, facts, has_reference)


def _sampled(prepared: Prepared) -> Forecast:
    """Sample the work on a pattern once; the cache keeps it."""
    path = reference_path(prepared.hash).with_suffix(".work.json")
    with contextlib.suppress(OSError, ValueError, TypeError):
        return Forecast(**json.loads(path.read_text()))
    work = costs.forecast_work(prepared.pattern)
    write_text(path, json.dumps(asdict(work)))
    return work


def _finished(
    line: Line,
    matrix: Matrix,
    work: Forecast,
    cases: Sequence[CaseForecast],
    preparing: float,
    facts: Facts,
    has_reference: bool = False,
) -> Line:
    """With the cases and what follows from them. preparing : seconds of preparing the matrix alone."""
    there = has_reference or not matrix.refers
    reference = 0.0 if there else costs.reference_seconds(work.amounts, facts.rates)
    # The pattern may have a row that A has not: costs take what is known of it.
    order, entries = int(line.order or 0), int(line.entries or 0)
    memory = (
        costs.graph_memory(order, entries)
        if matrix.on_graph
        else costs.run_memory(order, entries, work.amounts["filled"], {case.case.stage for case in cases})
    )
    whole = min(preparing + reference, Limits().preparation) if cases else 0.0
    return replace(
        line,
        memory=memory if cases else 0,
        source=work.source,
        preparing=whole,
        cases=tuple(cases),
        remarks=_remarks(cases, preparing + reference, memory, len(matrix.cases) - len(cases), facts.site),
    )


def _forecasts(matrix: Matrix, work: Forecast, facts: Facts, prepared_hash: str | None) -> list[CaseForecast]:
    """Of the cases that are still to be measured."""
    whole = [forecast_of(case, work, facts.rates, facts.site, facts.settings) for case in matrix.cases]
    return [
        each
        for each in whole
        if facts.settings.fresh
        or not facts.site.has(
            each.case, limits_of(each.case, facts.settings), each.most_processes, prepared_hash
        )
    ]


def _remarks(
    cases: Sequence[CaseForecast], preparing: float, memory: int, stored: int, site: Site
) -> tuple[str, ...]:
    by_limit: dict[float, dict[str, None]] = {}
    for case in cases:
        if case.foreseen == "timeout":
            by_limit.setdefault(case.limit, {})[case.case.implementation] = None
    foreseen = dict.fromkeys(c.case.implementation for c in cases if c.foreseen == "out_of_memory")
    limit = Limits().preparation
    remarks = [
        (bool(cases) and not fits(memory, site), f"will not fit: {_lack(memory, site)}"),
        (bool(foreseen), f"out of memory by plan: {', '.join(foreseen)}"),
        *((True, f"beyond the {seconds:g} s limit: {', '.join(who)}") for seconds, who in by_limit.items()),
        (bool(cases) and preparing > limit, f"preparing it is beyond the {limit:g} s limit"),
        (bool(stored), f"{stored} stored" if cases else "stored"),
    ]
    return tuple(text for applies, text in remarks if applies)


def fits(needed: int | None, site: Site) -> bool:
    return needed is None or site.memory is None or needed <= site.memory


def _lack(needed: int, site: Site) -> str:
    return f"needs {bytes_text(needed)} of memory, {bytes_text(site.memory or 0)} may be used"
