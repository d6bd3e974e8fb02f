"""A pack with figures that is an RO-Crate: every member has a checksum, and `unpack` takes records."""

from __future__ import annotations

import json
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest

from benchmarks.runs import archive
from commands import main
from fillpath.errors import InputError
from fillpath.holdings import SUMS, digest_of
from fillpath.paths import results
from fillpath.record import Status, read_records, record_path, write_records
from reports import figures
from reports.facts.claims import claims
from reports.figures import exhibits
from reports.pages import drawing
from reports.pages.ledger import standing as judging
from reports.pages.ledger import view as viewing
from reports.shapes import files
from tests.reports_fakes import measured
from tests.serial import Serial
from tests.test_compare import on, put_ceilings, repack

REASON = "not done within 60 s"
SUMMARY = "report/summary.txt"


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
        patch.setattr("commands.pack.adopt", lambda: None)
        patch.setattr("commands.pack.begin_part", lambda: None)
        for module in (judging, viewing):
            patch.setattr(module, "exhibits", lambda paper: shown)
        patch.setattr(drawing, "paper_names", lambda: ["gsofa"])
        patch.setattr(figures, "available_figures", lambda: [("gsofa", "fig14")])
        yield patch


def pack(target: Path, *options: str) -> int:
    return main(["pack", "--machine", "far", *options, str(target)])


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with results/ of two machines, and packs of one of them, one of which is taken apart too."""
    folder = tmp_path_factory.mktemp("packed")
    with one_figure(folder) as patch:
        patch.setattr(drawing, "workers", Serial)
        write("far", 2.0, 1.0, 3.0, 2.5)
        write("near", 1.0, 1.0, 1.0, 1.0)
        put_ceilings("far")
        assert pack(folder / "figures.tar.gz", "--figures") == 0
        assert pack(folder / "pack.tar.gz", "--figures", "--crate") == 0
    subprocess.run(["tar", "xzf", folder / "pack.tar.gz", "-C", folder], check=True)
    return folder


def test_every_member_has_a_checksum_that_holds(packed: Path) -> None:
    sums = ["sha256sum", "--check", "--strict", "--quiet", SUMS]
    subprocess.run(sums, cwd=packed / "far", check=True)
    listed = {line.split("  ")[1] for line in (packed / "far" / SUMS).read_text().splitlines()}
    with tarfile.open(packed / "pack.tar.gz") as whole:
        names = {name.removeprefix("far/") for name in whole.getnames()}
    assert names == {*listed, SUMS}
    assert {"ceilings.json", archive.METADATA, SUMMARY, "report/figures/rooflines.svg"} < names


def test_the_crate_describes_every_file_by_its_checksum(packed: Path) -> None:
    folder = packed / "far"
    graph = json.loads((folder / archive.METADATA).read_text())["@graph"]
    described = {unquote(each["@id"]): each["sha256"] for each in graph if each["@type"] == "File"}
    present = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    del present[archive.METADATA], present[SUMS]
    assert described == {name: digest_of(path) for name, path in present.items()}


def test_two_calls_give_the_same_bytes(packed: Path, tmp_path: Path) -> None:
    """In several processes in place of one: another order."""
    with one_figure(packed):
        assert pack(tmp_path / "again.tar.gz", "--figures") == 0
    assert (tmp_path / "again.tar.gz").read_bytes() == (packed / "figures.tar.gz").read_bytes()


def test_the_summary_says_what_was_measured_and_how_claims_stand(packed: Path) -> None:
    lines = (packed / "far" / SUMMARY).read_text().splitlines()
    assert any("performance claims is firmly reproduced on far" in line for line in lines)
    facts = dict(line.split("  ", 1) for line in lines if "  " in line)
    assert facts["device"].strip() == "NVIDIA H200" and facts["cases"].strip() == "4 ok of 5"
    counts = [int(value) for name, value in facts.items() if ": " in name]
    assert sum(counts) == sum(claim.paper == "gsofa" for claim in claims().values())


def test_its_figures_are_of_that_machine_alone(packed: Path) -> None:
    folder = packed / "far" / "report" / "figures"
    assert files.read_comments(folder / "gsofa_fig14.csv")["machine"] == "far"
    assert {path.name for path in folder.iterdir()} == {"gsofa_fig14.csv", "gsofa_fig14.svg", "rooflines.svg"}


def test_a_figure_that_fails_is_named_and_makes_the_exit_status_one(
    packed: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def torn(*_: object) -> None:
        raise ValueError("torn")

    with one_figure(packed) as patch:
        patch.setattr(drawing, "workers", Serial)
        patch.setattr(drawing, "draw", torn)
        assert pack(tmp_path / "torn.tar.gz", "--figures") == 1
    reason = "not drawn: ValueError: torn"
    assert f"gsofa.fig14 {reason}" in caplog.text
    with tarfile.open(tmp_path / "torn.tar.gz") as whole:
        summary = whole.extractfile(f"far/{SUMMARY}")
        assert summary is not None and reason in summary.read().decode()


def test_unpack_takes_its_records_and_nothing_made_of_them(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path / "ours"))
    assert main(["unpack", str(packed / "pack.tar.gz")]) == 0
    sent = {path.name: read_records(path) for path in (packed / "results" / "far" / "records").iterdir()}
    assert {path.name: read_records(path) for path in (results() / "far" / "records").iterdir()} == sent
    assert {path.name for path in (results() / "far").iterdir()} == {"records", "ceilings.json"}


def test_a_folder_taken_out_by_hand_is_packed_without_what_was_made(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILLPATH_RESULTS", str(packed))
    archive.pack("far", tmp_path / "again.tar.gz")
    monkeypatch.setenv("FILLPATH_RESULTS", str(packed / "results"))
    archive.pack("far", tmp_path / "plain.tar.gz")
    assert (tmp_path / "again.tar.gz").read_bytes() == (tmp_path / "plain.tar.gz").read_bytes()


@pytest.mark.parametrize("name", [SUMMARY, archive.METADATA])
@pytest.mark.parametrize(
    ("change", "message"), [(lambda data: data[:-1], "corrupted"), (lambda data: None, "partial")]
)
def test_a_pack_that_was_changed_on_its_way_is_refused(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    change: Callable[[bytes], bytes | None], message: str, name: str,
) -> None:  # fmt: skip
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path / "ours"))
    changed = repack(
        packed / "pack.tar.gz", tmp_path / "changed.tar.gz",
        lambda member, data: change(data) if member.endswith(name) else data,
    )  # fmt: skip
    with pytest.raises(InputError, match=f"{message}: {name}"):
        archive.unpack(changed)
    assert not (tmp_path / "ours").exists()


@pytest.mark.parametrize("option", ["--figures", "--crate"])
def test_no_machine_and_no_records_are_said_in_a_line(
    capsys: pytest.CaptureFixture[str], option: str
) -> None:
    (results() / "empty").mkdir(parents=True)
    for name, message in (
        ("emty", "did you mean empty?"),
        ("../results/empty", "only letters"),
        ("empty", "partial: it has no records/"),
    ):
        assert main(["pack", "--machine", name, option]) == 2
        error = capsys.readouterr().err
        assert message in error and error.count("\n") == 1
