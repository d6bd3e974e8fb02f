"""Solutions on several machines as rows of the table, with questions and ratios to the first machine.

over_first(solved(["h200", "vm"], Records.load()), "case")["ratio"]   # the speed of each machine
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fillpath import registry, source_hashes
from fillpath.case import Case
from fillpath.errors import UnknownNameError
from fillpath.processes import representative
from fillpath.record import Record
from fillpath.registry import Implementation
from reports.facts.means import geometric_mean
from reports.facts.records import Records
from reports.table import COLUMNS, case_table

# A user's name of each problem, by stage.
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
    "seed": "one of several draws of random numbers",
}


def solved(machines: Sequence[str], records: Records) -> pd.DataFrame:
    """Return one row per machine and case that any of them has a record of, by machines and cases.

    joules : of one solution, where a counter was read
    why : why a row has no time to compare, empty where it has one
    part : whether a parallel code was limited to fewer threads than the machine has
    place : the input by the case's name
    question : equal of two problems on one input, None without a verified result
    input : of the question, for people; one input may have several names
    unlike : why the time is not of the whole problem alone, empty where it is
    """
    own = {name: records.of_machine(name) for name in machines}
    names = {record.case for each in own.values() for record in each.rows}
    cases = [Case.parse(name) for name in sorted(names, key=lambda name: name.split("@"))]
    tables = [case_table(each, cases, (), "").assign(machine=name) for name, each in own.items()]
    rows = pd.concat([table.reindex(columns=[*COLUMNS, "small_pivots"]) for table in tables])
    rows, cases = rows.reset_index(drop=True), cases * len(own)
    sequential = np.array([_is_sequential(find(case)) for case in cases], bool)
    standing = [representative(runs) if runs else None for runs in rows["runs"]]
    why = (rows["status"].str.replace("_", " ") + ": " + rows["reason"]).str.removesuffix(": ")
    suspect = rows["suspect"].map({True: SUSPECT}).fillna("")
    why = why.mask(rows["status"] == "not_run", NO_RECORD).mask(rows["status"] == "ok", suspect)
    rows = rows.assign(
        machine=pd.Categorical(rows["machine"], list(machines)),
        joules=[float(np.median(r.energy)) if r and r.energy else np.nan for r in standing],
        why=why,
        part=(rows["threads"] > 0) & ~sequential,
    )
    return _asked(rows, cases, standing)


def _asked(rows: pd.DataFrame, cases: Sequence[Case], standing: Sequence[Record | None]) -> pd.DataFrame:
    """Return the rows with the question of each, by `standing`, the record of each ok row."""
    content = [(record and record.prepared) or {} for record in standing]
    prepared = pd.DataFrame(content, rows.index, ["hash", "checksum"], dtype="object")
    ordered = rows["stage"].isin(ORDERED)
    # The ordered matrix's content, or that of its source in any order.
    source_of = prepared["checksum"].fillna(rows["matrix"]) + "\n" + rows["entries"].astype(str)
    source_of += [f"\n{case.preparation.diagonal}" for case in cases]
    place = rows["matrix"].where(~ordered, rows["matrix"] + "." + rows["preparation"])
    notes = [_notes(*each) for each in zip(cases, rows["small_pivots"].fillna(0), strict=True)]
    question = rows["stage"] + "\n" + prepared["hash"].where(ordered, source_of) + notes
    peer = np.array([bool(entry and entry.peer) for entry in map(find, cases)], bool)
    unlike = {
        SUSPECT: rows["suspect"],
        "a peer, which factorises from the matrix on": ordered & peer,
        **{work: rows["case"].str.contains(f".{name}=", regex=False) for name, work in _OTHER_WORK.items()},
        "limited to fewer threads than the machine has": rows["part"],
    }
    return rows.assign(
        input_hash=prepared["hash"],
        place=rows["stage"] + " " + place,
        question=question.where(prepared["hash"].notna()),
        input=place + notes,
        unlike=np.select([which.astype(bool) for which in unlike.values()], list(unlike), ""),
    )


def _notes(case: Case, pivots: float) -> str:
    """Return the preparation and options of a problem's input, empty where usual."""
    entry = find(case)
    defaults = {option.name: option.text(option.default) for option in (entry.options if entry else ())}
    options = defaults | dict(case.options)
    dtype, rhs = options.get("dtype", "float64"), options.get("rhs", "random")
    notes = {
        "numeric": f", {dtype}" + (f", {pivots:.0f} pivots replaced" if pivots else ""),
        "solve": f", {dtype}" if dtype != "float64" else "",
        "laplacian": f", rhs={rhs}" if rhs != "random" else "",
    }
    return notes.get(case.stage, "")


def find(case: Case) -> Implementation | None:
    """Return the case's implementation, None where it is not here, as a colleague's own."""
    try:
        return registry.lookup(case.stage, case.implementation)
    except UnknownNameError:
        return None


@functools.cache
def _is_sequential(entry: Implementation | None) -> bool:
    """Return whether an implementation uses one core, by its summary and the absence of parallel loops."""
    if entry is None or "(sequential" not in entry.summary:
        return False
    code = source_hashes.texts(entry.function, entry.takes, entry.kernels)
    return not any("prange" in text for text in code)


def over_first(rows: pd.DataFrame, *key: str) -> pd.DataFrame:
    """Return the rows with columns `first_...` and RATIO, the first machine's seconds over the row's."""
    first = rows[rows["machine"].cat.codes == 0].set_index(list(key)).add_prefix("first_").reset_index()
    # One block of each type: pandas warns of frames that are joined of many.
    both = rows.merge(first, on=list(key), validate="many_to_one").copy()
    return both.assign(
        ratio=both["first_median"] / both["median"],
        ratio_low=both["first_low"] / both["high"],
        ratio_high=both["first_high"] / both["low"],
    )


def means(rows: pd.DataFrame, by: list[str], **more: Any) -> pd.DataFrame:
    """Return by group the geometric means of RATIO, how many rows, `n`, and more aggregates by column."""
    ways = dict.fromkeys(RATIO, geometric_mean) | {"n": "size"} | more
    return rows.assign(n=0).groupby(by, observed=True).agg(ways).reset_index()


def each(table: pd.DataFrame) -> Iterator[Any]:
    """Yield the rows, a column as an attribute."""
    yield from table.itertuples()
