"""Ratios of several processes: they are paired by round, count their processes, and may be firm."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fetch import catalogue
from fillpath.case import Case
from fillpath.record import Record
from reports.claims.verdict import Verdict
from reports.exhibit import Exhibit
from reports.ooclu import table3 as page_faults
from reports.parac import fig4, orderings, table2, table3
from tests.reports_fakes import counting, in_five_processes
from tests.test_reports_ooclu import count, three
from tests.test_reports_parac import AS_PRINTED, TABLE3, by_orderings, in_orderings, solved

TOTALS = {"amd": 1.0, "nnz": 2.0, "random": 3.0}
ON_CPU, ON_GPU = (in_orderings(name, TOTALS) for name in ("parac_cpu", "parac_gpu"))


def steady(records: list[Record]) -> list[Record]:
    """Without differences between samples: what is left are those between processes."""
    phases = [{name: [samples[1]] * 3 for name, samples in r.phases.items()} for r in records]
    pairs = zip(records, phases, strict=True)
    return [replace(r, seconds=[r.seconds[1]] * 3, phases=parts, host="1" * 16) for r, parts in pairs]


def verdicts_of(exhibit: Exhibit, records: list[Record], claim: str) -> list[Verdict]:
    five = in_five_processes(records)
    frame = exhibit.frame(five, catalogue.entries(), [Case.parse(record.case) for record in records])
    return [v for v in exhibit.verdicts(frame) if v.claim.rpartition(".")[2] == claim and v.n]


@pytest.mark.parametrize(
    ("exhibit", "records", "claim", "above"),
    [
        (table2.EXHIBIT, [solved("ict", (0.1, 0.1, 1.0)), solved("parac_cpu")], "below_ichol_solve", 1.0),
        (table3.EXHIBIT, [solved(name, parts) for name, parts in TABLE3.items()], "setup", 0.0),
        (orderings.EXHIBIT, ON_CPU, "cpu", 1.0),
        (orderings.EXHIBIT, ON_CPU, "cpu_solve", 1.0),
        (orderings.EXHIBIT, ON_GPU, "gpu", 0.0),
        (fig4.EXHIBIT, by_orderings(AS_PRINTED), "amd_slowest", 1.0),
    ],
)
def test_what_slows_a_round_is_in_no_ratio(
    exhibit: Exhibit, records: list[Record], claim: str, above: float
) -> None:
    """Rounds differ by a factor of 16, so that ends of unpaired intervals would."""
    verdicts = verdicts_of(exhibit, steady(records), claim)
    assert verdicts
    for verdict in verdicts:
        assert (verdict.points["processes"] == 5).all() and verdict.points["bounded"].all()
        assert verdict.points["low"].tolist() == pytest.approx([above] * verdict.n)
        assert verdict.points["high"].tolist() == pytest.approx([above] * verdict.n)


def test_the_share_of_data_movement_has_processes_and_an_interval() -> None:
    base, prefetched, plain = steady(three(1.0, 1.5, 3.0))
    base = replace(base, work=counting(bytes_matrix=1e6, spilled=250_000.0))
    count(plain)
    (verdict,) = verdicts_of(page_faults.EXHIBIT, [base, prefetched, plain], "movement")
    (point,) = verdict.points.itertuples()
    assert point.processes == 5
    assert point.bounded and point.value == pytest.approx(100 * (1e6 + 16 * 250_000) / 5e10)
    assert point.low == pytest.approx(point.value / 4) and point.high == pytest.approx(point.value * 4)
