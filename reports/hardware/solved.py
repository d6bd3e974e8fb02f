"""What several machines have solved, as rows of the one table: which question each case answers, and how a
machine stands to the first."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fillpath import registry, source
from fillpath.case import Case
from fillpath.errors import UnknownNameError
from fillpath.processes import representative
from fillpath.registry import Implementation
from reports.facts.means import geometric_mean
from reports.facts.records import Records
from reports.table import case_table
from reports.verbs import fact

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
RATIO = ["ratio", "ratio_low", "ratio_high"]
NO_RECORD = "no record"
SUSPECT = "suspect: faster than its bytes can be moved"
# Options that make other work of a stage's problem, and which.
_OTHER_WORK: Mapping[str, str] = {
    "output": "row counts only",
    "virtual_gpus": "simulates several GPUs in turn",
    "nodes": "simulates several nodes in turn",
    "ranks": "by MPI ranks, a launch of its own",
    "sharing": "finds supernodes too",
}


def solved(machines: Sequence[str], records: Records) -> pd.DataFrame:
    """Return one row per machine and case that any of them has a record of, by machines and cases.

    input_hash, checksum : of the matrix of an ok row, prepared and as it comes
    cores : of the processor that it could use, none on a GPU
    joules : of one solution, where a counter was read
    failure : why it has no time; why : why it has none to compare
    entry : the implementation, None where it is not here
    draw : whether it is a further one of random numbers
    part : whether it was limited to fewer threads than the machine has, and has work for more
    """
    own = {name: records.of_machine(name) for name in machines}
    names = {record.case for each in own.values() for record in each.rows}
    cases = [Case.parse(name) for name in sorted(names, key=lambda name: (name.partition("@")[0], name))]
    tables = [case_table(each, cases, (), "").assign(machine=name) for name, each in own.items()]
    rows = pd.concat(tables, ignore_index=True)
    standing = [representative(runs) if runs else None for runs in rows["runs"]]
    content = [(record and record.prepared) or {} for record in standing]
    prepared = pd.DataFrame(content, rows.index, ["hash", "checksum"], dtype="object")
    energy = [record.energy if record else None for record in standing]
    entries = [find(*code) for code in zip(rows["stage"], rows["implementation"], strict=True)]
    sequential = np.array([entry is not None and _is_sequential(entry) for entry in entries], dtype=bool)
    failure = (rows["status"].str.replace("_", " ") + ": " + rows["reason"]).str.removesuffix(": ")
    failure = failure.mask(rows["status"] == "not_run", NO_RECORD).mask(rows["status"] == "ok", "")
    return rows.assign(
        machine=pd.Categorical(rows["machine"], list(machines)),
        cores=rows["threads_used"].mask(sequential, 1.0).where(rows["device"].isna()).astype("Int64"),
        joules=[float(np.median(joules)) if joules else np.nan for joules in energy],
        failure=failure,
        why=failure.mask((failure == "") & rows["suspect"].astype(bool), SUSPECT),
        draw=rows["case"].str.contains(r"^[^@]*\.seed="),
        part=(rows["threads"] > 0) & ~sequential,
        input_hash=prepared["hash"],
        checksum=prepared["checksum"],
        entry=pd.Series(entries, rows.index, dtype="object"),
    )


def find(stage: str, name: str) -> Implementation | None:
    """Return the implementation of that name, None where it is not here, as a colleague's own."""
    try:
        return registry.lookup(stage, name)
    except UnknownNameError:
        return None


@functools.cache
def _is_sequential(entry: Implementation) -> bool:
    """Return whether it works on one core throughout: its summary says so, and no loop of it is parallel."""
    if "(sequential" not in entry.summary:
        return False
    return not any("prange" in text for text in source.texts(entry.function, entry.takes, entry.kernels))


def asked(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of problems, with what each answers.

    problem : a stage of PROBLEMS
    place : what a case's name says of the problem's input, also without a prepared matrix
    question : what makes two problems on one input one, None without a verified result
    input : of the question, for people. One input may have several, such as two names of one order
    unlike : why the time is not of the whole problem alone, empty where it is

    rows : of `solved`
    """
    rows = rows[rows["stage"].isin(PROBLEMS)]
    ordered = rows["stage"].isin(ORDERED)
    place = rows["matrix"].where(~ordered, rows["matrix"] + "." + rows["preparation"])
    # The ordered matrix's content, or that of its source in any order.
    diagonal = rows["preparation"].str.extract("(diagonal=.*)", expand=False).fillna("")
    source_of = rows["checksum"].fillna(rows["matrix"]) + " " + rows["entries"].astype(str) + diagonal
    notes = _notes(rows)
    question = rows["stage"] + "\n" + rows["input_hash"].where(ordered, source_of) + notes
    of_peer = ordered & np.array([bool(entry and entry.peer) for entry in rows["entry"]], dtype=bool)
    other_work = [rows["options"].str.contains(rf"\b{name}=") for name in _OTHER_WORK]
    unlike = np.select(
        [rows["suspect"].astype(bool), of_peer, *other_work, rows["draw"], rows["part"]],
        [
            SUSPECT,
            "a peer, which factorises from the matrix on",
            *_OTHER_WORK.values(),
            "one of several draws of random numbers",
            "limited to fewer threads than the machine has",
        ],
        "",
    )
    return rows.assign(
        problem=pd.Categorical(rows["stage"], list(PROBLEMS)),
        place=rows["stage"] + " " + place,
        question=question.where(rows["input_hash"].notna()),
        input=place + notes,
        unlike=unlike,
    )


def _notes(rows: pd.DataFrame) -> pd.Series[str]:
    """Return what the input is beside the matrix, empty where it is as usual."""
    dtype, rhs = _option(rows, "dtype", "float64"), _option(rows, "rhs", "random")
    pivots = fact(rows, "small_pivots").fillna(0).astype(int)
    replaced = (", " + pivots.astype(str) + " pivots replaced").where(pivots > 0, "")
    by_stage = {
        "numeric": ", " + dtype + replaced,
        "solve": (", " + dtype).where(dtype != "float64", ""),
        "laplacian": (", rhs=" + rhs).where(rhs != "random", ""),
    }
    stages = [rows["stage"] == stage for stage in by_stage]
    return pd.Series(np.select(stages, list(by_stage.values()), ""), rows.index, dtype="object")


def _option(rows: pd.DataFrame, name: str, default: str) -> pd.Series[str]:
    """Return an option's value as text, the implementation's default where the case does not say."""
    usual = [
        next((o.text(o.default) for o in (entry.options if entry else ()) if o.name == name), default)
        for entry in rows["entry"]
    ]
    said = rows["options"].str.extract(rf"\b{name}=(\S+)", expand=False).astype("object")
    return said.fillna(pd.Series(usual, rows.index, dtype="object"))


def first_of(rows: pd.DataFrame) -> str:
    """Return the machine that the others are held against."""
    return str(rows["machine"].cat.categories[0])


def over_first(rows: pd.DataFrame, *key: str) -> pd.DataFrame:
    """Return the rows with what the first machine has of the same key as `first_...`, and RATIO.

    RATIO is of the first's seconds over the row's. Processes of two machines are no pairs, so that the ends
    are what the two intervals allow.
    """
    first = rows[rows["machine"] == first_of(rows)].set_index(list(key)).add_prefix("first_")
    both = rows.merge(first.reset_index(), on=list(key), validate="many_to_one")
    return both.assign(
        ratio=both["first_median"] / both["median"],
        ratio_low=both["first_low"] / both["high"],
        ratio_high=both["first_high"] / both["low"],
    )


def means(rows: pd.DataFrame, *by: str) -> pd.DataFrame:
    """Return by group the geometric means of RATIO and of its ends, and of how many rows, `n`."""
    groups = rows.groupby(list(by), observed=True)
    return groups[RATIO].agg(geometric_mean).assign(n=groups.size())


def each(table: pd.DataFrame) -> Iterator[Any]:
    """Yield the rows, a column as an attribute."""
    yield from table.itertuples()
