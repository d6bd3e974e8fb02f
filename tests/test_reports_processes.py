"""Ratios of several processes: they are paired by round and count their processes, of which five decide."""

from dataclasses import replace

import pandas as pd
import pytest

from fetch import catalogue
from fillpath.case import Case
from fillpath.record import Record
from reports.claims.verdict import Verdict
from reports.exhibit import Exhibit
from reports.facts.claims import find_claim
from reports.facts.records import Records
from reports.ooclu import table3 as page_faults
from reports.parac import fig4, orderings, table2, table3
from reports.verbs import ENDS
from tests.reports_fakes import counting, in_five_processes
from tests.test_reports_ooclu import count, three
from tests.test_reports_parac import AS_PRINTED, OURS, TABLE3, by_orderings, in_orderings, solved

TOTALS = {"amd": 1.0, "nnz": 2.0, "random": 3.0}
ON_CPU, ON_GPU = (in_orderings(name, TOTALS) for name in ("parac_cpu", "parac_gpu"))


def steady(records: list[Record]) -> list[Record]:
    """Without differences between samples: what is left are those between processes."""
    phases = [{name: [samples[1]] * 3 for name, samples in r.phases.items()} for r in records]
    pairs = zip(records, phases, strict=True)
    return [replace(r, seconds=[r.seconds[1]] * 3, phases=parts, host="1" * 16) for r, parts in pairs]


def frame_of(exhibit: Exhibit, records: Records) -> pd.DataFrame:
    return exhibit.frame(records, catalogue.entries(), [Case.parse(record.case) for record in records.rows])


def verdict_on(claim: str, exhibit: Exhibit, frame: pd.DataFrame) -> Verdict:
    (verdict,) = [v for v in exhibit.verdicts(frame) if v.claim.rpartition(".")[2] == claim and v.n]
    return verdict


@pytest.mark.parametrize(
    ("exhibit", "records", "claim", "above", "outcome"),
    [
        (table2.EXHIBIT, [solved("ict", (0.1, 0.1, 1.0)), OURS], "below_ichol_solve", 1.0, "open"),
        (table3.EXHIBIT, [solved(name, parts) for name, parts in TABLE3.items()], "setup", 0.0, "open"),
        (orderings.EXHIBIT, ON_CPU, "cpu", 1.0, "reproduced"),
        (orderings.EXHIBIT, ON_CPU, "cpu_solve", 1.0, "reproduced"),
        (orderings.EXHIBIT, ON_GPU, "gpu", 0.0, "not reproduced"),
        (fig4.EXHIBIT, by_orderings(AS_PRINTED), "amd_slowest", 1.0, "reproduced"),
    ],
)
def test_what_slows_a_round_is_in_no_ratio(
    exhibit: Exhibit, records: list[Record], claim: str, above: float, outcome: str
) -> None:
    """Rounds differ by a factor of 16, so that ends of unpaired intervals would."""
    frame = frame_of(exhibit, in_five_processes(steady(records)))
    verdict = verdict_on(claim, exhibit, frame)
    assert verdict.outcome == outcome and (verdict.points["processes"] == 5).all()
    assert (verdict.points[["low", "high"]] == above).all(axis=None)
    held = find_claim(verdict.claim).held[0]
    judged = exhibit.subsets[held.subsets](frame)[0].rows if held.subsets else frame
    ratios = judged[[held.column + end for end in ENDS]].dropna(how="all").to_numpy(float)
    assert len(ratios) == verdict.n and ratios == pytest.approx(ratios[:, [0, 0, 0]])
    # The same of one process decides nothing.
    alone = verdict_on(claim, exhibit, frame_of(exhibit, Records(tuple(steady(records)))))
    assert (alone.outcome, alone.processes) == ("open", 1)
    assert alone.why == ("1 process of 5" if outcome != "open" else verdict.why)


def test_the_share_of_data_movement_has_processes_and_an_interval() -> None:
    base, prefetched, plain = steady(three(1.0, 1.5, 3.0))
    base = replace(base, work=counting(bytes_matrix=1e6, spilled=250_000.0))
    count(plain)
    frame = frame_of(page_faults.EXHIBIT, in_five_processes([base, prefetched, plain]))
    verdict = verdict_on("movement", page_faults.EXHIBIT, frame)
    (point,) = verdict.points.itertuples()
    assert verdict.processes == point.processes == 5
    assert point.value == pytest.approx(100 * (1e6 + 16 * 250_000) / 5e10)
    assert point.low == pytest.approx(point.value / 4) and point.high == pytest.approx(point.value * 4)
