"""Superseded records in a machine's archive: every reader sees them, and none is lost."""

import errno
import lzma
from pathlib import Path

import pytest

from benchmarks.engine import current
from benchmarks.runs import archive
from commands import main
from fillpath import earlier, holdings
from fillpath.errors import InputError
from fillpath.paths import results
from fillpath.processes import of_run
from fillpath.record import Record, Status, line_of, read_records, record_path, stored_records, write_records
from tests.test_record import record

RUNS = (("first", 0, Status.OK), ("first", 1, Status.OK), ("other", 0, Status.ERROR), ("last", 0, Status.OK))


@pytest.fixture
def far() -> Path:
    """The folder of a machine with two cases, one of several runs whose last has two processes."""
    several = [
        record(status, run_id=run, process=process, machine="far", started_at=f"2026-01-0{day}T00:00:00Z")
        for day, (run, process, status) in enumerate([*RUNS, ("last", 1, Status.OK)], start=1)
    ]
    alone = record(case="symbolic.fill1@alone.natural", machine="far")
    write_records(record_path("far", several[0].case), several)
    write_records(record_path("far", alone.case), [alone])
    return results() / "far"


def read(folder: Path) -> list[list[Record]]:
    """All records, by each of the two readers of a folder."""
    by_case = holdings.read(folder)[1]
    assert by_case == list(stored_records(folder.name))
    return by_case


def lines(folder: Path) -> list[int]:
    return [len(path.read_text().splitlines()) for path in sorted((folder / "records").iterdir())]


def test_superseded_records_move_and_are_read_as_before(
    far: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = read(far)
    untouched = (far / "records" / "symbolic.fill1@alone.natural.jsonl").stat()
    assert lines(far) == [1, 5]
    assert main(["maintain", "compact", "far"]) == 0 and "far: 3 records moved" in capsys.readouterr().out
    assert lines(far) == [1, 2] and read(far) == before
    assert (far / "records" / "symbolic.fill1@alone.natural.jsonl").stat() == untouched
    assert archive.set_aside("far") == 0 and read(far) == before
    assert main(["check", "far"]) == 0 and "far: 6 records" in capsys.readouterr().out


def test_a_new_record_supersedes_with_the_archive_there(far: Path) -> None:
    archive.set_aside("far")
    path = far / "records" / "symbolic.fill1@m.natural.jsonl"
    newest = record(run_id="newest", machine="far")
    stored = [*read_records(path), newest]
    assert current.store(newest) == newest
    assert read_records(path) == stored and lines(far) == [1, 3], "the archive's are not written again"
    assert archive.set_aside("far") == 2 and read_records(path) == stored and lines(far) == [1, 1]
    current.make_last(stored[4])
    again = read_records(path)
    assert again[-1] == stored[4] and len(again) == len(stored) and all(each in again for each in stored)


@pytest.mark.parametrize("function", ["write_records", "earlier.add"])
def test_a_kill_while_records_move_loses_none(
    far: Path, function: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    before = read(far)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(f"benchmarks.runs.archive.{function}", killed)
        archive.set_aside("far")
    assert read(far) == before
    archive.set_aside("far")
    assert read(far) == before and lines(far) == [1, 2]


def test_a_pack_holds_them_and_merging_keeps_those_of_both(far: Path, tmp_path: Path) -> None:
    before = read(far)
    archive.set_aside("far")
    archive.pack("far", tmp_path / "far.tar.gz")
    far.rename(tmp_path / "away")
    assert archive.unpack(tmp_path / "far.tar.gz") == ("far", 6) and read(far) == before
    assert archive.unpack(tmp_path / "far.tar.gz") == ("far", 0) and read(far) == before
    (far / earlier.NAME).unlink()
    here = record(run_id="here", machine="far")
    earlier.add(
        far / earlier.NAME,
        lzma.decompress((tmp_path / "away" / earlier.NAME).read_bytes()).decode().splitlines()[:1],
    )
    write_records(record_path("far", here.case), [here, *of_run(before[1])])
    archive.unpack(tmp_path / "far.tar.gz")
    alone, merged = read(far)
    assert alone == before[0] and merged[-1] == before[1][-1]
    assert len(merged) == 6 and all(each in merged for each in (here, *before[1]))


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: b"none", lambda data: b""])
def test_a_damaged_archive_stops_no_reader_of_the_files_and_is_never_replaced(
    far: Path, damage: object, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    archive.set_aside("far")
    path = far / earlier.NAME
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    earlier.by_case.cache_clear()
    assert [len(records) for records in stored_records("far")] == [1, 2]
    assert caplog.text.count("not an archive") == 1
    with pytest.raises(InputError, match=r"earlier\.jsonl\.xz: not an archive"):
        holdings.read(far)
    data = path.read_bytes()
    with pytest.raises(InputError, match="not an archive"):
        earlier.add(path, ["line"])
    assert path.read_bytes() == data
    archive.pack("far", tmp_path / "far.tar.gz")
    with pytest.raises(InputError, match=r"gz: earlier\.jsonl\.xz: not an archive"):
        archive.unpack(tmp_path / "far.tar.gz")


def test_a_read_error_names_the_archive(
    far: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(path: Path) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    archive.set_aside("far")
    monkeypatch.setattr(Path, "read_bytes", fails)
    assert main(["check", "far"]) == 1
    assert capsys.readouterr().err == f"fillpath: {far / earlier.NAME}: Input/output error\n"


def test_each_line_of_an_archive_is_checked(far: Path) -> None:
    archive_of_far = far / earlier.NAME
    earlier.add(archive_of_far, [line_of(record(machine="other"))])
    with pytest.raises(InputError, match=r"earlier\.jsonl\.xz:\d+: is of machine 'other'"):
        holdings.read(far)
    archive_of_far.unlink()
    earlier.add(archive_of_far, [line_of(record(machine="far")), '{"case":"x"}'])
    with pytest.raises(InputError, match=r"earlier\.jsonl\.xz:2: not a record"):
        holdings.read(far)


def test_a_damaged_line_hides_no_other_case(far: Path, caplog: pytest.LogCaptureFixture) -> None:
    before = read(far)
    earlier.add(far / earlier.NAME, ['{"case":"symbolic.fill1@m.natural", torn', "<<<<<<< HEAD"])
    assert list(stored_records("far")) == before[:1]
    assert r"earlier.jsonl.xz:1: not a record" in caplog.text
