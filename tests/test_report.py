"""A machine's report: one file whose every member has a checksum, and which `unpack` takes for a pack."""

from __future__ import annotations

import json
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.runs import archive
from commands import main
from fillpath.errors import InputError
from fillpath.paths import results
from fillpath.record import Status, read_records, record_path, write_records
from reports import figures
from reports.figures import exhibits
from reports.pages import drawing
from reports.pages.ledger import standing as judging
from reports.pages.ledger import view as viewing
from reports.pages.machine_report import SUMMARY
from reports.shapes import frame_csv
from tests.reports_fakes import case_of, measured
from tests.serial import Serial
from tests.test_compare import on, put_ceilings, repack

REASON = "not done within <60 s>"


def write(machine: str, *seconds: float) -> None:
    """Records of a machine, one of them of a case that took too long."""
    late = replace(measured("fill1", 1.0, machine=machine), status=Status.TIMEOUT, reason=REASON, seconds=[])
    for record in [*on(machine, *seconds), late]:
        write_records(record_path(machine, record.case), [record])


@contextmanager
def one_figure(folder: Path) -> Iterator[pytest.MonkeyPatch]:
    """One figure is drawn, and the claims that it decides are judged, for all of them take a minute."""
    shown = {"fig14": exhibits("gsofa")["fig14"]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FILLPATH_RESULTS", str(folder / "results"))
        patch.setenv("FILLPATH_MACHINE", "near")
        patch.setattr("commands.report.adopt", lambda: None)
        patch.setattr("commands.report.begin_part", lambda: None)
        for module in (judging, viewing):
            patch.setattr(module, "exhibits", lambda paper: shown)
        patch.setattr(drawing, "paper_names", lambda: ["gsofa"])
        patch.setattr(figures, "available_figures", lambda: [("gsofa", "fig14")])
        yield patch


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with results/ of two machines, and a report of one of them, which is taken apart too."""
    folder = tmp_path_factory.mktemp("reported")
    with one_figure(folder) as patch:
        patch.setattr(drawing, "workers", Serial)
        write("far", 2.0, 1.0, 3.0, 2.5)
        write("near", 1.0, 1.0, 1.0, 1.0)
        put_ceilings("far")
        assert main(["report", "far", "--output", str(folder / "report.tar.gz")]) == 0
    subprocess.run(["tar", "xzf", folder / "report.tar.gz", "-C", folder], check=True)
    return folder


def test_every_member_has_a_checksum_that_holds(reported: Path) -> None:
    sums = ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"]
    subprocess.run(sums, cwd=reported / "far", check=True)
    listed = {line.split("  ")[1] for line in (reported / "far" / "SHA256SUMS").read_text().splitlines()}
    with tarfile.open(reported / "report.tar.gz") as packed:
        names = {name.removeprefix("far/") for name in packed.getnames()}
    assert names == {*listed, "SHA256SUMS"}
    assert {
        "ceilings.json",
        f"report/{SUMMARY}",
        "report/claims.json",
        "report/figures/rooflines.svg",
    } < names


def test_two_calls_give_the_same_bytes(reported: Path, tmp_path: Path) -> None:
    """In several processes in place of one: another order."""
    with one_figure(reported):
        assert main(["report", "far", "--output", str(tmp_path / "again.tar.gz")]) == 0
    assert (tmp_path / "again.tar.gz").read_bytes() == (reported / "report.tar.gz").read_bytes()


def test_the_summary_says_what_was_measured_and_what_failed(reported: Path) -> None:
    report = reported / "far" / "report"
    summary = (report / SUMMARY).read_text()
    assert "performance claims is firmly reproduced on far" in summary
    assert "NVIDIA H200" in summary and "0123456789ab (5 cases)" in summary
    for status, count in (("ok", 4), ("timeout", 1)):
        assert f"<tr><td>{status}</td><td>{count}</td></tr>" in summary
    late = case_of("fill1").name
    assert f"<td>{late}</td><td>timeout</td><td>not done within &lt;60 s&gt;</td>" in summary
    slowest = summary.partition("What takes longest")[2]
    ordered = [case_of(name).name for name in ("gsofa.fill_first=true", "gsofa", "fill2_gpu")]
    places = [slowest.index(f"<td>{case}</td>") for case in ordered]
    assert places == sorted(places)
    assert json.loads((report / "claims.json").read_text())["machines"] == ["far"]


def test_its_figures_are_of_that_machine_alone(reported: Path) -> None:
    folder = reported / "far" / "report" / "figures"
    assert frame_csv.read_comments(folder / "gsofa_fig14.csv")["machine"] == "far"
    shown = {f"figures/{path.name}" for path in folder.iterdir()}
    summary = (folder.parent / SUMMARY).read_text()
    assert {name for name in shown if f'"{name}"' in summary} == shown


def test_unpack_takes_its_records_and_nothing_made_of_them(
    reported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path / "ours"))
    assert main(["unpack", str(reported / "report.tar.gz")]) == 0
    sent = {path.name: read_records(path) for path in (reported / "results" / "far" / "records").iterdir()}
    assert {path.name: read_records(path) for path in (results() / "far" / "records").iterdir()} == sent
    assert {path.name for path in (results() / "far").iterdir()} == {"records", "ceilings.json"}
    archive.pack("far", tmp_path / "again.tar.gz")
    with tarfile.open(tmp_path / "again.tar.gz") as packed:
        assert not [name for name in packed.getnames() if "/report/" in name]


@pytest.mark.parametrize(
    ("change", "message"),
    [(lambda data: data[:-1], "corrupted: report/summary"), (lambda data: None, "partial: report/summary")],
)
def test_a_report_that_was_changed_on_its_way_is_refused(
    reported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    change: Callable[[bytes], bytes | None], message: str,
) -> None:  # fmt: skip
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path / "ours"))
    changed = repack(
        reported / "report.tar.gz", tmp_path / "changed.tar.gz",
        lambda name, data: change(data) if name.endswith(SUMMARY) else data,
    )  # fmt: skip
    with pytest.raises(InputError, match=message):
        archive.unpack(changed)
    assert not (tmp_path / "ours").exists()


def test_no_machine_and_no_records_are_said_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    (results() / "empty").mkdir(parents=True)
    for name, message in (
        ("emty", "did you mean empty?"),
        ("../results/empty", "no folder"),
        ("empty", "partial: it has no records/"),
    ):
        assert main(["report", name]) == 2
        error = capsys.readouterr().err
        assert message in error and error.count("\n") == 1
