"""Verdicts of today's gate on records of the old gate: results/<machine>/gate.csv, one row per key.

Records are never rewritten: reports read them through this file. A case whose record is of the old gate
is measured anew. Only a pack that is unpacked here adds rows.
"""

import csv
import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

from fillpath.errors import InputError
from fillpath.record import Record, Status, Verified

NAME = "gate.csv"
STATUSES = (Status.OK, Status.WRONG, Status.UNSUPPORTED)
_REMEDY = "restore it from git, or remove it"
# The method by norms that held factors; the others held residuals.
_OF_FACTORS = "||A - L U||_F / ||A||_F"


@dataclass(frozen=True)
class Row:
    """The verdict of today's gate on the records of a key.

    value, bound, method : float, float, str, as in `Verified`; None and empty without a number
    reason : str, of a status that is not ok
    """

    case: str
    key: str
    status: Status
    value: float | None
    bound: float | None
    method: str
    reason: str

    def __post_init__(self) -> None:
        """Raise ValueError for a verdict that no gate gives."""
        verdict = self.verdict("")
        passes = verdict is not None and verdict.passes
        if self.status not in STATUSES:
            raise ValueError(f"status {self.status}: expected one of {', '.join(STATUSES)}")
        if not all(number is None or math.isfinite(number) for number in (self.value, self.bound)):
            raise ValueError("a value or a bound is no finite number")
        if passes != (self.status is Status.OK) or not (passes or self.reason):
            raise ValueError(f"status {self.status} does not go with its value, bound and reason")

    def verdict(self, by: str) -> Verified | None:
        """Return the verdict, None without a number. by : str, what the result was held against."""
        if self.value is None or self.bound is None:
            return None
        return Verified(by, self.method, self.value, self.bound)


COLUMNS = tuple(each.name for each in fields(Row))
# Rows by their key.
Rows = Mapping[str, Row]


def applied(record: Record, rows: Rows) -> Record:
    """Return the record with today's verdict, where only the old gate has passed it and there is a row."""
    row, old = rows.get(record.key), record.verified
    if row is None or old is None or record.status is not Status.OK or not old.by_norms:
        return record
    held = replace(record, status=row.status, reason=row.reason, verified=row.verdict(old.by))
    if row.status is not Status.OK:
        return replace(held, seconds=[], phases={}, kernel_seconds=None)
    if old.method == _OF_FACTORS:
        return held
    work = record.work or {}
    return replace(held, work={**work, "facts": {"normwise_error": old.value, **(work.get("facts") or {})}})


def read(path: Path) -> Rows:
    """Return the rows of a file, none without it. Raises InputError naming the line."""
    if not path.is_file():
        return {}
    header, *lines = list(csv.reader(io.StringIO(path.read_text(errors="replace")))) or [[]]
    if tuple(header) != COLUMNS:
        raise InputError(f"{path}:1: expected the columns {', '.join(COLUMNS)}; {_REMEDY}")
    rows: dict[str, Row] = {}
    for number, cells in enumerate(lines, start=2):
        try:
            case, key, status, value, bound, method, reason = cells
            low, high = (float(text) if text else None for text in (value, bound))
            row = Row(case, key, Status(status), low, high, method, reason)
        except ValueError as error:
            raise InputError(f"{path}:{number}: not a verdict ({error}); {_REMEDY}") from error
        if row.key in rows:
            raise InputError(f"{path}:{number}: a second verdict on {row.key}; {_REMEDY}")
        rows[row.key] = row
    return rows


def require_known(path: Path, records: Iterable[Record]) -> None:
    """Raise InputError for a damaged file, or a row whose case and key no record has."""
    known = {(record.key, record.case) for record in records}
    for row in read(path).values():
        if (row.key, row.case) not in known:
            raise InputError(f"{path}: no record of {row.case} has the key {row.key}; {_REMEDY}")
