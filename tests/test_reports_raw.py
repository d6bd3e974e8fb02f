"""From the raw matrix to x: what is added up, and what is not. All numbers are made up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from fillpath.case import Case
from fillpath.record import Record, Status
from reports.glu3 import raw
from tests.reports_fakes import Made, made_frame, made_record

MATRIX = Made("onetone2", "ATandT", "onetone2", order=36_057, kind="circuit")
PREPARED = {"matching": 0.1, "scaling": 0.2, "ordering": 0.3, "permutation": 0.4}
SOLVED = {"fronts": 0.5, "maps": 0.25, "numeric": 1.0, "triangular": 0.125, "to_device": 0.25, "to_host": 0.5}


def timed(name: str, seconds: float, phases: dict[str, float], **changes: Any) -> Record:
    """A record of one sample, on one host of a card."""
    record = made_record(Case.parse(name), 1)
    parts = {**record.parts, "stage": name.partition(".")[0]}
    held = {phase: [each] for phase, each in phases.items()}
    facts = {"facts": {"entries": 7.0, "height": 3.0}, "edges": None, "fills": None}
    same = {"machine": "h100", "host": "here", "run_id": "run", "device": "NVIDIA H100"}
    whole = {"status": Status.OK, "parts": parts, "seconds": [seconds], "phases": held, "work": facts, **same}
    return replace(record, **{**whole, **changes})


def ordered(**changes: Any) -> Record:
    return timed("preparation.prepare@onetone2.auto+amd", 1.0, PREPARED, device=None, **changes)


def solved(**changes: Any) -> Record:
    return timed("solve.direct_gpu@onetone2.auto+amd", 2.0, **{"phases": SOLVED, **changes})


def row_of(*records: Record) -> pd.Series[Any]:
    return made_frame(raw.EXHIBIT.frame, (MATRIX,), records).iloc[0]


def test_preparation_transfers_and_solution_add_up_once() -> None:
    row = row_of(solved(), ordered())
    assert row["median"] == pytest.approx(1.0 + 0.75 + 2.0) and row["solution"] == 2.0
    parts = {name: row[f"seconds_{name}"] for name in ("matching", "ordering", "permutation", "transfer")}
    assert parts == pytest.approx({"matching": 0.3, "ordering": 0.3, "permutation": 0.4, "transfer": 0.75})
    assert row[[f"seconds_{part.name}" for part in raw.PARTS]].sum() == pytest.approx(row["median"])
    assert (row["height"], row["entries_lu"]) == (3.0, 7.0)


def test_a_peer_that_takes_the_matrix_as_it_comes_has_no_preparation() -> None:
    phases = {"reordering": 1.5, "numeric": 0.5, "to_device": 0.25, "to_host": 0.25}
    row = row_of(timed("solve.cudss@onetone2.natural", 2.0, phases))
    assert (row["median"], row["seconds_ordering"]) == (2.5, 1.5)


def test_a_stopped_solution_took_at_least_so_long_after_its_preparation() -> None:
    row = row_of(solved(status=Status.TIMEOUT, longer_than=60.0), ordered())
    assert (row["status"], row["low"]) == ("timeout", 61.0) and pd.isna(row["median"])


@pytest.mark.parametrize(
    ("records", "status"),
    [
        ([solved()], "no preparation"),
        ([solved(), ordered(host="there")], "two_hosts"),
        ([solved(), ordered(run_id="another")], "two_runs"),
        ([solved(), ordered(status=Status.TIMEOUT, longer_than=60.0)], "no preparation"),
        ([solved(phases={"numeric": 1.0}), ordered()], "no transfers"),
    ],
)
def test_where_a_part_is_missing_there_is_no_sum(records: list[Record], status: str) -> None:
    row = row_of(*records)
    assert row["status"] == status and row[["median", "low", "high"]].isna().all()
