"""The claim ledger: a verdict follows from records, and what is not judged says what it lacks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from fillpath.case import Case
from fillpath.errors import UnknownNameError
from fillpath.papers import paper_names
from fillpath.record import Record, Status
from reports.facts.claims import claims, find_claim
from reports.facts.records import Records
from reports.facts.standings import JUDGED, Outcome, Standing
from reports.figures import exhibits, figure_of
from reports.pages import ledger
from tests.reports_fakes import BC, ENTRIES, STAND_IN, case_of, measured, unavailable

PAPER = ("gsofa",)
OFF, ON = "gsofa.maxid_ranges=false", "gsofa"
EDGES = {"edges": 10**9, "fills": 10**6, "facts": {"concurrent_sources": 4.0}}


def pair(off: float, on: float, matrix: str, **changes: object) -> list[Record]:
    return [measured(OFF, off, matrix, **changes), measured(ON, on, matrix, **changes)]


def steady(record: Record) -> Record:
    """Samples so near to one another that a direction is certain."""
    middle = record.seconds[1]
    return replace(record, seconds=[middle * factor for factor in (0.999, 1.0, 1.001)])


HERE = [steady(r) for r in pair(1.14, 1.0, BC, work=EDGES)] + [
    steady(r) for r in pair(0.5, 1.0, STAND_IN, work=EDGES)
]
# A machine that has the CPU's cases only.
LAPTOP = replace(measured("fill2_cpu", 1.0), machine="laptop", device=None)
NO_CARD = replace(unavailable(case_of(OFF), 1), machine="laptop")


def cases_of(paper: str, figure: str) -> Sequence[Case]:
    """Figure 14 has the measured cases and one that nobody ran; the others have none."""
    if (paper, figure) != ("gsofa", "fig14"):
        return []
    named = [Case.parse(record.case) for record in HERE]
    return [*dict.fromkeys(named), case_of(OFF, "rma10"), case_of(ON, "rma10")]


@pytest.fixture(scope="module")
def standings() -> dict[tuple[str, str], Standing]:
    records = Records((*HERE, LAPTOP, NO_CARD))
    found = [s for name in ("h200", "laptop") for s in ledger.ledger(name, records, ENTRIES, cases_of, PAPER)]
    assert len(found) == 2 * sum(claim.paper in PAPER for claim in claims().values())
    return {(s.machine, s.claim.id): s for s in found}


MEAN = "gsofa.fig14_maxid_ranges.mean"


def test_a_firm_number_decides_and_the_indicative_one_stands_beside(
    standings: dict[tuple[str, str], Standing],
) -> None:
    standing = standings["h200", MEAN]
    assert standing.outcome is Outcome.REPRODUCED and not standing.indicative
    assert standing.verdict is not None and standing.verdict.measured is not None
    assert standing.verdict.measured.value == pytest.approx(1.14) and standing.verdict.measured.n == 1
    assert standing.verdict.measured.low < 1.14 < standing.verdict.measured.high
    (beside,) = standing.beside
    assert beside.outcome is Outcome.CONTRADICTED and beside.scope == "indicative (stand-in)"
    assert standing.command == f"fillpath remeasure {MEAN}" and standing.figure == "fig14"
    assert standing.records == tuple(f"h200/records/{r.case}.jsonl" for r in HERE[:2])


def test_a_stand_in_alone_is_marked_indicative(standings: dict[tuple[str, str], Standing]) -> None:
    share = standings["h200", "gsofa.fig14_maxid_ranges.largest"]
    assert share.outcome is Outcome.NOT_RUN, "no stand-in for LH is there"
    alone = Records(tuple(HERE[2:]))
    (mean,) = [s for s in ledger.ledger("h200", alone, ENTRIES, cases_of, PAPER) if s.claim.id == MEAN]
    assert mean.outcome is Outcome.CONTRADICTED and mean.indicative
    assert mean.label == "contradicted (indicative)"


def test_what_was_not_run_says_what_is_missing(standings: dict[tuple[str, str], Standing]) -> None:
    mean = standings["laptop", MEAN]
    assert mean.outcome is Outcome.NOT_RUN and mean.verdict is not None and mean.verdict.measured is None
    missing = {lack.kind: lack.what for lack in mean.missing}
    assert any("gsofa" in what for what in missing["GPU"])
    here = {lack.kind: lack.what for lack in standings["h200", MEAN].missing}
    assert here["matrix"] == ("rma10 (RM)",) and "experiment" in here


def test_a_library_that_nothing_wraps_is_what_is_missing() -> None:
    found = ledger.ledger("h200", Records(tuple(HERE)), ENTRIES, lambda paper, figure: [], ["parac"])
    (amgx,) = (s for s in found if s.claim.id == "parac.table3_gpu.below_amgx")
    lacks = {lack.kind: lack.what for lack in amgx.missing}
    assert amgx.outcome is Outcome.NOT_RUN and lacks["library"] == ("AmgX, which nothing here wraps",)


def test_what_cannot_be_tested_says_why(standings: dict[tuple[str, str], Standing]) -> None:
    for machine in ("h200", "laptop"):
        rate = standings[machine, "gsofa.fig13_bandwidth.rate_mean"]
        assert rate.outcome is Outcome.UNTESTABLE and "V100" in rate.why and rate.verdict is None
        scaling = standings[machine, "gsofa.fig19_strong_scaling.each"]
        assert scaling.outcome is Outcome.UNTESTABLE and "264 GPUs" in scaling.why


def test_nothing_is_judged_without_a_measured_number(standings: dict[tuple[str, str], Standing]) -> None:
    for standing in standings.values():
        has_number = standing.verdict is not None and standing.verdict.measured is not None
        assert has_number or standing.outcome not in JUDGED
        assert standing.missing or standing.outcome is not Outcome.NOT_RUN, standing.claim.id


def test_the_json_is_its_schemas_and_the_text_says_that_hardware_differs(
    standings: dict[tuple[str, str], Standing],
) -> None:
    data = ledger.to_json(["h200", "laptop"], list(standings.values()))
    assert json.loads(json.dumps(data)) == data
    told = {(s["machine"], s["claim"]["id"]): s["told"] for s in data["standings"]}
    assert told["h200", MEAN] == "reproduced"
    text = ledger.table(list(standings.values()))
    assert text.startswith("The papers measured on other hardware")
    assert "measured 1.14x (1.138x to 1.142x), n = 1 of 13" in text


def test_a_machine_without_records_is_refused_with_a_hint() -> None:
    with pytest.raises(UnknownNameError, match="did you mean h200"):
        ledger.ledger("h20", Records(tuple(HERE)), ENTRIES, cases_of)


def test_a_verdict_is_never_of_a_failed_case() -> None:
    failed = [replace(r, status=Status.WRONG, seconds=[], reason="2 rows differ") for r in HERE]
    (mean,) = [
        s
        for s in ledger.ledger("h200", Records(tuple(failed)), ENTRIES, cases_of, PAPER)
        if s.claim.id == MEAN
    ]
    assert mean.outcome is Outcome.NOT_RUN
    assert any("2 rows differ" in what for lack in mean.missing for what in lack.what)


def test_every_claim_that_can_be_tested_has_a_figure_that_judges_it() -> None:
    """Each claim that needs nothing has a verdict from its figure even where nothing is measured."""
    judged = set()
    for paper in paper_names():
        for exhibit in exhibits(paper).values():
            found = {v.claim for v in exhibit.verdicts(exhibit.frame(Records(), ENTRIES, []))}
            assert {claim.split(".")[1] for claim in found} <= set(exhibit.subjects), exhibit.name
            judged |= found
    testable = {claim.id for claim in claims().values() if not claim.needs}
    assert testable <= judged


def test_a_claims_figure_is_found_and_a_misspelt_one_is_named() -> None:
    found = find_claim(MEAN)
    assert figure_of(found.paper, found.subject) == "fig14"
    with pytest.raises(UnknownNameError, match="did you mean"):
        find_claim("gsofa.fig14_maxid_range.mean")
    with pytest.raises(UnknownNameError, match="nothing measures it"):
        figure_of("ooclu", "table1_card")
