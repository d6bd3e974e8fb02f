"""What several machines have solved, as rows of the one table, and how a machine stands to the first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fillpath.case import Case
from fillpath.processes import representative
from fillpath.record import Record
from reports.facts.means import geometric_mean
from reports.facts.records import Records
from reports.hardware.questions import SUSPECT, is_sequential
from reports.table import case_table

RATIO = ["ratio", "ratio_low", "ratio_high"]
NO_RECORD = "no record"
_OF_TABLE = [
    "case", "stage", "implementation", "machine", "status", "reason", "suspect", "current", "device",
    "median", "low", "high", "processes", "rounds", "runs",
]  # fmt: skip


def solved(machines: Sequence[str], records: Records) -> pd.DataFrame:
    """Return one row per machine and case that any of them has a record of, by machines and cases.

    record : the record of an ok row that stands for its processes; input_hash : of its prepared matrix
    cores : of the processor that it could use, none on a GPU
    joules : of one solution, where a counter was read
    failure : why it has no time; why : why it has none to compare
    """
    own = [records.of_machine(name) for name in machines]
    names = sorted({record.case for each in own for record in each.rows})
    cases = [Case.parse(name) for name in sorted(names, key=lambda name: (name.partition("@")[0], name))]
    tables = [case_table(each, cases, (), "")[_OF_TABLE] for each in own]
    rows = pd.concat(
        [table.assign(machine=name) for name, table in zip(machines, tables, strict=True)], ignore_index=True
    )
    standing = [representative(runs) if runs else None for runs in rows["runs"]]
    failure = (rows["status"].str.replace("_", " ") + ": " + rows["reason"]).str.removesuffix(": ")
    failure = failure.mask(rows["status"] == "not_run", NO_RECORD).mask(rows["status"] == "ok", "")
    return rows.assign(
        machine=pd.Categorical(rows["machine"], list(machines)),
        record=pd.Series(standing, rows.index, dtype="object"),
        input_hash=pd.Series([_hash(record) for record in standing], rows.index, dtype="object"),
        cores=pd.array([_cores(record) for record in standing], "Int64"),
        joules=[
            float(np.median(record.energy)) if record and record.energy else np.nan for record in standing
        ],
        failure=failure,
        why=failure.mask((failure == "") & rows["suspect"].astype(bool), SUSPECT),
    )


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


def each(table: pd.DataFrame) -> Iterator[Any]:
    """Yield the rows, a column as an attribute."""
    yield from table.itertuples()


def means(rows: pd.DataFrame, *by: str) -> pd.DataFrame:
    """Return by group the geometric means of RATIO and of its ends, and of how many rows, `n`."""
    groups = rows.groupby(list(by), observed=True)
    return groups[RATIO].agg(geometric_mean).assign(n=groups.size())


def _hash(record: Record | None) -> str | None:
    return None if record is None or record.prepared is None else record.prepared["hash"]


def _cores(record: Record | None) -> int | None:
    if record is None or record.device is not None:
        return None
    return 1 if is_sequential(Case.parse(record.case)) else record.threads_used
