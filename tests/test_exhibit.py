"""The grammar of a figure: one module is all that a figure takes."""

import random
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import FunctionType
from typing import Any

import pandas as pd
import pytest

import reports
import reports.gsofa
from benchmarks.runs.cases import figure_cases
from fetch import catalogue
from fillpath import papers
from fillpath.case import Case
from fillpath.errors import ConfigError, FillpathError, UnknownNameError
from fillpath.paths import ROOT
from fillpath.record import Status
from fillpath.settings import Settings
from reports import figures
from reports.claims.verdict import Outcome, Reason, Verdict
from reports.exhibit import Exhibit, Subset
from reports.facts import claims
from reports.facts.claims import Held
from reports.facts.printed import abbreviations
from reports.facts.records import Records
from reports.pages import webpage
from tests.reports_fakes import (
    ENTRIES,
    NO_ROWS,
    ON_GPU,
    RECORDS,
    draw,
    on_gpu,
    read_csv,
    shown_frame,
    unavailable,
)
from tests.thorough import thorough

Judged = Callable[..., list[Verdict]]
Pair = tuple[str, str]
FIGURES = figures.available_figures()
RANGES = "fig14_maxid_ranges"
# More than half of GSoFA's matrices.
SEVEN = ("RM", "BB", "EP", "BC", "LH", "G7", "MK")
MODULE = """'''Figure 99: seconds of everything.'''

from reports.exhibit import Exhibit
from reports.shapes.sheet import Column, Sheet
from reports.verbs import with_groups

EXHIBIT = Exhibit(
    lambda cases: with_groups(cases).assign(ratio=1.14, pair="ok", reinit_without=0.22, reinit_with=0.01),
    Sheet([Column("seconds", "median")]),
    "A sham with {{count}} rows: {{braces}}.",
    lambda frame: {{"count": len(frame), "braces": "{{kept}}"}},
    more_claims={claims},
)
"""
PAPER = b"name: Sham\nplace: 9\n"


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One more figure of GSoFA, and docs/add-a-figure.md's in place of Figure 20; one more paper: a file of
    data, and its folder of one figure."""
    own, data, package = tmp_path / "own", tmp_path / "papers", tmp_path / "reports" / "sham"
    guide = (ROOT / "docs" / "add-a-figure.md").read_text()
    (code,) = re.findall(r"^ *```python\n(.*?)^ *```$", guide, re.DOTALL | re.MULTILINE)
    own.mkdir()
    (own / "fig20.py").write_text(textwrap.dedent(code))
    (own / "fig99.py").write_text(MODULE.format(claims=(RANGES,)))
    monkeypatch.setattr(reports.gsofa, "__path__", [str(own), *reports.gsofa.__path__])
    shutil.copytree(papers.FOLDER, data)
    (data / "sham.yaml").write_text("name: Sham (2030)\nplace: 9\n")
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "fig99.py").write_text(MODULE.format(claims=()))
    monkeypatch.setattr(papers, "FOLDER", data)
    monkeypatch.setattr(reports, "__path__", [*reports.__path__, str(package.parent)])
    forget()
    yield
    forget()


def forget() -> None:
    for cached in (papers.papers, figures.exhibits, abbreviations):
        cached.cache_clear()
    for name in ("sham.fig99", "sham", "gsofa.fig20", "gsofa.fig99"):
        sys.modules.pop(f"reports.{name}", None)


def drawn(paper: str, figure: str) -> tuple[dict[str, str], pd.DataFrame]:
    paths = draw(paper, figure, ON_GPU, RECORDS, ENTRIES)
    assert all(path.is_file() and path.stat().st_size for path in paths)
    return read_csv(paths[1])


def test_one_file_is_a_figure_and_with_a_folder_of_figures_a_paper(added: None, site: Path) -> None:
    assert {("gsofa", "fig99"), ("sham", "fig99")} <= {*figures.available_figures()}
    assert figures.exhibit("gsofa", "fig99").heading == "Figure 99: seconds of everything"
    comments, frame = drawn("gsofa", "fig99")
    assert f" A sham with {len(frame)} rows: {{kept}}. " in comments["caption"]
    assert len(frame) >= len(ON_GPU)
    key = next(key for key in comments if key.startswith(f"verdict gsofa.{RANGES}.mean "))
    assert "printed mean 1.14x" in comments[key]
    assert list(papers.papers())[-1] == "sham", "it stands at its place"
    assert Settings.from_env({"FILLPATH_PAPER": "sham"}).paper == "sham"
    comments, frame = drawn("sham", "fig99")
    assert " A sham with" in comments["caption"] and len(frame) >= len(ON_GPU)
    assert frame["abbr"].isna().all(), "it lists no matrices"
    page = webpage.page([], ON_GPU, RECORDS, ENTRIES).read_text()
    assert "Sham (2030)" in page and "Figure 99: seconds of everything" in page and "sham_fig99" in page


def test_the_example_of_the_guide_is_a_figure(added: None, site: Path) -> None:
    comments, frame = drawn("gsofa", "fig20")
    assert frame["gain"].notna().any()
    assert comments["caption"].startswith("Measured on made-up (Imaginary GPU). ")
    judged = [f"verdict gsofa.fig20_fill_before_maxid.{name}" for name in ("largest", "smallest")]
    assert all(any(key.startswith(start) for key in comments) for start in judged)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PAPER + b"year: 2030\n", r"\$: .*'year'.*fields of a paper"),
        (b"name: Sham\nplace: five\n", r"\$\.place: 'five' is not of type 'integer'"),
        (b"name: Sham\n", r"\$: 'place' is a required property"),
        (b"name: 3\nplace: 9\n", r"\$\.name: 3 is not of type 'string'"),
        (PAPER + b"matrices: nodot\n", r"\$\.matrices: 'nodot' does not match"),
        (PAPER + b"matrices: glu3_table1.matrix\n", r"no table .*; did you mean glu3_table1_"),
        (
            PAPER + b"matrices: gsofa_table1_matrices.collection\n",
            "no column 'collection'; did you mean collection_name",
        ),
        (b"", r"\$: None is not of type 'object'"),
        (b"name: [\n", "expected node content"),
        (b"name: \xff\n", "invalid leading UTF-8 octet"),
    ],
)
def test_a_damaged_paper_is_named(added: None, text: bytes, message: str) -> None:
    (papers.FOLDER / "sham.yaml").write_bytes(text)
    papers.papers.cache_clear()
    with pytest.raises(FillpathError, match=rf"^\S*/papers/sham\.yaml: .*{message}") as caught:
        papers.papers()
    assert "\n" not in str(caught.value)


def test_figures_stand_in_the_papers_order() -> None:
    for paper in papers.paper_names():
        exhibits = figures.exhibits(paper)
        printed = [name for name in exhibits if re.fullmatch(r"(table|fig)\d+", name)]
        assert list(exhibits)[: len(printed)] == printed
        assert printed == sorted(printed, key=lambda name: (name < "g", int(re.sub(r"\D", "", name))))
        for name, shown in exhibits.items():
            number = re.sub("II?$", lambda roman: str(len(roman[0])), shown.heading.partition(": ")[0])
            assert (number.lower().replace("figure", "fig").replace(" ", "") == name) == (name in printed)
            assert (number == "Beyond the paper") == (not shown.claims)
            assert shown.heading[0].isupper() and not shown.heading.endswith(".")


@pytest.mark.parametrize("every", [False, thorough(True)])
@pytest.mark.parametrize("pair", FIGURES, ids=".".join)
def test_whatever_a_machine_has_measured_is_shown_and_judged(pair: Pair, every: bool) -> None:
    """A run that was cut off leaves any part of the records, as do nodes under names of their own, or another
    figure with cases in common: each set of these, the smallest five. No figure picks among the cases of its
    experiments."""
    cases = cases_of(pair, "papers" if every else "small")
    for count in (0, 1, 2, 5, len(cases) // 2) if every else (1, len(cases) // 2):
        frame = judge(pair, cases, random.Random(count).sample(cases, min(count, len(cases))))
        assert figures.exhibit(*pair).picture(frame).axes
    sets = {frozenset(cases) & set(cases_of(other)) for other in FIGURES if every and other != pair}
    parts = [[case for case in cases if case in part] for part in sets if 0 < len(part) < len(cases)]
    for part in sorted(parts, key=lambda part: (len(part), part[0].name))[:5]:
        judge(pair, cases, part)


# Reasons of a claim without a record. A call that ended without a result may also need what is not here.
UNMEASURED = {Reason.NOT_RUN, Reason.DERIVED, Reason.CONSTANT}


@pytest.mark.parametrize("pair", FIGURES, ids=".".join)
def test_a_figure_of_nothing_or_of_failures_alone_is_drawn_and_nothing_of_it_judged(pair: Pair) -> None:
    exhibit, cases = figures.exhibit(*pair), cases_of(pair, "embedded")
    absent = [unavailable(case, 1) for case in cases]
    stopped = [replace(record, status=Status.TIMEOUT) for record in absent]
    for some, records, more in (([], [], set()), (cases, absent, set()), (cases, stopped, {Reason.NEEDS})):
        frame = shown_frame(exhibit, Records(tuple(records)), catalogue.entries(), some)
        assert (records is absent or exhibit.picture(frame).axes) and exhibit.words(frame, NO_ROWS)
        assert {verdict.reason for verdict in exhibit.verdicts(frame)} <= UNMEASURED | more


def cases_of(pair: Pair, suite: str = "papers") -> list[Case]:
    return figure_cases(*pair, Settings(suite=suite))


def judge(pair: Pair, cases: list[Case], measured: Iterable[Case]) -> pd.DataFrame:
    """The frame of cases of which these are measured."""
    spans = {"factor": [0.1], "analysis": [0.1], "solve": [0.2]}
    ok: dict[str, Any] = {"status": Status.OK, "seconds": [0.4], "phases": spans, "kernel_seconds": [0.3]}
    records = Records(tuple(on_gpu(case, number % 60, **ok) for number, case in enumerate(measured)))
    exhibit = figures.exhibit(*pair)
    frame = shown_frame(exhibit, records, catalogue.entries(), cases)
    assert len(frame) and exhibit.words(frame, NO_ROWS)
    exhibit.verdicts(frame)
    return frame


ROWS = pd.DataFrame(
    {
        "machine": "m", "label": ["RM", "BC"], "abbr": ["RM", "BC"], "status": "ok", "stand_in_for": None,
        "way": ["a", "b"], "ratio": [1.2, 9.0],
    }
)  # fmt: skip


def exhibit_of(caption: str = "", **given: Any) -> Exhibit:
    file = {"__name__": "reports.gsofa.fig99", "__doc__": "Figure 99: t."}
    rows = FunctionType((lambda cases: cases).__code__, file)
    return Exhibit(rows, figures.exhibit("gsofa", "fig14").draw, caption, **given)


@pytest.fixture
def verdicts(monkeypatch: pytest.MonkeyPatch) -> Judged:
    """What becomes of Figure 14's claims, held against a column of these rows."""

    def judged(
        rows: pd.DataFrame, held: Held, names: Sequence[str] = ("mean",), **given: Any
    ) -> list[Verdict]:
        found = [replace(claims.find_claim(f"gsofa.{RANGES}.{name}"), held=(held,)) for name in names]
        monkeypatch.setattr("reports.exhibit.claims_of", lambda paper, id: found)
        return exhibit_of(more_claims=(RANGES,), **given).verdicts(rows)

    return judged


def test_subsets_are_judged_apart(verdicts: Judged) -> None:
    def apart(rows: pd.DataFrame) -> list[Subset]:
        assert rows["has_number"].tolist() == [True, True]
        first, second = Subset(rows[:1], "{}, first".format), Subset(rows[1:], untestable="for a reason")
        return [first, second, Subset(rows[:0], "{}, none".format, beside=True)]

    held = Held("ratio", basis="seconds", subsets="apart")
    first, second = verdicts(ROWS, held, subsets={"apart": apart})
    assert (first.basis, first.value) == ("seconds, first", 1.2)
    assert (second.basis, second.reason, second.why) == ("seconds", Reason.NEEDS, "for a reason")


def test_a_column_is_held_against_claims_row_by_row(verdicts: Judged) -> None:
    held = Held("ratio", only={"way": "a"})
    found = verdicts(ROWS, held, ("mean", "largest"))
    assert [v.claim.rpartition(".")[2] for v in found] == ["mean", "largest"]
    assert found[0].value == 1.2
    seven = pd.concat([ROWS[:1].assign(label=name, abbr=name) for name in SEVEN])
    assert verdicts(seven, held)[0].why == "1 process of 5", "a frame that does not say has one"
    assert verdicts(seven.assign(ratio_processes=5), held)[0].outcome is Outcome.OTHER_SIZE


def test_a_wrong_name_in_what_a_claim_is_held_against_is_refused_in_one_line(verdicts: Judged) -> None:
    for held, message in (
        (Held("ratoi"), "the frame has no column 'ratoi'; did you mean ratio"),
        (Held("ratio", "stats"), "the frame has no column 'stats'; did you mean status"),
        (Held("ratio", only={"wya": "a"}), "the frame has no column 'wya'; did you mean way"),
        (Held("ratio", subsets="aprat"), "the figure has no subsets 'aprat'; did you mean apart"),
    ):
        with pytest.raises(ConfigError, match=f"GSoFA, Figure 99: gsofa.{RANGES}.mean: {message}") as caught:
            verdicts(ROWS, held, subsets={"apart": lambda rows: []})
        assert "\n" not in str(caught.value)


def test_a_name_of_the_caption_without_a_fact_and_an_unknown_subject_are_refused() -> None:
    facts = {"count": 2, "braces": "{kept}"}
    words = exhibit_of("{count}\n rows, {{x}}, {braces}", facts=lambda rows: facts).words(ROWS, NO_ROWS)
    assert words == "2 rows, {x}, {kept} Nothing was measured here."
    message = "GSoFA, Figure 99: the caption's facts have no 'cuont'; did you mean count"
    with pytest.raises(ConfigError, match=re.escape(message)):
        exhibit_of("{cuont} rows", facts=lambda rows: facts).words(ROWS, NO_ROWS)
    with pytest.raises(UnknownNameError, match=r"no subject 'gsofa\.fig14_maxid_range'; did you mean gsofa"):
        exhibit_of(more_claims=("fig14_maxid_range",)).verdicts(ROWS)


@pytest.mark.parametrize("pair", FIGURES, ids=".".join)
def test_every_figure_is_held_against_claims_that_exist_and_all_of_its_subsets_are_named(pair: Pair) -> None:
    exhibit = figures.exhibit(*pair)
    shown = figures.exhibits(exhibit.paper).values()
    shared = {id for id in exhibit.claims if sum(id in other.claims for other in shown) > 1}
    judging = [
        one.id
        for id in shared
        for one in claims.claims_of(exhibit.paper, id)
        if not all(h.beside for h in one.held)
    ]
    assert not judging, "a claim is judged by one figure: take its subject out of the `claims` of another"
    held = [held for id in exhibit.claims for one in claims.claims_of(exhibit.paper, id) for held in one.held]
    assert {each.subsets for each in held} - {""} == set(exhibit.subsets)
