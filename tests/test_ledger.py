"""The claim ledger: a verdict follows from records, and what is not judged says what it lacks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

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
from reports.pages.ledger.document import to_json
from reports.pages.ledger.text import headline, table
from tests.reports_fakes import ENTRIES, Made, case_of, ledger, made_record, measured, unavailable

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


MEAN = "gsofa.fig14_maxid_ranges.mean"
Standings = dict[tuple[str, str], Standing]


def judged(
    records: Sequence[Record], machines: Sequence[str] = ("h200",), papers: Sequence[str] = PAPER,
    entries: Sequence[Any] = MATRICES, cases: Callable[[str, str], Sequence[Case]] = cases_of,
) -> Standings:  # fmt: skip
    """How the claims of these papers stand, by machine and claim."""
    every = Records(tuple(records))
    found = [s for name in machines for s in ledger(name, every, entries, cases, papers)]
    assert len(found) == len(machines) * sum(claim.paper in papers for claim in claims().values())
    return {(s.machine, s.claim.id): s for s in found}


def lacks(standing: Standing) -> dict[str, tuple[str, ...]]:
    return {lack.kind: lack.what for lack in standing.missing}


@pytest.fixture(scope="module")
def standings() -> Standings:
    return judged((*HERE, *INSTEAD, LAPTOP, NO_CARD), ("h200", "laptop"))


@pytest.fixture
def mean_of(monkeypatch: pytest.MonkeyPatch) -> Callable[[Sequence[Record]], Standing]:
    """How MEAN stands by records: its figure alone is judged."""
    shown = {"fig14": exhibits("gsofa")["fig14"]}
    monkeypatch.setattr(figures, "exhibits", lambda paper: shown)
    return lambda records: judged(records)["h200", MEAN]


def test_the_papers_own_matrices_decide_and_stand_ins_stand_beside(standings: Standings) -> None:
    standing = standings["h200", MEAN]
    assert standing.outcome is Outcome.REPRODUCED and standing.doubt == "1 process of 5"
    assert standing.verdict is not None
    assert standing.verdict.value == pytest.approx(1.14) and standing.verdict.n == 7
    assert standing.verdict.low < 1.14 < standing.verdict.high
    (instead,) = standing.also
    assert instead.outcome is Outcome.INCONCLUSIVE and instead.scope is Scope.STAND_INS
    assert instead.value == pytest.approx(0.5), "the far one is not in it"
    assert standing.label == "reproduced on 7 of 13 (indicative); inconclusive on stand-ins for 1 of 13"
    far = [other.numbers for other in standing.beside if other.outcome is Outcome.BESIDE]
    assert any("9x (circuit:4000)" in numbers for numbers in far)
    assert standing.command == f"fillpath remeasure {MEAN}" and standing.figure == "fig14"
    assert standing.records == tuple(f"h200/records/{r.case}.jsonl" for r in HERE)
    assert lacks(standing)["matrix"] == ("rma10 (RM)",) and "experiment" in lacks(standing)


def test_stand_ins_alone_are_indicative_and_one_too_far_or_failed_is_none(
    standings: Standings, mean_of: Callable[[Sequence[Record]], Standing]
) -> None:
    largest = standings["h200", "gsofa.fig14_maxid_ranges.largest"]
    assert largest.outcome is Outcome.NOT_RUN and [v.scope for v in largest.beside] == [Scope.PANEL]
    assert mean_of(INSTEAD).label == "inconclusive on stand-ins for 1 of 13"
    none = mean_of([record for record in INSTEAD if FAR in record.case])
    assert none.outcome is Outcome.NOT_RUN and "too far to stand in: circuit:4000 (TT: n 0.033x" in none.why
    mean = mean_of([replace(r, status=Status.WRONG, seconds=[], reason="2 rows differ") for r in HERE])
    assert mean.outcome is Outcome.NOT_RUN
    assert any("2 rows differ" in what for whats in lacks(mean).values() for what in whats)


def test_the_headline_is_about_performance_and_counts_kinds_apart(standings: Standings) -> None:
    here = [s for (machine, _), s in standings.items() if machine == "h200"]
    performance = sum(s.claim.kind is Kind.PERFORMANCE for s in here)
    first, second, third = headline("h200", here)
    assert first.startswith(f"None of the {performance} performance claims is firmly reproduced on h200: ")
    assert "1 is reproduced indicatively" in first and "deviates firmly" not in first
    assert "facts of input files" in second and "structure" in second and "words" in third
    firm = [replace(s, doubt="") if s.claim.id == MEAN else s for s in here]
    first, *_ = headline("h200", firm)
    assert first.startswith(f"1 of the {performance} performance claims is firmly reproduced")
    assert "reproduced indicatively" not in first
    deviates = [replace(s, outcome=Outcome.DEVIATES) if s.claim.id == MEAN else s for s in firm]
    assert "1 deviates firmly" in headline("h200", deviates)[0]


def test_a_library_without_a_result_is_what_is_missing() -> None:
    """Where HYPRE was measured it is none, nor are too few cores."""
    case = Case.parse("laplacian.hypre@ecology1.amd")
    wide = replace(case, options=(("ranks", "16"),))
    few = replace(unavailable(wide, 2), machine="h200", reason="16 ranks, and this machine has 2 cores")
    records = [replace(made_record(case, 1), machine="h200"), few]
    cases = {"table2": [case, wide]}
    found = judged(records, ("h200",), ["parac"], catalogue.entries(), lambda _, name: cases.get(name, []))
    below, amgx = (
        found["h200", f"parac.{name}"] for name in ("table2_cpu.below_hypre", "table3_gpu.below_amgx")
    )
    assert below.figure == "table2" and lacks(below) and "library" not in lacks(below), "ParAC was not run"
    assert amgx.outcome is Outcome.NOT_RUN
    assert lacks(amgx)["library"] == (f"AmgX, of which no result is here: {peer('amgx').command}",)


def test_what_is_not_judged_says_why_and_what_is_missing(standings: Standings) -> None:
    for machine in ("h200", "laptop"):
        scaling = standings[machine, "gsofa.fig19_strong_scaling.each"]
        assert scaling.outcome is Outcome.UNTESTABLE and "264 GPUs" in scaling.why
    mean = standings["laptop", MEAN]
    assert mean.outcome is Outcome.NOT_RUN and mean.verdict is not None and mean.verdict.n == 0
    assert any("gsofa" in what for what in lacks(mean)["GPU"])
    for standing in standings.values():
        has_number = standing.verdict is not None and standing.verdict.n
        assert has_number or standing.outcome not in JUDGED
        assert standing.missing or standing.outcome is not Outcome.NOT_RUN, standing.claim.id


def test_the_json_is_its_schemas_and_the_text_says_that_hardware_differs(standings: Standings) -> None:
    data = to_json(["h200", "laptop"], list(standings.values()))
    assert json.loads(json.dumps(data)) == data
    labels = {(s["machine"], s["claim"]["id"]): s["label"] for s in data["standings"]}
    assert labels == {key: standing.label for key, standing in standings.items()}
    text = table(list(standings.values()))
    assert text.startswith("The papers measured on other hardware")
    assert "measured 1.14x (1.138x to 1.142x), n = 7 of 13" in text


def test_every_claim_that_can_be_tested_has_a_figure_that_judges_it() -> None:
    """Each claim that needs nothing has a verdict from its figure even where nothing is measured."""
    found = set()
    for exhibit in (exhibit for paper in paper_names() for exhibit in exhibits(paper).values()):
        held = {v.claim for v in exhibit.verdicts(exhibit.frame(Records(), ENTRIES, []))}
        assert {claim.split(".")[1] for claim in held} <= set(exhibit.claims), exhibit.name
        found |= held
    assert {claim.id for claim in claims().values() if not claim.needs} <= found


def test_what_is_misspelt_is_refused_with_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = find_claim(MEAN)
    assert figure_of(found.paper, found.subject) == "fig14"
    (tmp_path / "h200" / "records").mkdir(parents=True)
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path))
    with pytest.raises(UnknownNameError, match="did you mean h200"):
        records_of("h20")
    with pytest.raises(UnknownNameError, match="did you mean"):
        find_claim("gsofa.fig14_maxid_range.mean")
    with pytest.raises(UnknownNameError, match="nothing measures it"):
        figure_of("ooclu", "table1_card")
