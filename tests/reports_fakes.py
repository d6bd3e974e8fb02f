"""What tests of figures share: cases, records and matrices, all made up, and what a drawing says."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.probes.counting import counts_path
from benchmarks.runs.cases import figure_cases
from fetch import catalogue
from fillpath import paths
from fillpath.case import Case, Preparation
from fillpath.record import Record, Status, Verified
from fillpath.settings import Settings
from fillpath.stages import stage_of
from reports import figures
from reports.claims import judge as judging
from reports.claims.verdict import Standing
from reports.exhibit import Exhibit
from reports.facts.printed import Entries
from reports.facts.records import Records
from reports.pages import drawing
from reports.pages.drawing import CasesOf
from reports.shapes import files
from reports.table import case_table
from tests.serial import Serial
from tests.shared import once

AROUND = np.array([0.9, 1.0, 1.2])
METIS = Preparation(ordering="metis")


@dataclass(frozen=True)
class Made:
    id: str
    group: str
    name: str
    stands_for: tuple[str, ...] = ()
    lower_in: tuple[str, ...] = ()
    papers: tuple[str, ...] = ()
    order: int | None = None
    nnz: int | None = None
    nnz_with_zeros: int | None = None
    kind: str = ""


ENTRIES = (
    Made("poisson3d,16", "", "poisson3d:16", ("stomach", "audikw_1", "dielFilterV2real")),
    Made("poisson3d,16,aniso", "", "poisson3d:16:aniso"),
    Made("grid2d,60", "", "grid2d:60", ("bcsstk18", "ecology1")),
    Made("circuit,4000", "", "circuit:4000", ("pre2", "twotone", "onetone2")),
    Made(
        "circuit,3000,seed=1,symmetry=0.05",
        "",
        "circuit:3000:seed=1:symmetry=0.05",
        ("Hamrle3", "g7jac200sc"),
    ),
    Made("random,1000,0.004", "", "random:1000:0.004", ("lhr71c", "bbmat")),
    Made("bcsstk18", "HB", "bcsstk18"),
    Made("rma10", "Bova", "rma10", papers=("gsofa", "ooclu")),
)
# With BC and RM seven of GSoFA's thirteen matrices: half of them, which a mean that it prints as one needs.
HALF_OF_GSOFA = ("bcsstk18", "rma10", "epb2", "lhr71c", "bbmat", "pre2", "twotone")
MORE_OF_GSOFA = (
    Made("epb2", "Averous", "epb2"),
    Made("lhr71c", "Mallya", "lhr71c"),
    Made("bbmat", "Simon", "bbmat"),
    Made("pre2", "ATandT", "pre2"),
    Made("twotone", "ATandT", "twotone", order=120_750, nnz=1_206_265, kind="circuit"),
)
NAMES = ("fill1", "fill1_pruned", "fill2_cpu")
CASES = [Case("symbolic", name, entry.id, METIS) for entry in ENTRIES for name in NAMES]
ONE_CORE = [
    Case("symbolic", name, "bcsstk18", METIS, threads=1)
    for name in ("gsofa_cpu", "gilbert_peierls", "fill1_pruned")
]
SPACE_OFF = "bubble_removal=false.dynamic_space=false.external_frontiers=false"
ON_GPU = [
    Case.parse(f"symbolic.{name}@{matrix}.metis")
    for matrix in ("bcsstk18", "circuit,4000")
    for name in (
        "fill2_gpu", "gsofa", "gsofa.fill_first=true", "gsofa.maxid_ranges=false",
        "gsofa.queue_fraction=8.rule=published", "gsofa.output=counts",
        f"gsofa.{SPACE_OFF}.rule=published", "gsofa.memory_budget=16GB", "gsofa.memory_budget=1GB",
        "gsofa.dynamic_space=false.memory_budget=1GB",
    )
]  # fmt: skip
BC, STAND_IN = "bcsstk18", "circuit,4000"
FACTS = {
    "concurrent_sources": 512.0, "iterations": 9000.0, "bytes_matrix": 6e5, "bytes_maxid": 2.4e9,
    "bytes_fill": 8e7, "bytes_queue": 6e8, "bytes_external": 0.0, "queue_mean": 0.001, "queue_peak": 0.2,
    "reinit_share": 0.03, "launches": 2.0, "spilled": 0.0, "levels": 40.0, "dependencies": 9000.0,
    "residual": 9e-7, "nnz_factor": 5e5, "nnz_l": 4e5, "nnz_g": 5e5, "height_classical": 900.0,
    "height_actual": 90.0, "critical_path": 120.0, "workers": 2.0, "load_balance": 1.2,
}  # fmt: skip
PHASES = {"factor": [0.1] * 3, "analysis": [0.1] * 3, "solve": [0.2] * 3}
FAILED = {
    "symbolic.fill1@random,1000,0.004.metis": (Status.TIMEOUT, "over the limit of 60 s"),
    "symbolic.fill2_cpu@grid2d,60.metis": (Status.WRONG, "3 rows differ <first: 7 & 9>"),
    "symbolic.fill1_pruned@rma10.metis": (Status.OUT_OF_MEMORY, "killed at 6 GB,\nwhile assembling # rows"),
}
ABSENT = "symbolic.fill2_cpu@poisson3d,16,aniso.metis"


def own_cases(paper: str, figure: str, cases: Sequence[Case]) -> list[Case]:
    """Of these, those of the implementations that the figure's experiments have, on whatever matrix."""
    own = {_variant(case) for case in figure_cases(paper, figure, Settings(suite="papers"))}
    return [case for case in cases if _variant(case) in own]


def _variant(case: Case) -> tuple[object, ...]:
    return case.stage, case.implementation, case.options, case.gpus, case.threads


def _others() -> list[Case]:
    """Return a case of each other variant of the papers' suite, on a circuit or, if on graphs, a grid."""
    every = {
        _variant(case): case
        for pair in figures.available_figures()
        for case in figure_cases(*pair, Settings(suite="papers"))
    }
    known = {_variant(case) for case in [*CASES, *ONE_CORE, *ON_GPU]}
    return [
        replace(case, matrix="grid2d,60", preparation=Preparation(ordering="nnz"))
        if stage_of(case.stage).on_graph
        else replace(case, matrix=STAND_IN, preparation=METIS)
        for variant, case in every.items()
        if variant not in known
    ]


OTHERS = _others()


def made_record(case: Case, number: int) -> Record:
    status, reason = FAILED.get(case.name, (Status.OK, ""))
    ok = status is Status.OK
    generator = np.random.default_rng(number)
    seconds = (10.0 ** generator.uniform(-3, 0.5) * generator.uniform(0.9, 1.4, 3 + number % 8)).tolist()
    n, nnz = 1000 * (number // 3 + 1), 7131 * (number // 3 + 1)
    parts: dict[str, Any] = {
        "stage": case.stage, "implementation": case.implementation, "options": {}, "matrix": case.matrix,
        "preparation": case.preparation.name, "seed": 0, "threads": 0, "gpus": 0,
    }  # fmt: skip
    return Record(
        case=case.name, parts=parts, key=f"{number:064x}", status=status, reason=reason, run_id="run-1",
        started_at=f"2030-01-01T00:00:{number:02d}Z", machine="made-up",
        prepared={
            "hash": "0" * 64, "n": n, "nnz": nnz, "entries": nnz,
            "diagonal_added": 0, "explicit_zeros": 3 if case.matrix == "rma10" else 0,
            "matching": "none", "ordering": "metis", "versions": {},
        },
        seconds=seconds if ok else [],
        work={"edges": 50 * nnz, "fills": 6 * nnz} if ok else None,
        verified=Verified("fill1_pruned", "row hashes", 0.0, 0.0) if ok else None,
        host_cpu="Imaginary CPU, 2 cores", versions={"numba": "0.61"}, commit="0123456789abcdef",
        dirty=number == 4,
    )  # fmt: skip


def unavailable(case: Case, number: int) -> Record:
    """A record of a machine without a GPU."""
    record = replace(made_record(case, number), status=Status.UNAVAILABLE, reason="no NVIDIA GPU", seconds=[])
    return replace(record, prepared=None, work=None, verified=None)


def on_gpu(case: Case, number: int, **changes: Any) -> Record:
    """A record of a GPU's."""
    record = made_record(case, number)
    work = {**(record.work or {}), "facts": FACTS} if record.work else None
    return replace(record, work=work, device="Imaginary GPU", **changes)


def case_of(name: str, matrix: str = BC) -> Case:
    return Case.parse(f"symbolic.{name}@{matrix}.metis")


def measured(name: str, median: float, matrix: str = BC, **changes: Any) -> Record:
    """An ok record: three samples around the median, all of FACTS."""
    record = replace(
        made_record(case_of(name, matrix), 1), status=Status.OK, machine="h200", device="NVIDIA H200"
    )
    work = {"edges": 10**8, "fills": 10**6, "facts": FACTS}
    samples = [median * factor for factor in (0.9, 1.0, 1.2)]
    return replace(record, **{"seconds": samples, "work": work, **changes})


RECORDS = Records(
    (
        *(made_record(c, i) for i, c in enumerate([*CASES, *ONE_CORE]) if c.name != ABSENT),
        *(on_gpu(case, 30 + number) for number, case in enumerate(ON_GPU)),
        *(
            on_gpu(case, number % 60, phases=PHASES, kernel_seconds=[0.002, 0.003])
            for number, case in enumerate(OTHERS)
        ),
    )
)


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judge a time that was measured in one process, as these records are."""
    monkeypatch.setattr(judging, "PROCESSES", 1)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(paths, "PAGE", tmp_path / "index.html")
    monkeypatch.setattr(paths, "SITE", tmp_path / "site")
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path / "results"))
    return tmp_path / "site"


def read_csv(path: Path) -> tuple[dict[str, str], pd.DataFrame]:
    """Return the comments and the frame of a figure's CSV."""
    comments = files.read_comments(path)
    return comments, pd.read_csv(path, skiprows=len(comments))


def _of_each_shape() -> list[tuple[str, str]]:
    """The first figure of each class in reports/shapes/, and of those that draw themselves."""
    pairs = figures.available_figures()
    shapes = {type(figures.exhibit(*pair).draw): pair for pair in reversed(pairs)}
    return [pair for pair in pairs if pair in shapes.values()]


OF_EACH_SHAPE = _of_each_shape()


def made_cases(paper: str, figure: str) -> list[Case]:
    """The cases of a figure on the made-up machine."""
    return own_cases(paper, figure, [*CASES, *ON_GPU])


def rows_of(records: Records, cases: Sequence[Case] | None = None) -> pd.DataFrame:
    """The rows of cases, by default those of the records."""
    cases = [Case.parse(record.case) for record in records.rows] if cases is None else cases
    return case_table(records, cases, ENTRIES, "")


NO_ROWS = rows_of(Records())


def draw(
    paper: str,
    figure: str,
    cases: Sequence[Case],
    records: Records,
    entries: Entries = ENTRIES,
    here: Sequence[str] = (),
) -> list[Path]:
    """Draw a figure of these cases, as the page does."""
    own = [records.of_machine(machine) for machine in records.machines()]
    views = [figures.view(paper, figure, each, entries, cases) for each in own]
    assert not any(each.failure for each in views), views
    shown = figures.pictured(views, here) or figures.view(paper, figure, Records(), entries, cases)
    return figures.draw(shown)


# How claims stand, and why a figure could not be judged.
Judgement = tuple[list[Standing], Mapping[tuple[str, str], str]]


def judge(
    records: Records, entries: Entries, cases_of: CasesOf, papers: Sequence[str] | None = None
) -> Judgement:
    """Judge the claims of these papers on each machine; return also why a figure could not be judged."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "workers", Serial)
        result = drawing.make(drawing.Sources(records, cases_of, entries), lambda: None, papers=papers)
    return list(result.standings), result.failed


def ledger(
    machine: str, records: Records, entries: Entries, cases_of: CasesOf, papers: Sequence[str] | None = None
) -> list[Standing]:
    """How the claims of these papers stand on a machine."""
    return judge(records.of_machine(machine), entries, cases_of, papers)[0]


@pytest.fixture(scope="session")
def standings(tmp_path_factory: pytest.TempPathFactory) -> list[Standing]:
    """How all claims stand on the made-up machine."""
    return once(tmp_path_factory, "made-up", lambda: ledger("made-up", RECORDS, ENTRIES, made_cases))


def record_of(case: str, median: float, facts: Any = None, **changes: Any) -> Record:
    """An ok record of the catalogue's order and entries: three samples around each median."""
    record, entry = made_record(Case.parse(case), 1), catalogue.lookup(Case.parse(case).matrix)
    prepared = {**(record.prepared or {}), "n": entry.order, "entries": entry.nnz_with_zeros}
    parts = {phase: (each * AROUND).tolist() for phase, each in changes.pop("phases", {}).items()}
    made = {
        "host": "here",
        "prepared": prepared,
        "seconds": (median * AROUND).tolist(),
        "phases": parts,
        "work": {"edges": None, "fills": None, "facts": facts or {}},
    }
    return replace(record, **{"status": Status.OK, **made, **changes})


def counting(**facts: float | None) -> dict[str, Any]:
    """The work of a record with these facts in place of FACTS' own; None leaves one out."""
    known = {name: value for name, value in {**FACTS, **facts}.items() if value is not None}
    return {"edges": 10**8, "fills": 10**6, "facts": known}


def with_counts(tool: str, record: Record, facts: Any, text: str = "", **more: Any) -> Record:
    """Write what a tool counted of a record, or that text, and return the record."""
    path = counts_path(tool, record.machine, record.case)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text or json.dumps({"key": record.key, "facts": facts, **more}))
    return record


# Records, and cases without one, or a function that writes files and returns these.
Given = Sequence[Record | Case] | Callable[[], Sequence[Record | Case]]


def recorded(given: Given) -> list[Record]:
    """Return the records alone; a function writes its files."""
    return [each for each in (given() if callable(given) else given) if isinstance(each, Record)]


def shown_frame(exhibit: Exhibit, records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """Return what is drawn of these cases, which are of one machine."""
    return exhibit.rows(case_table(records, cases, entries, exhibit.paper)).reset_index(drop=True)


def made_frame(exhibit: Exhibit, given: Given, entries: Entries | None = None) -> pd.DataFrame:
    """Return the figure's frame of these records and cases. entries : of the catalogue, None for all."""
    some = given() if callable(given) else given
    cases = [Case.parse(each.case) if isinstance(each, Record) else each for each in some]
    known = catalogue.entries() if entries is None else entries
    return shown_frame(exhibit, Records(tuple(recorded(some))), known, list(dict.fromkeys(cases)))


def in_five_processes(records: Sequence[Record]) -> Records:
    """Each record as five processes of one run would have given it, all of a round slower by one factor."""
    drifts = (1.0, 0.5, 2.0, 0.25, 4.0)
    drifted = [[_drifted(record, number, drift) for record in records] for number, drift in enumerate(drifts)]
    return Records(tuple(drifted[0]), tuple(record for each in drifted[1:] for record in each))


def _drifted(record: Record, number: int, drift: float) -> Record:
    return replace(
        record,
        process=number,
        seconds=[drift * s for s in record.seconds],
        phases={name: [drift * s for s in samples] for name, samples in record.phases.items()},
        kernel_seconds=record.kernel_seconds and [drift * s for s in record.kernel_seconds],
    )


def texts(axes: Any) -> str:
    return "\n".join([axes.get_title(loc="left"), *(text.get_text() for text in axes.texts)])


def names(axes: Any) -> list[str]:
    return [label.get_text() for label in axes.get_xticklabels()]


def told(exhibit: Exhibit, frame: pd.DataFrame, records: Sequence[Record]) -> str:
    """All texts of a figure's picture and caption; of a table a line `cell, cell, ...` for each row; what
    stands below an axis and in a legend as `below: a; b` and `legend: a; b`."""
    rows = rows_of(Records(tuple(records)))
    picture = exhibit.picture(frame)
    boxes = [*picture.legends, *filter(None, (axes.get_legend() for axes in picture.axes))]
    drawn = [f"\n{texts(axes)}\n{axes.get_ylabel()}" for axes in picture.axes]
    drawn += [f"below: {'; '.join(names(axes))}" for axes in picture.axes]
    drawn += [f"legend: {'; '.join(text.get_text() for text in box.get_texts())}" for box in boxes]
    lines = picture.cells.lines if hasattr(picture, "cells") else []
    cells = [", ".join(each) for line in lines for each in (line.cells, line.below)]
    return "\n".join([*drawn, *cells, exhibit.words(frame, rows)])


def one(frame: pd.DataFrame) -> Mapping[Any, Any]:
    """The only row that is of a case."""
    (row,) = frame[frame["case"].notna()].to_dict("records")
    return row


def planted(text: str) -> list[tuple[str, str, list[str]]]:
    """Return the cases of a text table: a figure, its records as an expression, what is expected of them.

    `figure: records => expected => ...` begins at the margin. An indented line expects more, a line with a
    deeper indent is a part of the line before, a `# ...` line explains the cases below it.
    """
    assert not re.search(r"(?m)^#.*\n ", text), "a case follows a comment"
    lines = re.sub(r"\n {6,}", " ", text).splitlines()
    cases = re.split(r"\n(?! )", "\n".join(line for line in lines if line and not line.startswith("#")))
    parts = [re.split(r" => |\n    ", case) for case in cases]
    assert all(len(each) > 1 for each in parts), "a case has expectations"
    return [(*head.split(": ", 1), expected) for head, *expected in parts]


# Columns that a row is called by.
CALLED = (
    "label", "abbr", "implementation", "ranks", "budget", "variant", "code", "what", "way", "source", "span",
    "matrix",
)  # fmt: skip
NONE = "ratio= | ratio_low= | ratio_high="


def check(exhibit: Exhibit, frame: pd.DataFrame, some: Given, expected: Sequence[str]) -> None:
    """Assert what a figure's frame of these records has and says, and draw the figure for any expectation.

    expected : `gsofa: ratio=2 | pair=ok; BC klu_: ratio=`, by what rows are called in CALLED and by what
        columns begin with; nothing behind the sign where there is no value
        `says words | ...`, words or sentences of the picture, its table, legend and caption; `! ...` for what
        they lack; `\\n` for where a text of the picture ends
    """
    names = frame.reindex(columns=list(CALLED)).map(lambda v: f"{v:g}" if isinstance(v, float) else str(v))
    for of_row in (row for each in expected if not each.startswith("says ") for row in each.split("; ")):
        ((at, begin, values),) = re.findall(r"^(.+?)(?: (\w+_))?: (.*)$", of_row)
        row: Any = frame[names.eq(at).any(axis=1)].iloc[0]
        for column, wanted in (each.split("=", 1) for each in values.replace("NONE", NONE).split(" | ")):
            found = "" if pd.isna(row[begin + column]) else row[begin + column]
            same = found == wanted if isinstance(found, str) else found == pytest.approx(float(wanted))
            assert same, (at, column, found)
    said = [each.removeprefix("says ") for each in expected if each.startswith("says ")]
    whole = told(exhibit, frame, recorded(some)) if expected else ""
    text = " ".join(whole.split())
    for each in " | ".join(said).split(" | ") if said else ():
        words = each.removeprefix("! ").replace(r"\n", "\n")
        texts = (
            whole if "\n" in words else text if " " in words or each[0] == "!" else re.split("[,;]? ", text)
        )
        assert (words in texts) is not each.startswith("! "), (each, text)
