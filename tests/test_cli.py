"""The command line as a user meets it: help that teaches, one-line errors, exit statuses, packs."""

import json
import tarfile
from pathlib import Path

import pandas as pd
import pytest

from commands import main, members, summary
from fillpath.record import Record, read_records, record_path, write_records
from reports.table import COLUMNS, OBJECTS
from tests import fakes
from tests.reports_fakes import measured

RUN = ["run", "symbolic", "fill2_cpu", "grid2d:6", "--ordering", "metis", "--samples", "3"]

pytestmark = pytest.mark.usefixtures("shared_cache", "forked_workers")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    try:
        status = main(list(arguments))
    except SystemExit as exit:
        status = int(exit.code or 0)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_run_prints_the_record_that_is_stored(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, *RUN, "--json")
    assert status == 0
    record = Record.from_json(json.loads(out))
    assert record.case == "symbolic.fill2_cpu@grid2d,6.auto+metis"
    assert len(record.seconds) == 3
    assert read_records(record_path("test-machine", record.case)) == [record]
    status, out, _ = run(capsys, *RUN)
    assert status == 0
    assert "median of 3" in out and "verified" in out


def test_exit_status_is_0_only_for_ok(capsys: pytest.CaptureFixture[str], own_registry: None) -> None:
    fakes.register()
    for fake, expected in [("right", 0), ("missing_row", 1), ("absent", 1), ("raises", 1)]:
        status, out, _ = run(capsys, "run", "symbolic", fake, "grid2d:6", "--samples", "1")
        assert (status, out.splitlines()[0].count(fake)) == (expected, 1)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["run", "symbolic", "fil2_cpu", "grid2d:6"], "did you mean fill2_cpu"),
        (["run", "symbolc", "fill2_cpu", "grid2d:6"], "did you mean symbolic"),
        (["run", "symbolic", "fill2_cpu", "bcsstk81"], "did you mean bcsstk18"),
        (["run", "symbolic", "fill2_cpu", "grid2d"], "grid2d"),
        (["run", "symbolic", "fill2_cpu", "grid2:6"], "grid2d"),
        (["run", "symbolic", "fill2_cpu", "./no/such.mtx"], "no/such.mtx"),
        (["run", "symbolic", "fill2_cpu", "grid2d:6", "--option", "sources"], "expected key=value"),
        (["nightly", "--branch", ""], "expected a name"),
        (["nightly", "--acknowledge", ""], "expected a name"),
        (["run", "symbolic", "fill2_cpu", "grid2d:6", "--option", "a=1"], "no option 'a'"),
        (["run", "symbolic", "fill2_cpu", "grid2d:6", "--samples", "0"], "positive"),
        (["run", "symbolic", "fill2_cpu", "grid2d:6", "--samples", "²"], "'²': expected a positive integer"),
        (["run", "symbolic", "fill2_cpu", "grid2d:6", "--seed", "²"], "'²': expected a non-negative integer"),
        (["run", "symbolic", "fill2_cpu", "grid2d:6", "--seed", "٣"], "'٣': expected a non-negative integer"),
        (["run", "symbolic", "fill2_cpu", "grid2d:6", "--limit", "soon"], "90s, 30m or 2h"),
        (["rnu"], "did you mean run"),
        ([], "name a command"),
        (["workflow"], "name a command"),
        (["draw"], "did you mean workflow draw"),
        (["workflow", "drwa"], "did you mean draw"),
        (["--verson"], "did you mean --version"),
        (["run", "symbolic", "fill2_cpu", "grid2d:6", "--ordring", "metis"], "did you mean --ordering"),
        (["run", "symbolic", "fill2_cpu", "grid2d:6", "--ordering", "mets"], "did you mean metis"),
        (["claims", "--paper", "gsfa"], "did you mean gsofa"),
        (["claims", "--machine", ""], "no records of machine ''"),
        (["claims", "gsofa.fig14", "--paper", "glu3"], "gsofa.fig14 has no claim of glu3: leave --paper out"),
        (["unpack", "absent.tar.gz"], "absent.tar.gz"),
        (["pack"], "nothing to pack"),
        (["pack", "--machine", ""], "machine '': only letters"),
    ],
)
def test_bad_requests_end_in_one_line_and_status_2(
    arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, error = run(capsys, *arguments)
    assert status == 2
    assert why in error
    assert out == ""
    assert "Traceback" not in error


def test_a_matrix_that_fails_gives_a_record_and_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wide.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1.0\n")
    status, out, _ = run(capsys, "run", "symbolic", "fill1", str(path))
    assert status == 1
    assert "error" in out and "2" in out and "3" in out


def test_settings_are_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = {"SUITE": "smal", "PAPER": "gsfa", "FIGURE": "gsofa.fig1O", "DEVICE": "tpu", "LIMIT": "soon"}
    for name, value in wrong.items():
        with monkeypatch.context() as patch:
            patch.setenv(f"FILLPATH_{name}", value)
            status, _, error = run(capsys, "workflow", "summary")
            assert status == 2
            assert f"{name}={value}" in error


def test_list_and_doctor_name_every_implementation(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("list", "doctor"):
        status, out, _ = run(capsys, command)
        assert status == 0
        assert all(name in out for name in ("fill1", "fill1_pruned", "fill2_cpu"))
    _, out, _ = run(capsys, "list", "--matrices")
    assert "bcsstk18" in out and "stand-in for" in out


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    first = run(capsys, "--help")[1]
    assert "examples:" in first
    for name, member in members().items():
        status, out, _ = run(capsys, name, "--help")
        assert status == 0 and summary(member)
        assert member.ispkg or summary(member) in " ".join(out.split())
        assert (f"  {name} " in first) == (not member.ispkg), "a group is left out"
        for word, inner in members(member.name).items() if member.ispkg else ():
            status, help_text, _ = run(capsys, name, word, "--help")
            assert status == 0 and f"usage: fillpath {name} {word}" in help_text
            assert summary(inner) in out and summary(inner) in " ".join(help_text.split())


def test_pack_and_unpack_keep_both_runs_of_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pack = str(tmp_path / "far.tar.gz")
    monkeypatch.setenv("FILLPATH_MACHINE", "far")
    first = json.loads(run(capsys, *RUN, "--json")[1])
    assert run(capsys, "pack", pack)[0] == 0
    assert run(capsys, "unpack", pack)[1] == "unpacked far: 0 records added\n"
    second = json.loads(run(capsys, *RUN, "--json", "--fresh")[1])
    monkeypatch.setenv("FILLPATH_MACHINE", "near")
    path = record_path("far", first["case"])
    kept = read_records(path)[1:]
    path.write_text("".join(json.dumps(record.to_json()) + "\n" for record in kept))
    assert "1 records added" in run(capsys, "unpack", pack)[1]
    assert [record.run_id for record in read_records(path)] == [first["run_id"], second["run_id"]]
    assert "0 records added" in run(capsys, "unpack", pack)[1]


def test_the_table_of_a_machine_is_written_whole_or_a_line_says_why_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for record in (measured(name, 2.0, machine="far") for name in ("gsofa", "fill1")):
        write_records(record_path("far", record.case), [record])
    file = tmp_path / "far.csv"
    told = run(capsys, "table", "far", "--csv", str(file), "--paper", "gsofa")
    assert told[:2] == (0, f"wrote 2 cases of far to {file}\n")
    rows, (_, printed, _) = pd.read_csv(file), run(capsys, "table", "far")
    assert [name for name in rows if name in COLUMNS] == [name for name in COLUMNS if name not in OBJECTS]
    assert list(rows["label"]) == ["bcsstk18 (BC)"] * 2 and list(rows["median"]) == [2.0, 2.0]
    assert "(BC)" not in printed and ",512," in printed and "512.0" not in printed
    status, _, error = run(capsys, "table", "far", "--csv", str(file / "x"))
    assert status == 1 and str(file) in error.splitlines()[-1] and "Traceback" not in error
    record_path("far", "symbolic.fill2_cpu@bcsstk18.metis").write_text("{")
    for machine, said in (("faar", "did you mean far?"), ("far", "not a record")):
        status, _, error = run(capsys, "table", machine, "--csv", str(file))
        assert status == 2 and said in error and error.count("\n") == 1
    assert pd.read_csv(file).equals(rows)


def test_unpack_refuses_what_leaves_its_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "evil").write_text("x")
    for name in ("../evil", "/evil", "far/../../evil"):
        archive = tmp_path / "evil.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(tmp_path / "evil", arcname=name)
        status, _, error = run(capsys, "unpack", str(archive))
        assert status == 2
        assert "refused" in error or "folder" in error
    assert not (tmp_path / "results").exists()


def test_a_real_matrix_through_a_mirror(
    suitesparse: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FILLPATH_MIRROR", str(suitesparse))
    status, out, _ = run(
        capsys,
        "run",
        "symbolic",
        "fill2_cpu",
        "HB/bcsstk18",
        "--ordering",
        "metis",
        "--samples",
        "3",
        "--json",
    )
    assert status == 0
    record = Record.from_json(json.loads(out))
    assert record.prepared is not None
    assert (record.prepared["n"], record.prepared["nnz"]) == (11948, 149090)
