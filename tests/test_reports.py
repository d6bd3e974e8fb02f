"""Reports: what is drawn is what was recorded; what failed or is absent stays in sight.

All numbers are made up.
"""

import io
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.transforms import Bbox

from commands import main
from commands.maintain.pages import PAGES, state, update
from commands.workflow.summary import summary
from fillpath.case import Case
from fillpath.errors import ConfigError, UnknownNameError
from fillpath.papers import paper_names
from fillpath.paths import CONFIG, ROOT
from fillpath.record import Record, Status, record_key, record_path, write_records
from fillpath.registry import lookup
from reports import figures
from reports.claims.verdict import Outcome, Reason, Standing
from reports.facts.claims import claims, find_claim, subject, subjects
from reports.facts.records import Records
from reports.shapes import bars, files, style
from reports.table import all_rows
from tests import reports_fakes as fakes
from tests.reports_fakes import CASES, ENTRIES, ON_GPU, RECORDS, draw, made_record, rows_of, shown_frame

MADE = [*CASES, *fakes.ONE_CORE, *ON_GPU, *fakes.OTHERS]


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


@pytest.mark.parametrize("pair", figures.available_figures())
def test_csv_is_the_frame_under_its_stamp_and_a_picture_of_each_shape_is_laid_out(
    site: Path, monkeypatch: pytest.MonkeyPatch, pair: tuple[str, str]
) -> None:
    """An SVG alone is written: all forms of a picture are where their bytes are compared."""
    is_laid_out, write = pair in fakes.OF_EACH_SHAPE, style.write_picture
    kept = ".svg" if is_laid_out else ""
    (site / "figures").mkdir(parents=True)
    monkeypatch.setattr(
        style,
        "write_picture",
        lambda f, path, box=None: write(f, path, box) if path.suffix == kept else path.touch(),
    )
    if not is_laid_out:
        monkeypatch.setattr(style, "measured", lambda figure: Bbox.unit())
    cases = [case for case in fakes.own_cases(*pair, MADE) if case.name != fakes.ABSENT]
    paths = draw(*pair, [*cases, Case.parse(fakes.ABSENT)], RECORDS)
    assert [path.suffix for path in paths] == [".svg", ".csv"]
    assert paths[0].read_text().rstrip().endswith("</svg>" if is_laid_out else "")
    comments, frame = fakes.read_csv(paths[1])
    wanted = files.cells(shown_frame(figures.exhibit(*pair), RECORDS, ENTRIES, cases))
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
    if is_laid_out:
        absent = Records(tuple(fakes.unavailable(case, 1) for case in cases))
        assert fakes.read_csv(draw(*pair, cases, absent)[1])[0]["n"].startswith("0 ")


def test_short_stamp_counts_what_the_long_one_names() -> None:
    stamp = style.stamp(rows_of(RECORDS, CASES))
    assert stamp["excluded"].count(" (") == 4 and "excluded 4, named in the CSV" in style.footer(stamp)
    assert "commit 012345678901+dirty |" in style.footer({"commit": f"{'0123456789' * 4}+dirty", "n": "1"})


def test_summary_fits_names_every_case_and_counts_by_reason_what_cannot_run_here(site: Path) -> None:
    picture = style.figure_path("gsofa_fig10", "svg")
    picture.parent.mkdir(parents=True)
    picture.touch()
    text = summary(figures.available_figures(), CASES, RECORDS, ENTRIES)
    table = text.partition("\nfigures:")[0]
    assert max(map(len, table.splitlines())) <= 110 and all(case.name in table for case in CASES)
    assert "gsofa_fig10.svg" in text
    absent = tuple(fakes.unavailable(case, number) for number, case in enumerate(ON_GPU))
    records = Records((*RECORDS.of(CASES[0].name), *absent))
    text = summary([], [CASES[0], *ON_GPU], records, ENTRIES)
    assert f"unavailable: {len(ON_GPU)} cases of fill2_gpu, gsofa: no NVIDIA GPU" in text
    assert CASES[0].name in text and ON_GPU[0].name not in text
    reason = f"https://host/{'folder/' * 20}file: failed 3 times, last: Name or service not known"
    lost = replace(absent[0], status=Status.NOT_RUN, reason=reason)
    text = summary([], [ON_GPU[0]], Records((lost,)), ENTRIES)
    assert f": {reason}\n" in text and "not_run: 1 case of " in text and "why not ok" not in text


def test_what_is_unavailable_here_is_a_row_only_where_no_machine_has_tried() -> None:
    here = [
        replace(fakes.unavailable(case, number), machine="here") for number, case in enumerate(ON_GPU[:2])
    ]
    there = replace(fakes.on_gpu(ON_GPU[0], 1), machine="there", status=Status.TIMEOUT, seconds=[])
    rows = all_rows(Records((*here, there)), ON_GPU[:3], ENTRIES)
    assert list(zip(rows["machine"].fillna("-"), rows["status"], strict=True)) == [
        ("there", "timeout"), ("here", "unavailable"), ("-", "not_run"),
    ]  # fmt: skip


def test_times_are_readable() -> None:
    assert [bars.seconds(value) for value in (None, 0.0, 2.5e-7, 0.0123, 0.9996, 61.0, 999.7, 12345.6)] == [
        "-", "0 ns", "250 ns", "12.3 ms", "1 s", "61 s", "1,000 s", "12,346 s",
    ]  # fmt: skip


def test_claims_agree_with_their_schema_and_files() -> None:
    assert find_claim("gsofa.fig10_vs_fill2_cpu.largest").by_matrix == {"RM": 97.11}
    for found in subjects().values():
        assert "file" not in found or (CONFIG / "papers" / found["file"]).is_file()
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
    whole = "before\n<!-- state:begin -->\n{}\n<!-- state:end -->\nafter\n".format
    readme.write_text(whole("old"))
    update("state", readme, text)
    assert readme.read_text() == whole(text)
    readme.write_text("no markers")
    with pytest.raises(ConfigError, match="state:begin"):
        update("state", readme, text)


def test_generated_parts_of_pages_are_todays(
    committed_standings: list[Standing], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("commands.maintain.pages.load_records", Records)
    monkeypatch.setattr("commands.maintain.pages.judged", lambda records: committed_standings)
    monkeypatch.setattr("commands.maintain.pages.ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    for page in PAGES.values():
        shutil.copy(ROOT / page, tmp_path / page)
    assert main(["maintain", "pages"]) == 0
    for page in PAGES.values():
        assert (tmp_path / page).read_text() == (ROOT / page).read_text(), "run `fillpath maintain pages`"


PAIRED = [Case.parse(f"symbolic.{name}@bcsstk18.metis") for name in ("gsofa", "fill2_gpu", "fill2_cpu")]


def of_run(run: str, status: Status = Status.OK) -> list[Record]:
    made = [replace(made_record(case, 1), run_id=run, status=status) for case in PAIRED]
    return [replace(each, started_at=f"2026-01-0{run}", seconds=[3.0] * 3) for each in made]


def test_ratios_are_of_the_run_that_measured_most_and_what_has_been_wrong_since_stays() -> None:
    old, new, wrong = of_run("1"), of_run("2"), replace(of_run("2", Status.WRONG)[0], seconds=[])
    most = Records((*new[:2], old[2]), (old[0], old[1]))
    for records, cases, runs in (
        (most, PAIRED, ["1", "1", "1"]),
        (most, PAIRED[:2], ["2", "2", "1"]),
        (Records((wrong, old[1]), (old[0],)), PAIRED[:2], ["2", "1"]),
    ):
        rows = records.of_one_run(cases).rows
        assert [row.run_id for row in rows] == runs
        assert [row.status for row in rows] == [row.status for row in records.rows]
