"""Reports: what is drawn is what was recorded; what failed or is absent stays in sight.

All numbers are made up.
"""

import io
import subprocess
import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.transforms import Bbox

from commands import main
from commands.maintain import _part as part
from commands.maintain.readme import PART, state
from commands.workflow.summary import summary
from fetch import catalogue
from fillpath.case import Case
from fillpath.errors import ConfigError, UnknownNameError
from fillpath.papers import paper_names
from fillpath.paths import CONFIG, ROOT
from fillpath.record import Record, Status, record_key, record_path, write_records
from fillpath.registry import lookup
from reports import figures
from reports.claims.standing import Standing
from reports.claims.verdict import Outcome, Reason
from reports.facts.claims import claim, claims, paper_figure, subject, subjects
from reports.facts.records import Records
from reports.gsofa import fig10, table1
from reports.shapes import bars, files, style
from reports.table import all_rows, case_table
from tests import reports_fakes as fakes
from tests.reports_fakes import CASES, ENTRIES, ON_GPU, RECORDS, draw, made_record, rows_of, site, standings
from tests.thorough import daily

__all__ = ["site", "standings"]
ON_CARD = [*ON_GPU, *fakes.OUT_OF_CORE, *fakes.ON_SEVERAL, *fakes.ON_FILLED, *fakes.ON_GRAPHS]
MADE = [*CASES, *fakes.ONE_CORE, *ON_CARD, *fakes.IN_TURN]
EACH_SHAPE = daily(figures.available_figures(), *fakes.OF_EACH_SHAPE)


def test_every_case_is_a_row_of_the_records_machine_whatever_became_of_it() -> None:
    frame = rows_of(RECORDS, CASES).set_index("case")
    for name, (status, reason) in {**fakes.FAILED, fakes.ABSENT: (Status.NOT_RUN, "no record yet")}.items():
        assert frame.loc[name, ["machine", "status", "reason"]].tolist() == ["made-up", str(status), reason]
        assert frame.loc[name, ["median", "low", "high", "edges", "fills"]].isna().all()
    # So that the cases which it is held against are found, and keep their own status.
    cpu = next(record for record in RECORDS.rows if ".fill2_cpu@" in record.case)
    both = Case.parse(cpu.case), Case.parse(cpu.case.replace("fill2_cpu", "gsofa"))
    rows = fig10.EXHIBIT.frame(Records((cpu,)), ENTRIES, both).set_index("implementation")
    assert rows.loc["gsofa", ["machine", "fill2_cpu_pair"]].tolist() == ["made-up", "not_run"]


def test_records_come_from_results_one_a_machine(site: Path) -> None:
    first = next(record for record in RECORDS.rows if ".fill2_cpu@" in record.case)
    other = replace(first, machine="other", run_id="run-2")
    for record in (first, other):
        write_records(record_path(record.machine, record.case), [record])
    assert {record.machine for record in Records.load().of(first.case)} == {"made-up", "other"}
    assert Records.load("other").rows == (other,)


def test_whether_a_record_is_todays_is_known_in_a_fresh_process(site: Path) -> None:
    """Whoever has imported implementations before: the loader asks, once."""
    cases = [fakes.case_of(name) for name in ("fill1", "fill1_pruned", "is_no_more")]
    made = [replace(made_record(case, 1), key=f"{n:064}") for n, case in enumerate(cases)]
    source = lookup(cases[0].stage, cases[0].implementation).source_hash(made[0].versions)
    own = record_key(made[0].case, "0" * 64, source, made[0].machine)
    for record in (replace(made[0], key=own), *made[1:]):
        write_records(record_path(record.machine, record.case), [record])
    code = (
        "from reports.facts.records import Records\nrecords = Records.load()\n"
        "print([records.current.get(record.key) for record in records.rows])"
    )
    printed = subprocess.check_output([sys.executable, "-c", code], text=True, cwd=ROOT)
    assert printed.strip() == "[True, False, None]"


def touch_pictures(monkeypatch: pytest.MonkeyPatch, site: Path, kept: str = "") -> None:
    """Write pictures of that ending alone: all of their forms are written where their bytes are compared."""
    (site / "figures").mkdir(parents=True)
    write = style.write_picture
    monkeypatch.setattr(
        style,
        "write_picture",
        lambda figure, path, box=None: write(figure, path, box) if path.suffix == kept else path.touch(),
    )


# What becomes of a claim without any record.
UNMEASURED = (Reason.NOT_RUN, Reason.DERIVED, Reason.CONSTANT)


@pytest.mark.parametrize(("paper", "figure"), EACH_SHAPE)
def test_a_figure_is_laid_out_and_written_and_drawn_without_records(
    site: Path, monkeypatch: pytest.MonkeyPatch, paper: str, figure: str
) -> None:
    touch_pictures(monkeypatch, site, ".svg")
    svg, _ = draw(paper, figure, fakes.own_cases(paper, figure, MADE), RECORDS)
    assert svg.suffix == ".svg" and svg.read_text().rstrip().endswith("</svg>")
    absent = Records(tuple(fakes.unavailable(case, number) for number, case in enumerate(ON_CARD)))
    own = fakes.own_cases(paper, figure, [*CASES[:3], *fakes.ONE_CORE, *ON_CARD])
    assert all(path.is_file() for path in draw(paper, figure, own, absent))
    found = figures.exhibit(paper, figure)
    for cases, records in ((own, Records()), ([], Records()), ([], absent)):
        frame = found.frame(records, ENTRIES, cases)
        assert found.picture(frame).axes and found.words(frame, fakes.NO_ROWS)
        assert all(verdict.reason in UNMEASURED for verdict in found.verdicts(frame))


def ticks_of(frame: pd.DataFrame) -> set[str]:
    (axes,) = fig10.EXHIBIT.picture(frame).axes
    return {label.get_text() for label in axes.get_xticklabels()}


def test_teps_are_of_fill2_alone_a_failed_case_is_a_marked_slot_and_an_absent_one_a_name_below() -> None:
    frame = fig10.EXHIBIT.frame(RECORDS, ENTRIES, CASES)
    fill2 = frame[frame["status"] == "ok"]
    assert set(frame["implementation"]) == {"fill2_cpu"} and len(fill2) == 6, "all but wrong and absent"
    assert (fill2["teps"] * fill2["median"]).tolist() == pytest.approx(fill2["edges"].tolist())
    assert fill2["teps"].between(fill2["teps_low"], fill2["teps_high"]).all()
    assert {"wrong"} == {text.get_text() for text in fig10.EXHIBIT.picture(frame).axes[0].texts}
    assert "Not measured: poisson3d:16:aniso." in fig10.EXHIBIT.words(frame, fakes.NO_ROWS)
    assert {"grid2d:60\nstand-in: BC", "bcsstk18 (BC)"} <= ticks_of(frame)


def test_paper_ratio_stands_only_beside_the_papers_own_matrix() -> None:
    cases = [fakes.case_of("gsofa", matrix) for matrix in ("rma10", "circuit,4000", "bcsstk18")]
    printed = fig10.EXHIBIT.frame(RECORDS, ENTRIES, cases).dropna(subset="fill2_cpu_paper")
    assert printed[["case", "fill2_cpu_paper"]].values.tolist() == [["symbolic.gsofa@rma10.metis", 97.11]]


def test_stand_ins_never_take_the_name() -> None:
    table = table1.EXHIBIT.frame(RECORDS, ENTRIES, CASES)
    stand_ins = table[table["abbr"].isna()].drop_duplicates("label").set_index("label")["stand_in_for"]
    assert stand_ins["poisson3d:16"] == "ST, AU, DI" and stand_ins["circuit:4000"] == "PR, TT"
    paper = table[table["abbr"].notna()].drop_duplicates("abbr").set_index("abbr")
    assert len(paper) == 13 and paper.loc["ST", "status"] == "not_run" and pd.isna(paper.loc["ST", "fills"])


def test_a_twin_is_called_one_and_what_is_none_stays_a_stand_in() -> None:
    twin = next(entry for entry in catalogue.entries() if entry.stands_for == ("rma10",))
    cases = [fakes.case_of("gsofa", id) for id in (twin.id, "bcsstk32")]
    records = Records(tuple(made_record(case, number) for number, case in enumerate(cases)))
    frame = fig10.EXHIBIT.frame(records, catalogue.entries(), cases)
    rows = frame[frame["status"] == "ok"].set_index("matrix")
    assert rows.loc[twin.id, ["label", "stand_in_for"]].tolist() == ["twin of RM", "RM"]
    assert rows.loc["bcsstk32", "label"] == "bcsstk32" and rows["abbr"].isna().all()
    ticks = ticks_of(frame)
    assert {"twin of RM", "bcsstk32\nstand-in: AU"} <= ticks and "rma10 (RM)" not in ticks
    others = case_table(records, cases, catalogue.entries(), "parac").set_index("matrix")["label"]
    assert others[twin.id] == twin.name, "the paper does not print rma10"


def test_table1_takes_its_numbers_from_a_verified_record() -> None:
    pruned = [case for case in CASES if case.implementation == "fill1_pruned"]
    table = table1.EXHIBIT.frame(RECORDS, ENTRIES, pruned).set_index("abbr")
    numbers = ["status", "fillins_per_nnz", "paper_fillins_per_nnz"]
    assert table.loc["BC", numbers].tolist() == ["ok", 6.0, 6.52]
    assert table.loc["RM", "status"] == "out_of_memory" and pd.isna(table.loc["RM", "fillins_per_nnz"])
    assert "0 of 7 measured matrices are" in table1.EXHIBIT.words(table, fakes.NO_ROWS)


@pytest.mark.parametrize("pair", figures.available_figures())
def test_csv_is_the_frame_under_its_stamp(
    site: Path, monkeypatch: pytest.MonkeyPatch, pair: tuple[str, str]
) -> None:
    touch_pictures(monkeypatch, site)
    monkeypatch.setattr(style, "measured", lambda figure: Bbox.unit())
    cases = [case for case in fakes.own_cases(*pair, MADE) if case.name != fakes.ABSENT]
    paths = draw(*pair, [*cases, Case.parse(fakes.ABSENT)], RECORDS)
    assert [path.suffix for path in paths] == [".svg", ".csv"]
    comments, frame = fakes.read_csv(paths[1])
    wanted = files.cells(figures.exhibit(*pair).frame(RECORDS, ENTRIES, cases))
    wanted = pd.read_csv(io.StringIO(wanted.to_csv(index=False)))
    pd.testing.assert_frame_equal(frame, wanted, check_exact=True, check_dtype=False)
    rows = rows_of(RECORDS, cases)
    failed, ok = rows[rows["status"] != "ok"], rows[rows["status"] == "ok"]
    stamp = {
        "commit": f"0123456789abcdef{'+dirty' if rows['dirty'].eq(True).any() else ''}",
        "machine": "made-up",
        "run": "run-1",
        "n": f"{ok['matrix'].nunique()} matrices measured",
        "excluded": ", ".join(failed["case"] + " (" + failed["status"] + ")") or "none",
    }
    assert {name: comments[name] for name in stamp} == stamp


def test_the_same_records_give_the_same_bytes(site: Path) -> None:
    first = [path.read_bytes() for path in draw("gsofa", "fig10", CASES[:3], RECORDS)]
    style.figure_path("gsofa_fig10", style.DRAWN).unlink()
    assert first == [path.read_bytes() for path in draw("gsofa", "fig10", CASES[:3], RECORDS)]


def test_short_stamp_counts_what_the_long_one_names() -> None:
    stamp = style.stamp(rows_of(RECORDS, CASES))
    assert stamp["excluded"].count(" (") == 4 and "excluded 4, named in the CSV" in style.footer(stamp)
    assert "commit 012345678901+dirty |" in style.footer({"commit": f"{'0123456789' * 4}+dirty", "n": "1"})


@pytest.mark.parametrize(("pair", "hint"), [(("gsoffa", "fig10"), "gsofa"), (("gsofa", "fig100"), "fig10")])
def test_unknown_names_come_with_a_suggestion(pair: tuple[str, str], hint: str) -> None:
    with pytest.raises(UnknownNameError, match=f"did you mean {hint}"):
        draw(*pair, CASES, RECORDS)


def test_summary_fits_names_every_case_and_counts_by_reason_what_cannot_run_here(site: Path) -> None:
    draw("gsofa", "fig10", CASES, RECORDS)
    text = summary(figures.available_figures(), CASES, RECORDS, ENTRIES)
    table = text.partition("\nfigures:")[0]
    assert max(map(len, table.splitlines())) <= 110 and all(case.name in table for case in CASES)
    assert "GSoFA: 97.11x" in table and "gsofa_fig10.svg" in text
    absent = tuple(fakes.unavailable(case, number) for number, case in enumerate(ON_GPU))
    records = Records((*RECORDS.of(CASES[0].name), *absent))
    text = summary([], [CASES[0], *ON_GPU], records, ENTRIES)
    assert f"{len(ON_GPU)} cases of fill2_gpu, gsofa are unavailable: no NVIDIA GPU" in text
    assert CASES[0].name in text and ON_GPU[0].name not in text


@pytest.mark.parametrize(
    ("case", "text"),
    [
        ("fill2_cpu@rma10", "GSoFA: 97.11x"), ("fill2_cpu@bcsstk18", "GSoFA: 33.06x (mean)"),
        ("fill2_cpu@grid2d,60", "GSoFA: 33.06x (mean)"), ("fill2_cpu@poisson3d,16,aniso", "-"),
        ("fill2_cpu@local+own-0123456789ab", "-"), ("fill1@rma10", "-"),
        ("gilbert_peierls.threads=1@bcsstk18", "GSoFA: 1.01x"),
        ("gilbert_peierls.threads=1@rma10", "GSoFA: 50.1x (mean)"),
    ],
)  # fmt: skip
def test_the_papers_figure_of_a_case(case: str, text: str) -> None:
    assert paper_figure(Case.parse(f"symbolic.{case}.metis"), ENTRIES) == text


def test_what_is_unavailable_here_is_a_row_only_where_no_machine_has_tried() -> None:
    here = [
        replace(fakes.unavailable(case, number), machine="here") for number, case in enumerate(ON_GPU[:2])
    ]
    there = replace(fakes.on_gpu(ON_GPU[0], 1), machine="there", status=Status.TIMEOUT, seconds=[])
    rows = all_rows(Records((*here, there)), ON_GPU[:3], ENTRIES)
    assert list(zip(rows["machine"].fillna("-"), rows["status"], strict=True)) == [
        ("there", "timeout"), ("here", "unavailable"), ("-", "not_run"),
    ]  # fmt: skip


def test_verdicts_stand_in_the_csv_of_a_figure(site: Path) -> None:
    """The page has them of the standings: tests/test_page.py."""
    comments, frame = fakes.read_csv(draw("gsofa", "fig14", ON_GPU, RECORDS)[1])
    keys = [key for key in comments if key.startswith("verdict gsofa.fig14_maxid_ranges.mean ")]
    assert len(frame) > 2 and any("printed mean 1.14x" in comments[key] for key in keys)


def test_times_are_readable() -> None:
    assert [bars.seconds(value) for value in (None, 0.0, 2.5e-7, 0.0123, 0.9996, 61.0, 999.7, 12345.6)] == [
        "-", "0 ns", "250 ns", "12.3 ms", "1 s", "61 s", "1,000 s", "12,346 s",
    ]  # fmt: skip


def test_claims_agree_with_their_schema_and_files() -> None:
    assert claim("gsofa", "fig10_vs_fill2_cpu", "largest").by_matrix == {"RM": 97.11}
    for found in subjects().values():
        assert "file" not in found.data or (CONFIG / "papers" / found.data["file"]).is_file()
    with pytest.raises(UnknownNameError, match="fig10_vs_fill2_cpu"):
        subject("gsofa", "fig10_vs_fill2cpu")


def test_the_readmes_part_is_the_claims_with_a_card_and_can_be_written(
    tmp_path: Path, standings: list[Standing]
) -> None:
    text, readme = state(standings), tmp_path / "README.md"
    head, line, *rows = text.splitlines()
    carded = [claim for claim in claims().values() if claim.card]
    assert len(carded) == len(rows) <= 12 and {claim.paper for claim in carded} == {*paper_names()}
    assert {text.count("|") for text in (head, line, *rows)} == {7}
    assert all(claim.printed in row for claim, row in zip(carded, rows, strict=True))
    # The machine that says most of a claim, of several.
    mute = [replace(s, machine="mute", outcome=Outcome.NOT_JUDGED, reason=Reason.NOT_RUN) for s in standings]
    assert state([*mute, *standings]) == text
    begin, end = part.markers(PART)
    whole = "before\n{}\n{}\n{}\nafter\n".format
    readme.write_text(whole(begin, "old", end))
    write, check = Namespace(check=False), Namespace(check=True)
    assert part.update(PART, readme, text, check) == 1 and "\nold\n" in readme.read_text()
    assert part.update(PART, readme, text, write) == 0 and readme.read_text() == whole(begin, text, end)
    assert part.update(PART, readme, text, check) == 0
    readme.write_text("no markers")
    with pytest.raises(ConfigError, match="state:begin"):
        part.update(PART, readme, text, write)


def test_readme_says_what_is_reproduced(committed_results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILLPATH_RESULTS", str(committed_results))
    assert main(["maintain", "readme", "--check"]) == 0


PAIRED = [Case.parse(f"symbolic.{name}@bcsstk18.metis") for name in ("gsofa", "fill2_gpu", "fill2_cpu")]


def of_run(run: str, status: Status = Status.OK) -> list[Record]:
    made = [replace(made_record(case, 1), run_id=run, status=status) for case in PAIRED]
    return [replace(each, started_at=f"2026-01-0{run}", seconds=[3.0] * 3) for each in made]


def test_ratios_are_of_the_run_that_measured_most_of_a_figures_cases() -> None:
    old, new = of_run("1"), of_run("2")[:2]
    records = Records((*new, old[2]), (old[0], old[1]))
    assert {r.run_id for r in records.of_one_run(PAIRED).rows} == {"1"}
    assert {r.run_id for r in records.of_one_run(PAIRED[:2]).rows if r.case != old[2].case} == {"2"}


def test_what_has_been_wrong_since_is_never_replaced_by_what_was_right() -> None:
    old, wrong = of_run("1"), replace(of_run("2", Status.WRONG)[0], seconds=[])
    rows = Records((wrong, old[1]), (old[0],)).of_one_run(PAIRED[:2]).rows
    assert [r.status for r in rows] == [Status.WRONG, Status.OK]
