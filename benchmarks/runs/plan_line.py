"""A prepared matrix of a planned run: what it will take of disk, memory and time.

What is here is prepared, which the run reuses, and its work is forecast from the pattern; what is not here
yet is estimated from the catalogue and from the size of its archive.

Longer than two screens: each case of a line, present or absent, fills the same fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from benchmarks.engine.limits import Limits
from benchmarks.engine.reference import reference_path
from benchmarks.engine.standing import settling_record
from benchmarks.runs import costs
from benchmarks.runs.rates import Kind, Rate, kind_of
from fetch import catalogue, names, suitesparse
from fetch.prepare import prepare, prepared_path
from fillpath.case import Case, Preparation
from fillpath.errors import FillpathError, MemoryBudgetError, TransferError
from fillpath.nouns import Prepared
from fillpath.paths import bytes_text
from fillpath.stages import stage_of

_Step = tuple[str, float | None]


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
    cases : still to be measured
    unknown : the implementations of those without a rate
    assumed : the implementations of those whose rate comes from no record
    seconds : predicted, None if unknown
    bound : seconds that it cannot exceed
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
    cases: int = 0
    unknown: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    seconds: float | None = None
    bound: float = 0.0
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Matrix:
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
class Facts:
    """What all lines share.

    sizes : of archives in bytes, by (group, name); an error for what does not exist, None if unknown
    rates : by kind of case
    limits : of each measurement
    fresh : whether nothing that is stored is reused
    processes : in which each case is measured
    """

    sizes: Mapping[tuple[str, str], int | TransferError | None]
    rates: Mapping[Kind, Rate]
    limits: Limits
    fresh: bool
    processes: int


def is_here(entry: catalogue.Entry) -> bool:
    here = names.is_generated(entry.id)
    return here or suitesparse.cached(entry.group, entry.name, entry.sha256) is not None


def line_of(matrix: Matrix, facts: Facts, first: bool) -> Line:
    """first : no line before has counted this matrix's download."""
    if not matrix.entry.obtainable:
        return replace(matrix.line, remarks=(f"not obtainable: {matrix.entry.kind}",))
    if not is_here(matrix.entry):
        return _absent(matrix, facts, first)
    try:
        prepared = _prepared(matrix, facts.limits)
    except MemoryBudgetError as problem:
        needed = _preparing_memory(matrix.entry)
        return replace(matrix.line, memory=needed, remarks=(f"will not fit: {problem}",))
    except FillpathError as problem:
        return replace(matrix.line, remarks=(f"cannot be prepared: {problem}",))
    return _present(matrix, prepared, facts)


def _absent(matrix: Matrix, facts: Facts, first: bool) -> Line:
    """What is not here yet has no pattern to forecast from: the memory is that of preparing it, at least."""
    size = facts.sizes[matrix.entry.group, matrix.entry.name]
    if isinstance(size, TransferError):
        return replace(matrix.line, remarks=(f"not obtainable: {size}",))
    order, entries = matrix.entry.order or 0, matrix.entry.nnz_with_zeros or 0
    archive = costs.archive_bytes_of(entries) if size is None else size
    artefacts = costs.prepared_bytes(order, entries + order) + costs.reference_bytes(order)
    memory = _preparing_memory(matrix.entry)
    lacking = () if fits(memory, facts.limits) else (f"will not fit: {_lack(memory, facts.limits)}",)
    return replace(
        matrix.line,
        download=archive if first else 0,
        disk=artefacts + (costs.matrix_bytes_of(archive) if first else 0),
        guessed=size is None,
        memory=memory,
        at_least=True,
        remarks=lacking,
        cases=len(matrix.cases),
        bound=facts.limits.seconds * (1 + len(matrix.cases)),
    )


def _prepared(matrix: Matrix, limits: Limits) -> Prepared:
    """The prepared matrix, made now if need be. Raises MemoryBudgetError where there is too little memory for
    that, and what `prepare` raises."""
    needed = _preparing_memory(matrix.entry)
    is_prepared = prepared_path(matrix.entry.id, matrix.preparation).is_file()
    if not (is_prepared or fits(needed, limits)):
        raise MemoryBudgetError(_lack(needed, limits))
    return prepare(matrix.entry.id, matrix.preparation)


def _preparing_memory(entry: catalogue.Entry) -> int:
    return costs.preparing_memory(entry.order or 0, entry.nnz_with_zeros or 0)


def _present(matrix: Matrix, prepared: Prepared, facts: Facts) -> Line:
    limits, pattern = facts.limits, prepared.pattern
    stages = {case.stage for case in matrix.cases}
    on_graphs = bool(stages) and all(stage_of(stage).on_graph for stage in stages)
    work = costs.graph_work(pattern) if on_graphs else costs.forecast_work(pattern, stages)
    cases = [
        case
        for case in matrix.cases
        if facts.fresh or settling_record(case, prepared.hash, limits, facts.processes) is None
    ]
    has_reference = on_graphs or reference_path(prepared.hash).is_file()
    steps = [
        (case.implementation, costs.case_seconds(case, work, facts.rates, facts.processes)) for case in cases
    ]
    unknown = tuple(name for name, seconds in steps if seconds is None)
    if cases and not has_reference:
        reference = "the reference, without which nothing is measured"
        steps.append((reference, costs.reference_seconds(work, facts.rates)))
    memory = work.memory if cases else 0
    return replace(
        matrix.line,
        order=pattern.n,
        entries=pattern.nnz,
        disk=0 if has_reference else costs.reference_bytes(pattern.n),
        memory=memory,
        cases=len(cases),
        unknown=unknown,
        assumed=tuple(case.implementation for case in cases if _is_assumed(case, facts)),
        seconds=sum(min(seconds, limits.seconds) for _, seconds in steps if seconds is not None),
        bound=limits.seconds * len(steps),
        remarks=_remarks(steps, memory, len(matrix.cases) - len(cases), limits),
    )


def _is_assumed(case: Case, facts: Facts) -> bool:
    rate = facts.rates.get(kind_of(case))
    return rate is not None and rate.records == 0


def _remarks(steps: Sequence[_Step], memory: int, stored: int, limits: Limits) -> tuple[str, ...]:
    """steps : name and predicted seconds, None where there is no rate."""
    beyond = dict.fromkeys(name for name, seconds in steps if (seconds or 0) > limits.seconds)
    remarks = [
        (not fits(memory, limits), f"will not fit: {_lack(memory, limits)}"),
        (bool(beyond), f"beyond the {limits.seconds:g} s limit: {', '.join(beyond)}"),
        (bool(stored), f"{stored} stored" if steps else "stored"),
    ]
    return tuple(text for applies, text in remarks if applies)


def fits(needed: int | None, limits: Limits) -> bool:
    return needed is None or limits.memory is None or needed <= limits.memory


def _lack(needed: int, limits: Limits) -> str:
    return f"needs {bytes_text(needed)} of memory, {bytes_text(limits.memory or 0)} may be used"
