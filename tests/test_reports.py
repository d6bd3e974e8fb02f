"""Reports: what is drawn is what was recorded; what failed or is absent stays in sight.

All numbers are made up.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import reports
from benchmarks.runs.experiments import figure_cases
from commands import main
from fillpath import paths
from fillpath.case import Case, Preparation
from fillpath.errors import ConfigError, UnknownNameError
from fillpath.paths import CONFIG, ROOT
from fillpath.record import Record, Status, Verified, record_path, write_records
from fillpath.settings import Settings
from reports import figures
from reports.facts.claims import paper_figure, subject, subjects
from reports.facts.records import Records
from reports.gsofa import fig10, table1
from reports.pages import readme_table
from reports.shapes import bars, style

METIS = Preparation(ordering="metis")


@dataclass(frozen=True)
class Made:
    id: str
    group: str
    name: str
    stands_for: tuple[str, ...] = ()
    lower_in: tuple[str, ...] = ()
    papers: tuple[str, ...] = ()


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
OUT_OF_CORE = [
    Case.parse(f"symbolic.{name}@{matrix}.metis")
    for matrix in ("circuit,4000", "poisson3d,16")
    for name in (
        "out_of_core", "unified_memory", "unified_memory.prefetch=true", "out_of_core.memory_budget=1GB",
        "out_of_core.dynamic_assignment=false.memory_budget=1GB",
    )
]  # fmt: skip
ON_FILLED = [
    Case.parse(f"{name}@circuit,4000.metis")
    for name in (
        "levels.glu2", "levels.glu2.search=closed", "levels.glu3_relaxed",
        "levels.glu3_relaxed.series=true", "levels.kahn_gpu", "numeric.glu2.static_pivoting=true",
        "numeric.glu3.static_pivoting=true", "numeric.glu3.storage=csc_search",
        "numeric.glu3.memory_budget=2MB.storage=dense_column",
        "solve.lu_cpu", "solve.superlu",
    )
]  # fmt: skip
ON_GRAPHS = [
    Case.parse(f"{name}@grid2d,60.nnz")
    for name in (
        "cholesky.parac_cpu.threads=1", "cholesky.parac_cpu.threads=2", "cholesky.parac_gpu",
        "laplacian.parac_cpu", "laplacian.parac_cpu.rhs=product", "laplacian.ict",
        "laplacian.ict.rhs=product",
        "laplacian.pyamg", "laplacian.hypre", "laplacian.ac_sequential", "laplacian.parac_gpu",
        "laplacian.parac_gpu.triangular=cusparse", "laplacian.ic0_gpu",
        "laplacian.ic0_gpu.policy=levels", "laplacian.amgx",
    )
]  # fmt: skip
ON_SEVERAL = [
    Case.parse(f"symbolic.{name}@circuit,4000.metis")
    for name in (
        "gsofa_multi", "gsofa_multi.gpus=2", "gsofa_multi.gpus=2.order=inter_node",
        "gsofa_multi.gpus=2.order=contiguous", "gsofa_multi.gpus=2.maxsup=64",
        "gsofa_multi.gpus=2.sharing=separate_arrays", "gsofa_multi.gpus=2.sharing=one_array",
        "gsofa_multi.advise=false.gpus=2.sharing=one_array",
    )
]  # fmt: skip
IN_TURN = [
    Case.parse(f"symbolic.{name}@circuit,4000.metis")
    for name in ("fill2_multi.virtual_gpus=6", "fill2_multi.nodes=6.virtual_gpus=6")
]
FACTS = {
    "concurrent_sources": 512.0, "iterations": 9000.0, "bytes_matrix": 6e5, "bytes_maxid": 2.4e9,
    "bytes_fill": 8e7, "bytes_queue": 6e8, "bytes_external": 0.0, "queue_mean": 0.001, "queue_peak": 0.2,
    "reinit_share": 0.03, "launches": 2.0, "spilled": 0.0, "levels": 40.0, "dependencies": 9000.0,
    "residual": 9e-7, "nnz_factor": 5e5, "nnz_l": 4e5, "nnz_g": 5e5, "height_classical": 900.0,
    "height_actual": 90.0, "critical_path": 120.0, "workers": 2.0, "load_balance": 1.2,
}  # fmt: skip
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
    return case.stage, case.implementation, case.options, case.gpus


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


RECORDS = Records(
    (
        *(made_record(c, i) for i, c in enumerate([*CASES, *ONE_CORE]) if c.name != ABSENT),
        *(on_gpu(case, 30 + number) for number, case in enumerate([*ON_GPU, *OUT_OF_CORE])),
        *(on_gpu(case, number) for number, case in enumerate(ON_SEVERAL)),
        *(replace(on_gpu(case, number), device=None) for number, case in enumerate(IN_TURN)),
        *(
            replace(on_gpu(case, number), kernel_seconds=[0.002, 0.003])
            for number, case in enumerate(ON_FILLED)
        ),
        *(
            on_gpu(case, number, phases={"factor": [0.1] * 3, "analysis": [0.1] * 3, "solve": [0.2] * 3})
            for number, case in enumerate(ON_GRAPHS)
        ),
    )
)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(paths, "PAGE", tmp_path / "index.html")
    monkeypatch.setattr(paths, "SITE", tmp_path / "site")
    monkeypatch.setattr(style, "DPI", 40)
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path / "results"))
    return tmp_path / "site"


def test_every_case_is_a_row_whatever_became_of_it() -> None:
    frame = RECORDS.frame(CASES).set_index("case")
    assert list(frame.index) == [case.name for case in CASES]
    assert frame.loc[ABSENT, "status"] == "not_run" and frame.loc[ABSENT, "reason"]
    for name, (status, reason) in FAILED.items():
        assert (frame.loc[name, "status"], frame.loc[name, "reason"]) == (str(status), reason)
        assert frame.loc[name, ["median", "low", "high", "edges", "fills"]].isna().all()


def test_median_and_interval_are_the_records_own() -> None:
    for record in RECORDS.rows:
        row = RECORDS.frame([Case.parse(record.case)]).iloc[0]
        if record.status is Status.OK:
            assert row["median"] == record.median and row["low"] <= row["median"] <= row["high"]


def test_records_come_from_results_one_a_machine(site: Path) -> None:
    first = RECORDS.rows[0]
    write_records(record_path(first.machine, first.case), [first])
    other = replace(first, machine="other", run_id="run-2")
    write_records(record_path(other.machine, other.case), [other])
    loaded = Records.load()
    assert {record.machine for record in loaded.of(first.case)} == {"made-up", "other"}
    assert Records.load("other").rows == (replace(first, machine="other", run_id="run-2"),)
    frame = fig10.EXHIBIT.frame(loaded, ENTRIES, CASES[:1])
    assert sorted(frame["series"]) == ["fill1 on made-up", "fill1 on other"]


def test_no_records_at_all_still_draws(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A layout draws everything once; to write that thrice a figure takes most of a minute for all of them.
    (site / "figures").mkdir(parents=True)
    monkeypatch.setattr(style, "write_picture", lambda figure, path, box: path.touch())
    gpu = [*ON_GPU, *OUT_OF_CORE, *ON_SEVERAL, *ON_FILLED, *ON_GRAPHS]
    chosen = [*CASES[:3], *ONE_CORE, *gpu]
    absent = Records(tuple(unavailable(case, number) for number, case in enumerate(gpu)))
    for paper, figure in reports.available_figures():
        own = own_cases(paper, figure, chosen)
        assert all(path.is_file() for path in reports.draw(paper, figure, own, absent, ENTRIES))
        found = figures.exhibit(paper, figure)
        for cases, records in ((own, Records()), ([], Records()), ([], absent)):
            frame = found.frame(records, ENTRIES, cases)
            assert found.picture(frame).axes and found.words(frame)
            assert not any(verdict.machine for verdict in found.verdicts(frame))


def test_teps_only_where_edges_are_those_of_fill2() -> None:
    frame = fig10.EXHIBIT.frame(RECORDS, ENTRIES, CASES)
    ok = frame[frame["status"] == "ok"]
    counted = ok["implementation"] == "fill2_cpu"
    assert ok.loc[~counted, "teps"].isna().all()
    fill2 = ok[counted]
    assert (fill2["teps"] == fill2["edges"] / fill2["median"]).all()
    assert ((fill2["teps_low"] <= fill2["teps"]) & (fill2["teps"] <= fill2["teps_high"])).all()


def test_paper_ratio_stands_only_beside_the_papers_own_matrix() -> None:
    frame = fig10.EXHIBIT.frame(RECORDS, ENTRIES, CASES)
    printed = frame[frame["paper_gsofa_over_this"].notna()]
    assert list(printed["case"]) == ["symbolic.fill2_cpu@rma10.metis"]
    assert list(printed["paper_gsofa_over_this"]) == [97.11]


def test_stand_ins_are_labelled_and_never_take_the_name() -> None:
    table = table1.EXHIBIT.frame(RECORDS, ENTRIES, CASES)
    stand_ins = table[table["role"] == "stand-in"].set_index("matrix")
    assert stand_ins.loc["poisson3d:16", "stand_in_for"] == "ST, AU, DI"
    assert stand_ins.loc["circuit:4000", "stand_in_for"] == "PR, TT"
    paper = table[table["role"] == "paper"].set_index("abbr")
    assert len(paper) == 13 and paper.loc["ST", "status"] == "not_run" and pd.isna(paper.loc["ST", "fills"])
    drawing = fig10.EXHIBIT.picture(fig10.EXHIBIT.frame(RECORDS, ENTRIES, CASES))
    ticks = [label.get_text() for label in drawing.axes[1].get_xticklabels()]
    assert "grid2d:60\nstand-in: BC" in ticks and "bcsstk18 (BC)" in ticks


def test_table1_takes_its_numbers_from_a_verified_record() -> None:
    table = table1.EXHIBIT.frame(RECORDS, ENTRIES, CASES).set_index("matrix")
    assert table.loc["BCSSTK18", "status"] == "ok" and table.loc["BCSSTK18", "fills_per_nnz"] == 6.0
    assert table.loc["BCSSTK18", "paper_fillins_per_nnz"] == 6.52
    only_failed = [case for case in CASES if case.name in FAILED]
    failed = table1.EXHIBIT.frame(RECORDS, ENTRIES, only_failed).set_index("matrix")
    assert failed.loc["RMA10", "status"] == "out_of_memory" and pd.isna(failed.loc["RMA10", "fills_per_nnz"])
    assert "in 1 of 8 measured" in table1.EXHIBIT.words(table)


def test_a_failed_case_is_a_marked_slot_in_both_panels() -> None:
    drawing = fig10.EXHIBIT.picture(fig10.EXHIBIT.frame(RECORDS, ENTRIES, CASES))
    top, bottom = ([text.get_text() for text in axes.texts] for axes in drawing.axes)
    assert sorted(top) == ["not run", "wrong"]
    assert sorted(bottom) == ["not run", "out of memory", "timeout", "wrong"]


@pytest.mark.parametrize("pair", reports.available_figures())
def test_csv_is_the_frame_under_its_stamp(site: Path, pair: tuple[str, str]) -> None:
    made = [*CASES, *ONE_CORE, *ON_GPU, *OUT_OF_CORE, *ON_SEVERAL, *IN_TURN, *ON_FILLED, *ON_GRAPHS]
    cases = own_cases(*pair, made)
    paths = reports.draw(*pair, cases, RECORDS, ENTRIES)
    assert [path.suffix for path in paths] == [".svg", ".png", ".csv"]
    comments, frame = style.read_csv(paths[2])
    wanted = figures.exhibit(*pair).frame(RECORDS, ENTRIES, cases)
    pd.testing.assert_frame_equal(
        frame, pd.read_csv(io.StringIO(wanted.to_csv(index=False))), check_exact=True
    )
    rows = RECORDS.frame(cases)
    dirty = "+dirty" if rows["dirty"].fillna(False).any() else ""
    assert comments["commit"] == f"0123456789abcdef{dirty}" and comments["machine"] == "made-up"
    drawn = rows.loc[rows["status"] == "ok", "matrix"].nunique()
    assert comments["run"] == "run-1" and comments["n"] == f"{drawn} matrices drawn"
    excluded = [f"{row['case']} ({row['status']})" for row in rows[rows["status"] != "ok"].to_dict("records")]
    assert comments["excluded"] == (", ".join(excluded) or "none")


def test_the_same_records_give_the_same_bytes(site: Path) -> None:
    first = [path.read_bytes() for path in reports.draw("gsofa", "fig10", CASES[:6], RECORDS, ENTRIES)]
    again = [path.read_bytes() for path in reports.draw("gsofa", "fig10", CASES[:6], RECORDS, ENTRIES)]
    assert first == again


def test_short_stamp_counts_what_the_long_one_names() -> None:
    stamp = style.Stamp.of(RECORDS.frame(CASES))
    assert len(stamp.excluded) == 4 and "0123456789ab+dirty" in stamp.footer()
    many = style.Stamp.of(Records().frame(CASES))
    assert f"{len(CASES)} not_run (named in the CSV)" in many.footer()


def test_unknown_names_come_with_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="did you mean gsofa"):
        reports.draw("gsoffa", "fig10", CASES, RECORDS, ENTRIES)
    with pytest.raises(UnknownNameError, match="did you mean fig10"):
        reports.draw("gsofa", "fig100", CASES, RECORDS, ENTRIES)


def test_summary_fits_and_names_every_case(site: Path) -> None:
    reports.draw("gsofa", "fig10", CASES, RECORDS, ENTRIES)
    text = reports.summary(reports.available_figures(), CASES, RECORDS, ENTRIES)
    table = text.partition("\nfigures:")[0]
    assert max(map(len, table.splitlines())) <= 110
    for case in CASES:
        assert case.name in table
    assert "GSoFA: 97.11x" in table and "gsofa_fig10.svg" in text


@pytest.mark.parametrize(
    ("case", "text"),
    [
        ("symbolic.fill2_cpu@rma10.metis", "GSoFA: 97.11x"),
        ("symbolic.fill2_cpu@bcsstk18.metis", "GSoFA: 33.06x (mean)"),
        ("symbolic.fill2_cpu@grid2d,60.metis", "GSoFA: 33.06x (mean)"),
        ("symbolic.fill2_cpu@poisson3d,16,aniso.metis", "-"),
        ("symbolic.fill2_cpu@local+own-0123456789ab.metis", "-"),
        ("symbolic.fill1@rma10.metis", "-"),
        ("symbolic.gilbert_peierls.threads=1@bcsstk18.metis", "GSoFA: 1.01x"),
        ("symbolic.gilbert_peierls.threads=1@rma10.metis", "GSoFA: 50.1x (mean)"),
    ],
)
def test_the_papers_figure_of_a_case(case: str, text: str) -> None:
    assert paper_figure(Case.parse(case), ENTRIES) == text


def test_what_cannot_run_here_is_counted_by_reason(site: Path) -> None:
    absent = tuple(unavailable(case, number) for number, case in enumerate(ON_GPU))
    records = Records((*RECORDS.of(CASES[0].name), *absent))
    text = reports.summary([], [CASES[0], *ON_GPU], records, ENTRIES)
    assert f"{len(ON_GPU)} cases of fill2_gpu, gsofa are unavailable: no NVIDIA GPU" in text
    assert CASES[0].name in text and ON_GPU[0].name not in text


def test_what_is_unavailable_here_is_a_row_only_where_no_machine_has_tried() -> None:
    here = [replace(unavailable(case, number), machine="here") for number, case in enumerate(ON_GPU[:2])]
    there = replace(on_gpu(ON_GPU[0], 1), machine="there", status=Status.TIMEOUT, seconds=[])
    records = Records((*here, there))
    rows = records.frame(ON_GPU[:3])
    assert list(zip(rows["machine"].fillna("-"), rows["status"], strict=True)) == [
        ("there", "timeout"), ("here", "unavailable"), ("-", "not_run"),
    ]  # fmt: skip
    assert records.cases_elsewhere(["here"]) == {ON_GPU[0].name}
    assert records.cases_elsewhere(["there"]) == frozenset()


def test_verdicts_stand_under_the_picture_in_the_csv_and_on_the_page(site: Path) -> None:
    path = next(p for p in reports.draw("gsofa", "fig14", ON_GPU, RECORDS, ENTRIES) if p.suffix == ".csv")
    comments, frame = style.read_csv(path)
    (key,) = [key for key in comments if key.startswith("verdict gsofa.fig14_maxid_ranges.mean ")]
    assert key.endswith("(seconds, made-up, indicative (stand-in))") and len(frame) > 2
    assert "printed mean 1.14x" in comments[key]
    page = reports.page([], ON_GPU, RECORDS, ENTRIES).read_text()
    assert f"<li>{key}: {comments[key]}</li>" in page


def test_times_are_readable() -> None:
    assert [bars.seconds(value) for value in (None, 0.0, 2.5e-7, 0.0123, 0.9996, 61.0, 999.7, 12345.6)] == [
        "-", "0 ns", "250 ns", "12.3 ms", "1 s", "61 s", "1,000 s", "12,346 s",
    ]  # fmt: skip


def test_claims_agree_with_their_schema_and_files() -> None:
    assert subject("gsofa", "fig10_vs_fill2_cpu").extreme("max") == ("RM", 97.11)
    for found in subjects().values():
        assert "file" not in found.data or (CONFIG / "papers" / found.data["file"]).is_file()
    with pytest.raises(UnknownNameError, match="fig10_vs_fill2_cpu"):
        subject("gsofa", "fig10_vs_fill2cpu")


def test_figures_speak_to_claims_that_exist() -> None:
    for paper, figure in reports.available_figures():
        for id in figures.exhibit(paper, figure).subjects:
            assert subject(paper, id).figure in (figure, "")


def test_state_table_has_every_claim_and_can_be_written(tmp_path: Path) -> None:
    assert len(readme_table.state_table().splitlines()) >= 2 + len(subjects())
    assert "drawn" in readme_table.state_table() and "not yet" in readme_table.state_table()
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{readme_table.PART.begin}\nold\n{readme_table.PART.end}\nafter\n")
    assert not readme_table.PART.is_current(readme, readme_table.state_table())
    readme_table.PART.write(readme, readme_table.state_table())
    assert readme_table.PART.is_current(readme, readme_table.state_table())
    assert readme.read_text().startswith("before\n") and readme.read_text().endswith(
        f"{readme_table.PART.end}\nafter\n"
    )
    with pytest.raises(ConfigError, match="state:begin"):
        readme_table.PART.inserted("no markers", "table")


def test_readme_says_what_is_reproduced() -> None:
    readme = ROOT / "README.md"
    if not readme.is_file() or readme_table.PART.begin not in readme.read_text():
        pytest.skip("README.md has no markers for the table")
    assert main(["maintain", "readme", "--check"]) == 0


def of_run(name: str, run: str, seconds: float, status: Status = Status.OK) -> Record:
    made = replace(made_record(Case.parse(f"symbolic.{name}@bcsstk18.metis"), 1), status=status, run_id=run)
    return replace(made, seconds=[seconds] * 3 if status is Status.OK else [], started_at=f"2026-01-0{run}")


def test_ratios_are_of_the_run_that_measured_most_of_a_figures_cases() -> None:
    cases = [Case.parse(f"symbolic.{name}@bcsstk18.metis") for name in ("gsofa", "fill2_gpu", "fill2_cpu")]
    old = [of_run("gsofa", "1", 3.0), of_run("fill2_gpu", "1", 4.0), of_run("fill2_cpu", "1", 5.0)]
    new = [of_run("gsofa", "2", 2.0), of_run("fill2_gpu", "2", 3.0)]
    records = Records((*new, old[2]), (old[0], old[1]))
    assert {r.run_id for r in records.of_one_run(cases).rows} == {"1"}
    assert {r.run_id for r in records.of_one_run(cases[:2]).rows if r.case != old[2].case} == {"2"}


def test_what_has_been_wrong_since_is_never_replaced_by_what_was_right() -> None:
    cases = [Case.parse(f"symbolic.{name}@bcsstk18.metis") for name in ("gsofa", "fill2_gpu")]
    old = [of_run("gsofa", "1", 3.0), of_run("fill2_gpu", "1", 4.0)]
    wrong = of_run("gsofa", "2", 2.0, Status.WRONG)
    rows = Records((wrong, old[1]), (old[0],)).of_one_run(cases).rows
    assert [r.status for r in rows] == [Status.WRONG, Status.OK]
