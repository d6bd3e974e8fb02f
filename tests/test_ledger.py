"""The claim ledger: a verdict follows from records, and what is not judged says what it lacks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from commands._records import records_of
from fetch import catalogue
from fillpath.case import Case
from fillpath.errors import UnknownNameError
from fillpath.papers import paper_names
from fillpath.peers import peer
from fillpath.record import Record, Status
from reports import figures
from reports.claims.standing import Standing
from reports.claims.verdict import JUDGED, Outcome, Scope
from reports.facts.claim import Kind
from reports.facts.claims import claims, find_claim
from reports.facts.records import Records
from reports.figures import exhibits, figure_of
from reports.pages import ledger
from reports.pages.ledger.headline import headline
from tests.reports_fakes import ENTRIES, Made, case_of, made_record, measured, unavailable
from tests.reports_fakes import ledger as ledger_of

PAPER = ("gsofa",)
OFF, ON = "gsofa.maxid_ranges=false", "gsofa"
WORK = {"edges": 10**9, "fills": 10**6, "facts": {"concurrent_sources": 4.0}}
# Seven of GSoFA's own matrices, more than half of them; one near enough to stand in for TT, one not.
OWN = {
    "bcsstk18": "HB", "epb2": "Averous", "bbmat": "Simon", "g7jac200sc": "Hollinger",
    "dielFilterV2real": "Dziekonski", "stomach": "Norris", "audikw_1": "GHS_psdef",
}  # fmt: skip
NEAR, FAR = "circuit,30000", "circuit,4000"
MATRICES = (
    *(Made(name, group, name) for name, group in OWN.items()),
    Made("rma10", "Bova", "rma10", papers=("gsofa",)),
    Made("twotone", "ATandT", "twotone", papers=("gsofa",), order=120750, nnz=1206265, kind="circuit"),
    Made(NEAR, "", "circuit:30000", ("twotone",), order=30000, nnz=250000, kind="circuit"),
    Made(FAR, "", "circuit:4000", ("twotone",), order=4000, nnz=16000, kind="circuit"),
)


def pair(off: float, on: float, matrix: str, **changes: object) -> list[Record]:
    return [measured(OFF, off, matrix, **changes), measured(ON, on, matrix, **changes)]


def steady(record: Record) -> Record:
    """Samples so near to one another that a direction is certain; of a matrix whose symmetry is not known."""
    middle = record.seconds[1]
    prepared = {**(record.prepared or {}), "structural_symmetry": None}
    return replace(record, seconds=[middle * factor for factor in (0.999, 1.0, 1.001)], prepared=prepared)


HERE = [steady(r) for matrix in OWN for r in pair(1.14, 1.0, matrix, work=WORK)]
INSTEAD = [
    steady(r)
    for matrix, off in ((NEAR, 0.5), (FAR, 9.0))
    for r in pair(off, 1.0, matrix, work={**WORK, "fills": None})
]
# A machine that has the CPU's cases only.
LAPTOP = replace(measured("fill2_cpu", 1.0), machine="laptop", device=None)
NO_CARD = replace(unavailable(case_of(OFF), 1), machine="laptop")


def cases_of(paper: str, figure: str) -> Sequence[Case]:
    """Figure 14 has the measured cases and one that nobody ran; the others have none."""
    if (paper, figure) != ("gsofa", "fig14"):
        return []
    named = [Case.parse(record.case) for record in (*HERE, *INSTEAD)]
    return [*dict.fromkeys(named), case_of(OFF, "rma10"), case_of(ON, "rma10")]


@pytest.fixture(scope="module")
def standings() -> dict[tuple[str, str], Standing]:
    records = Records((*HERE, *INSTEAD, LAPTOP, NO_CARD))
    found = [s for name in ("h200", "laptop") for s in ledger_of(name, records, MATRICES, cases_of, PAPER)]
    assert len(found) == 2 * sum(claim.paper in PAPER for claim in claims().values())
    return {(s.machine, s.claim.id): s for s in found}


MEAN = "gsofa.fig14_maxid_ranges.mean"


def mean_of(records: Sequence[Record]) -> Standing:
    """How MEAN stands by these records: its figure alone is judged."""
    shown = {"fig14": exhibits("gsofa")["fig14"]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "exhibits", lambda paper: shown)
        found = ledger_of("h200", Records(tuple(records)), MATRICES, cases_of, PAPER)
    (mean,) = (each for each in found if each.claim.id == MEAN)
    return mean


def test_the_papers_own_matrices_decide_and_stand_ins_stand_beside(
    standings: dict[tuple[str, str], Standing],
) -> None:
    standing = standings["h200", MEAN]
    assert standing.outcome is Outcome.REPRODUCED and standing.doubt == "1 process of 5"
    assert standing.verdict is not None
    assert standing.verdict.value == pytest.approx(1.14) and standing.verdict.n == 7
    assert standing.verdict.low < 1.14 < standing.verdict.high
    (instead,) = standing.also
    assert instead.outcome is Outcome.INCONCLUSIVE and instead.scope is Scope.STAND_INS
    assert instead.value == pytest.approx(0.5), "the far one is not in it"
    assert standing.label == ("reproduced on 7 of 13 (indicative); inconclusive on stand-ins for 1 of 13")
    far = [other.numbers for other in standing.beside if other.outcome is Outcome.BESIDE]
    assert any("9x (circuit:4000)" in numbers for numbers in far)
    assert standing.command == f"fillpath remeasure {MEAN}" and standing.figure == "fig14"
    assert standing.records == tuple(f"h200/records/{r.case}.jsonl" for r in HERE)


def test_stand_ins_alone_are_indicative_and_one_too_far_is_none(
    standings: dict[tuple[str, str], Standing],
) -> None:
    largest = standings["h200", "gsofa.fig14_maxid_ranges.largest"]
    assert largest.outcome is Outcome.NOT_RUN and [v.scope for v in largest.beside] == [Scope.PANEL]
    assert mean_of(INSTEAD).label == "inconclusive on stand-ins for 1 of 13"
    none = mean_of([record for record in INSTEAD if FAR in record.case])
    assert none.outcome is Outcome.NOT_RUN and "too far to stand in: circuit:4000 (TT: n 0.033x" in none.why


def test_the_headline_is_about_performance_and_counts_kinds_apart(
    standings: dict[tuple[str, str], Standing],
) -> None:
    here = [s for (machine, _), s in standings.items() if machine == "h200"]
    performance = sum(s.claim.kind is Kind.PERFORMANCE for s in here)
    first, second, third = headline("h200", here)
    assert first.startswith(f"None of the {performance} performance claims is firmly reproduced on h200: ")
    assert "1 is reproduced indicatively" in first and "deviates firmly" not in first
    assert "facts of input files" in second and "structure" in second and "words" in third
    firm = [replace(s, doubt="") if s.claim.id == MEAN else s for s in here]
    assert headline("h200", firm)[0].startswith(
        f"1 of the {performance} performance claims is firmly reproduced"
    )
    assert "reproduced indicatively" not in headline("h200", firm)[0]
    deviates = [replace(s, outcome=Outcome.DEVIATES) if s.claim.id == MEAN else s for s in firm]
    assert "1 deviates firmly" in headline("h200", deviates)[0]


def test_what_was_not_run_says_what_is_missing(standings: dict[tuple[str, str], Standing]) -> None:
    mean = standings["laptop", MEAN]
    assert mean.outcome is Outcome.NOT_RUN and mean.verdict is not None and mean.verdict.n == 0
    missing = {lack.kind: lack.what for lack in mean.missing}
    assert any("gsofa" in what for what in missing["GPU"])
    here = {lack.kind: lack.what for lack in standings["h200", MEAN].missing}
    assert here["matrix"] == ("rma10 (RM)",) and "experiment" in here


def test_a_library_without_a_result_is_what_is_missing() -> None:
    found = ledger_of("h200", Records(tuple(HERE)), MATRICES, lambda paper, figure: [], ["parac"])
    (amgx,) = (s for s in found if s.claim.id == "parac.table3_gpu.below_amgx")
    lacks = {lack.kind: lack.what for lack in amgx.missing}
    assert amgx.outcome is Outcome.NOT_RUN
    assert lacks["library"] == (f"AmgX, of which no result is here: {peer('amgx').command}",)


def test_a_peer_that_was_measured_lacks_no_library_and_too_few_cores_are_none() -> None:
    case = Case.parse("laplacian.hypre@ecology1.amd")
    solved = replace(made_record(case, 1), machine="h200")
    wide = replace(case, options=(("ranks", "16"),))
    few = unavailable(wide, 2)
    few = replace(few, machine="h200", reason="16 ranks, and this machine has 2 cores")
    of_table2 = {"table2": [case, wide]}
    found = ledger_of(
        "h200",
        Records((solved, few)),
        catalogue.entries(),
        lambda paper, figure: of_table2.get(figure, []),
        ["parac"],
    )
    (below,) = (s for s in found if s.claim.id == "parac.table2_cpu.below_hypre")
    assert "library" not in {lack.kind for lack in below.missing}
    assert below.figure == "table2" and below.missing, "ParAC was not measured"
    (at_all,) = (s for s in found if s.claim.id == "parac.table3_gpu.below_amgx")
    assert "library" in {lack.kind for lack in at_all.missing}


def test_what_cannot_be_tested_says_why(standings: dict[tuple[str, str], Standing]) -> None:
    for machine in ("h200", "laptop"):
        scaling = standings[machine, "gsofa.fig19_strong_scaling.each"]
        assert scaling.outcome is Outcome.UNTESTABLE and "264 GPUs" in scaling.why


def test_nothing_is_judged_without_a_measured_number(standings: dict[tuple[str, str], Standing]) -> None:
    for standing in standings.values():
        has_number = standing.verdict is not None and standing.verdict.n
        assert has_number or standing.outcome not in JUDGED
        assert standing.missing or standing.outcome is not Outcome.NOT_RUN, standing.claim.id


def test_the_json_is_its_schemas_and_the_text_says_that_hardware_differs(
    standings: dict[tuple[str, str], Standing],
) -> None:
    data = ledger.to_json(["h200", "laptop"], list(standings.values()))
    assert json.loads(json.dumps(data)) == data
    labels = {(s["machine"], s["claim"]["id"]): s["label"] for s in data["standings"]}
    assert labels["h200", MEAN].startswith("reproduced on 7 of 13 (indicative)")
    text = ledger.table(list(standings.values()))
    assert text.startswith("The papers measured on other hardware")
    assert "measured 1.14x (1.138x to 1.142x), n = 7 of 13" in text


def test_a_machine_without_records_is_refused_with_a_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "h200" / "records").mkdir(parents=True)
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path))
    with pytest.raises(UnknownNameError, match="did you mean h200"):
        records_of("h20")


def test_a_verdict_is_never_of_a_failed_case() -> None:
    failed = [replace(r, status=Status.WRONG, seconds=[], reason="2 rows differ") for r in HERE]
    mean = mean_of(failed)
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
