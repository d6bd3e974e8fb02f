"""The claim ledger: a verdict follows from records, and what is not judged says what it lacks."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from commands._records import load_records
from fetch import catalogue
from fillpath.case import Case
from fillpath.errors import UnknownNameError
from fillpath.papers import paper_names
from fillpath.peers import peer
from fillpath.record import Record, Status
from reports import figures
from reports.claims.verdict import JUDGED, Outcome, Reason, Standing
from reports.facts.claims import claims, find_claim
from reports.facts.records import Records
from reports.figures import exhibits, figure_of
from reports.pages.ledger.document import to_json
from reports.pages.ledger.text import everything, table
from tests.reports_fakes import (
    ENTRIES,
    Made,
    case_of,
    ledger,
    made_record,
    measured,
    shown_frame,
    unavailable,
)

PAPER = ("gsofa",)
OFF, ON = "gsofa.maxid_ranges=false", "gsofa"
WORK = {"edges": 10**9, "fills": 10**6, "facts": {"concurrent_sources": 4.0}}
# Seven of GSoFA's own matrices, more than half of them; two that stand in for TT.
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
    current: Mapping[str, bool] = {},
) -> Standings:  # fmt: skip
    """How the claims of these papers stand, by machine and claim."""
    every = Records(tuple(records), current=current)
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


def test_the_papers_own_matrices_decide_in_five_processes_and_stand_ins_stand_beside(
    standings: Standings, mean_of: Callable[[Sequence[Record]], Standing]
) -> None:
    standing = standings["h200", MEAN]
    assert standing.label == "open on 7 of 13 in 1 process" and "1 process of 5" in standing.why
    five = mean_of([replace(record, process=each) for record in HERE for each in range(5)])
    assert five.outcome is Outcome.REPRODUCED and five.label == "reproduced on 7 of 13"
    assert standing.verdict is not None
    assert standing.verdict.value == pytest.approx(1.14) and standing.verdict.n == 7
    assert standing.verdict.low < 1.14 < standing.verdict.high
    (instead,) = standing.beside
    assert instead.reason is Reason.BESIDE
    assert "(0.5x circuit:30000 to 9x circuit:4000) of 2" in instead.numbers
    assert standing.command == f"fillpath remeasure {MEAN}" and standing.figure == "fig14"
    assert standing.records == tuple(f"h200/records/{r.case}.jsonl" for r in HERE)
    assert not standing.older
    older = judged(HERE, current=dict.fromkeys((record.key for record in HERE), False))["h200", MEAN]
    assert older.older == len(HERE) and "older sources: 14 of these records" in everything(older)
    assert lacks(standing)["matrix"] == ("rma10 (RM)",) and "experiment" in lacks(standing)


def test_stand_ins_alone_and_what_failed_judge_nothing(
    mean_of: Callable[[Sequence[Record]], Standing],
) -> None:
    alone = mean_of(INSTEAD)
    assert alone.reason is Reason.NOT_RUN and alone.beside[0].n == 2
    mean = mean_of([replace(r, status=Status.WRONG, seconds=[], reason="2 rows differ") for r in HERE])
    assert mean.reason is Reason.NOT_RUN
    assert any("2 rows differ" in what for whats in lacks(mean).values() for what in whats)


def test_a_matrix_that_is_missing_in_two_orders_is_missing_once() -> None:
    both = (Made("bcsstk18_as_run", "gSoFa", "bcsstk18_as_run"), *MATRICES)
    matrices = ("bcsstk18", "bcsstk18_as_run", "rma10")
    wanted = [case_of(name, matrix) for matrix in matrices for name in (OFF, ON)]
    of = {**dict.fromkeys(exhibits("gsofa"), ()), "fig14": wanted}
    standing = judged(HERE[2:], entries=both, cases=lambda _, figure: of[figure])["h200", MEAN]
    assert lacks(standing)["matrix"] == ("bcsstk18_as_run (BC)", "rma10 (RM)")


def test_a_library_without_a_result_is_what_is_missing() -> None:
    """Where HYPRE was measured it is none, nor are too few cores."""
    case = Case.parse("laplacian.hypre@ecology1.natural")
    wide = replace(case, options=(("ranks", "16"),))
    few = replace(unavailable(wide, 2), machine="h200", reason="16 ranks, and this machine has 2 cores")
    records = [replace(made_record(case, 1), machine="h200"), few]
    cases = {"table2": [case, wide]}
    found = judged(records, ("h200",), ["parac"], catalogue.entries(), lambda _, name: cases.get(name, []))
    below, amgx = (
        found["h200", f"parac.{name}"] for name in ("table2_cpu.below_hypre", "table3_gpu.below_amgx")
    )
    assert below.figure == "table2" and lacks(below) and "library" not in lacks(below), "ParAC was not run"
    assert amgx.reason is Reason.NOT_RUN and amgx.command == "make figures FIGURE=parac.table3 SUITE=papers"
    assert lacks(amgx)["library"] == (f"AmgX, no drawn result on h200: {peer('amgx').command}",)


def test_what_is_not_judged_says_why_and_what_is_missing(standings: Standings) -> None:
    for machine in ("h200", "laptop"):
        scaling = standings[machine, "gsofa.fig19_strong_scaling.each"]
        assert scaling.reason is Reason.NEEDS and "264 GPUs" in scaling.why
    mean = standings["laptop", MEAN]
    assert mean.reason is Reason.NOT_RUN and mean.verdict is not None and mean.verdict.n == 0
    assert any("gsofa" in what for what in lacks(mean)["GPU"])
    for standing in standings.values():
        has_number = standing.verdict is not None and standing.verdict.n
        assert has_number or standing.outcome not in JUDGED
        assert standing.missing or standing.reason is not Reason.NOT_RUN, standing.claim.id
        assert (standing.reason is None) == (standing.outcome in JUDGED)


def test_the_json_is_its_schemas_and_the_text_has_a_line_per_claim(standings: Standings) -> None:
    every = list(standings.values())
    data = to_json(["h200", "laptop"], every)
    assert json.loads(json.dumps(data)) == data
    labels = {(s["machine"], s["claim"]["id"]): s["label"] for s in data["standings"]}
    assert labels == {key: standing.label for key, standing in standings.items()}
    _, *lines = table(every).split("\n")
    (line,) = (each for each in lines if each.startswith("h200") and f" {MEAN} " in each)
    assert re.split(r"  +", line)[2:] == ["mean 1.14x", "1.14x", "7 of 13", "open in 1 process"]
    counted = [line.rsplit(": ", 1) for line in lines[len(every) + 1 :]]
    assert sum(int(count) for _, count in counted) == len(every)
    assert "h200: performance: open" in {label for label, _ in counted}


def test_everything_about_a_claim_says_what_decided_and_what_is_missing(standings: Standings) -> None:
    text = everything(standings["h200", MEAN])
    for part in (
        "measured 1.14x (1.138x to 1.142x), n = 7 of 13", "left out: not run: lhr71c (LH)", "on stand-ins: ",
        "missing matrix: rma10 (RM)", "record: h200/records/", f"anew: fillpath remeasure {MEAN}",
    ):  # fmt: skip
        assert part in text, text


def test_every_claim_that_can_be_tested_has_a_figure_that_judges_it() -> None:
    """Each claim that needs nothing has a verdict from its figure even where nothing is measured."""
    found = set()
    for exhibit in (exhibit for paper in paper_names() for exhibit in exhibits(paper).values()):
        held = {v.claim for v in exhibit.verdicts(shown_frame(exhibit, Records(), ENTRIES, []))}
        assert {claim.split(".")[1] for claim in held} <= set(exhibit.claims), exhibit.name
        found |= held
    assert {claim.id for claim in claims().values() if not claim.needs} <= found


def test_what_is_misspelt_is_refused_with_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = find_claim(MEAN)
    assert figure_of(found.paper, found.subject) == "fig14"
    (tmp_path / "h200" / "records").mkdir(parents=True)
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path))
    with pytest.raises(UnknownNameError, match="did you mean h200"):
        load_records("h20")
    for id in ("gsofa.fig14_maxid_range.mean", "gsofa.fig14", MEAN[:-1]):
        with pytest.raises(UnknownNameError, match=f"no claim '{id}'; did you mean {MEAN}[,?]"):
            find_claim(id)
    with pytest.raises(UnknownNameError, match="nothing measures it"):
        figure_of("ooclu", "table1_card")
