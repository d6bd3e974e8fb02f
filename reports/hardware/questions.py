"""Which cases answer one question, whoever implements them: the same problem, on the same input, and no other
work."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from fillpath import registry, source
from fillpath.case import Case
from fillpath.errors import UnknownNameError
from fillpath.record import Record
from fillpath.registry import Implementation
from reports.table import TRANSFERS

# What a user wants solved, by its stage, as a user calls it.
PROBLEMS: Mapping[str, str] = {
    "symbolic": "symbolic pattern of A",
    "numeric": "factor, its pattern given",
    "solve": "A x = b",
    "laplacian": "Laplacian system",
}
# Problems whose input is the matrix in its order. A linear system is the same one in any order: there the
# order belongs to the solution.
ORDERED = ("symbolic", "numeric")
SUSPECT = "suspect: faster than its bytes can be moved"
# Options that make other work of a stage's problem, and which.
_OTHER_WORK: Mapping[str, str] = {
    "output": "row counts only",
    "virtual_gpus": "simulates several GPUs in turn",
    "nodes": "simulates several nodes in turn",
    "ranks": "by MPI ranks, a launch of its own",
    "sharing": "finds supernodes too",
}


def asked(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of problems, with what each answers.

    problem : a stage of PROBLEMS
    place : what a case's name says of the problem's input, also without a prepared matrix
    question : what makes two problems on one input one, None without a verified result
    input : of the question, for people. One input may have several, such as two names of one order
    unlike : why the time is not of the whole problem alone, empty where it is

    rows : of `comparison.solved`
    """
    rows = rows[rows["stage"].isin(PROBLEMS)]
    cases = [Case.parse(name) for name in rows["case"]]
    found = [
        _question(case, record) if record is not None and record.prepared is not None else (None, "")
        for case, record in zip(cases, rows["record"], strict=True)
    ]
    return rows.assign(
        problem=pd.Categorical(rows["stage"], list(PROBLEMS)),
        place=[" ".join((case.stage, *_matrix_of(case))) for case in cases],
        question=pd.Series([question for question, _ in found], rows.index, dtype="object"),
        input=[name for _, name in found],
        unlike=[_unlike(*each) for each in zip(cases, rows["suspect"], strict=True)],
    )


def implementation_of(case: Case) -> Implementation | None:
    """Return the case's implementation, None where it is not here."""
    try:
        return registry.lookup(case.stage, case.implementation)
    except UnknownNameError:
        return None


def is_sequential(case: Case) -> bool:
    """Return whether its implementation works on one core throughout: its summary says so, and no loop of its
    code is parallel."""
    implementation = implementation_of(case)
    return implementation is not None and _is_sequential(implementation.stage, implementation.name)


@functools.cache
def _is_sequential(stage: str, name: str) -> bool:
    entry = registry.lookup(stage, name)
    texts = source.texts(entry.function, entry.takes, entry.kernels)
    return "(sequential" in entry.summary and not any("prange" in text for text in texts)


def is_part(case: Case) -> bool:
    """Return whether it was limited to fewer threads than the machine has, and has work for more."""
    return bool(case.threads) and not is_sequential(case)


def with_copies(record: Record) -> list[float]:
    """Return the seconds of each sample with those of copying the input to the device and the result back.

    Where a GPU's copies were not measured there are none.
    """
    if record.device is None:
        return record.samples
    copies = [record.phases.get(name) for name in TRANSFERS]
    medians = [float(np.median(seconds)) for seconds in copies if seconds]
    whole = len(medians) == len(TRANSFERS)
    return [seconds + sum(medians) for seconds in record.samples] if whole else []


def _unlike(case: Case, suspect: bool) -> str:
    implementation = implementation_of(case)
    if suspect:
        return SUSPECT
    if case.stage in ORDERED and implementation is not None and implementation.peer:
        return "a peer, which factorises from the matrix on"
    for name, work in _OTHER_WORK.items():
        if name in dict(case.options):
            return work
    if case.seed:
        return "one of several draws of random numbers"
    return "limited to fewer threads than the machine has" if is_part(case) else ""


def _matrix_of(case: Case) -> tuple[str, ...]:
    return (case.matrix, case.preparation.name) if case.stage in ORDERED else (case.matrix,)


def _question(case: Case, record: Record) -> tuple[str, str]:
    """Return what makes two questions one, and what people call the input."""
    prepared: Mapping[str, Any] = record.prepared or {}
    # The ordered matrix's content, or that of its source in any order.
    source_of = prepared.get("checksum") or case.matrix, prepared.get("entries"), case.preparation.diagonal
    content = (prepared["hash"],) if case.stage in ORDERED else source_of
    notes = [note for note in _notes(case, record) if note]
    question = "\n".join(map(str, (case.stage, *content, *notes)))
    return question, ", ".join([".".join(_matrix_of(case)), *notes])


def _notes(case: Case, record: Record) -> list[str]:
    """Return what the input is beside the matrix, empty where it is as usual."""
    match case.stage:
        case "laplacian":
            rhs = _option(case, "rhs", "random")
            return ["" if rhs == "random" else f"rhs={rhs}"]
        case "solve":
            dtype = _option(case, "dtype", "float64")
            return ["" if dtype == "float64" else dtype]
        case "numeric":
            replaced = int(((record.work or {}).get("facts") or {}).get("small_pivots", 0))
            return [_option(case, "dtype", "float64"), f"{replaced} pivots replaced" if replaced else ""]
    return []


def _option(case: Case, name: str, default: str) -> str:
    """Return its value as text, the implementation's default where the case does not say."""
    implementation = implementation_of(case)
    options = implementation.options if implementation else ()
    defaults = {option.name: option.text(option.default) for option in options}
    return dict(case.options).get(name, defaults.get(name, default))
