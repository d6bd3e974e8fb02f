"""`make gpu`: its tiers are packed one by one, and one that fails hides nothing."""

import dataclasses
import errno
import json
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from benchmarks.engine import current, run
from commands import gpu, main
from commands.gpu import TIERS, Tier
from fillpath.lock import exclusive
from fillpath.paths import results
from fillpath.record import Record, Status, read_records, record_path, write_records
from fillpath.settings import Settings
from impl.cuda import kernels


def packed(path: Path, name: str) -> str:
    with tarfile.open(path) as archive:
        member = archive.extractfile(f"test-machine/{name}")
        assert member is not None
        return member.read().decode()


def test_each_tier_is_packed_before_the_next_and_failures_are_said_at_the_end(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    packs = tmp_path / "packs"
    count = f"import pathlib; print('packs', len(list(pathlib.Path({str(packs)!r}).iterdir())))"
    chosen = [
        Tier("first", (sys.executable, "-c", f"{count}; raise SystemExit(3)")),
        Tier(
            "second",
            (sys.executable, "-c", f"{count}; import os; print(os.environ['FILLPATH_LIMIT'])"),
            {"FILLPATH_LIMIT": "12m"},
        ),
    ]
    assert gpu.run_tiers(chosen, packs) == 1
    ended = capfd.readouterr().out.splitlines()
    assert ended[:3] == ["packs 0", "packs 1", "12m"]
    log = results() / "test-machine" / "logs" / "gpu-first.txt"
    first, second = packs / "test-machine-1-first.tar.gz", packs / "test-machine-2-second.tar.gz"
    assert ended[3:] == [
        f"first         failed with exit status 3, see {log}; {first}",
        f"second        done; {second}",
    ]
    # Also what a tier printed, and what the machine is: there may be no record yet.
    assert packed(first, "logs/gpu-first.txt") == "packs 0\n"
    assert json.loads(packed(first, "machine.json"))["name"] == "test-machine"
    assert packed(second, "logs/gpu-second.txt") == "packs 1\n12m\n"


def test_a_tier_ends_at_its_limit_and_the_next_one_starts(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    chosen = [
        Tier(
            "endless",
            (sys.executable, "-c", "import time; print('begun', flush=True); time.sleep(600)"),
            seconds=1.2,
        ),
        Tier("next", (sys.executable, "-c", "print('here')")),
    ]
    start = time.monotonic()
    assert gpu.run_tiers(chosen, tmp_path) == 1
    assert time.monotonic() - start < 60
    output = capfd.readouterr().out
    assert "endless       not done within 0.02 minutes" in output and "next          done" in output
    assert packed(tmp_path / "test-machine-1-endless.tar.gz", "logs/gpu-endless.txt") == "begun\n"


def test_what_follows_its_parents_end_knows_this_process_as_its_parent(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    job, figures = TIERS[0].command[:3], TIERS[1].command
    chosen = [
        Tier("job", (*job, sys.executable, "-c", "print('the job ran')")),
        Tier("figures", figures, {"FILLPATH_SUITE": "tiny"}),
    ]
    gpu.run_tiers(chosen, tmp_path)
    output = capfd.readouterr().out
    assert "the job ran" in output and "SUITE=tiny: expected one of" in output


def test_all_going_well_is_status_0(tmp_path: Path) -> None:
    assert gpu.run_tiers([Tier("only", (sys.executable, "-c", "pass"))], tmp_path) == 0


def test_what_is_run() -> None:
    correctness, figures, rest, faults = TIERS
    assert correctness.seconds == 360 and correctness.command[-2:] == ("-m", "gpu")
    limited = Settings.from_env({"FILLPATH_SUITE": "small", **figures.settings})
    assert limited == Settings("small", "gsofa", device="gpu", processes=1, limit=720.0)
    # Of all devices in one run, so that GPU and CPU make pairs.
    assert Settings.from_env({"FILLPATH_PAPER": "glu3", **rest.settings}) == Settings(fresh=True)
    # Of no other cases than those that were just measured.
    assert faults.settings == rest.settings and faults.command[-3:] == ("-m", "fillpath", "faults")


def test_a_killed_run_is_gone_on_with(monkeypatch: pytest.MonkeyPatch) -> None:
    assert gpu.resumed(TIERS) == list(TIERS)
    unfinished = run.Run("x", None, dataclasses.replace(Settings(), fresh=True).text())
    monkeypatch.setattr(run, "current", lambda: unfinished)
    assert gpu.resumed(TIERS) == [TIERS[0], *TIERS[2:]]


def test_a_killed_run_of_other_settings_is_not_gone_on_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "current", lambda: run.Run("x", None, Settings().text()))
    assert gpu.resumed(TIERS) == list(TIERS)


def test_without_a_gpu_nothing_is_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kernels, "available", lambda: (False, "no NVIDIA GPU: CUDA sees none"))
    monkeypatch.setattr("commands.gpu.die_with_parent", lambda: None)
    assert main(["gpu"]) == 2
    assert capsys.readouterr().err == "fillpath: no NVIDIA GPU: CUDA sees none: nothing to run\n"


CASES = ("symbolic.fill1@grid2d,8.natural", "symbolic.fill2_cpu@grid2d,8.natural")


@pytest.fixture
def on_a_gpu(forked_workers: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A list of two cases, beside the folder `packs`."""
    monkeypatch.setattr(kernels, "available", lambda: (True, ""))
    monkeypatch.setattr("commands.gpu.die_with_parent", lambda: None)
    monkeypatch.setattr(run, "_RUN", tmp_path / "run.json")
    monkeypatch.setattr(gpu, "WORK", tmp_path)
    monkeypatch.setenv("FILLPATH_PACKS", str(tmp_path / "packs"))
    monkeypatch.setenv("FILLPATH_PROCESSES", "2")
    (tmp_path / "some.txt").write_text("\n".join(("", *CASES, "")))
    return tmp_path / "some.txt"


def test_a_list_is_measured_in_turn_packed_and_resumed(
    on_a_gpu: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["gpu", str(on_a_gpu)]) == 0
    order = [line.split()[1] for line in capsys.readouterr().out.splitlines()]
    assert order == [*CASES, *CASES] and run.current() is None
    pack = tmp_path / "packs" / "test-machine-some.tar.gz"
    assert len(packed(pack, f"records/{CASES[1]}.jsonl").splitlines()) == 2
    pack.unlink()
    assert main(["gpu", str(on_a_gpu)]) == 0 and capsys.readouterr().out == ""
    assert pack.is_file(), "a run that was killed before its last pack packs it"


def test_a_list_is_packed_after_each_input_and_a_case_that_fails_is_status_1(
    on_a_gpu: Path,
    registered_fakes: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = "symbolic.missing_row@grid2d,8.natural", "symbolic.fill1@grid2d,9.natural"
    on_a_gpu.write_text("\n".join(names))
    packs: list[int] = []
    monkeypatch.setattr(
        gpu.archive,
        "pack",
        lambda machine, _: packs.append(len([*(results() / machine / "records").iterdir()])),
    )
    assert main(["gpu", str(on_a_gpu)]) == 1 and packs == [1, 2]
    assert main(["gpu", str(on_a_gpu)]) == 1 and packs == [1, 2, 2]
    assert "fillpath: 1 of 2 cases are ok" in capsys.readouterr().err
    monkeypatch.setenv("FILLPATH_FRESH", "1")
    capsys.readouterr()
    assert main(["gpu", str(on_a_gpu)]) == 1 and len(capsys.readouterr().out.splitlines()) == 3


def test_a_process_that_times_out_beside_a_result_is_status_1(
    on_a_gpu: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The result of the first process stays current, and the case has too few processes."""
    on_a_gpu.write_text("\n".join([CASES[0], CASES[0]]))
    rounds, path = gpu.measure_rounds, record_path("test-machine", CASES[0])

    def slow(*arguments: Any) -> Iterator[Record]:
        first, second = rounds(*arguments)
        write_records(path, [first])
        late = dataclasses.replace(second, status=Status.TIMEOUT, seconds=[], limit_seconds=1e9)
        yield from (first, current.store(late))

    monkeypatch.setattr(gpu, "measure_rounds", slow)
    assert main(["gpu", str(on_a_gpu)]) == 1 and "0 of 1 cases are ok" in capsys.readouterr().err
    assert read_records(path)[-1].status is Status.OK
    monkeypatch.setattr(gpu, "measure_rounds", rounds)
    assert main(["gpu", str(on_a_gpu)]) == 1
    repeated = capsys.readouterr()
    assert "0 of 1 cases are ok" in repeated.err and not repeated.out


def test_a_pack_that_fails_ends_no_list(
    on_a_gpu: Path,
    registered_fakes: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def full(machine: str, pack: Path) -> int:
        raise OSError(errno.ENOSPC, "No space left on device", str(pack))

    on_a_gpu.write_text("symbolic.fill1@grid2d,8.natural\nsymbolic.fill1@grid2d,9.natural")
    monkeypatch.setattr(gpu.archive, "pack", full)
    assert main(["gpu", str(on_a_gpu)]) == 1
    printed = capsys.readouterr()
    assert "grid2d,9.natural" in printed.out and printed.err.count("stored, but not packed") == 2


def test_a_list_waits_for_nobody_and_resumes_no_run_of_other_settings(
    on_a_gpu: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with exclusive(tmp_path / "make.lock"):
        assert main(["gpu", str(on_a_gpu)]) == 2
    assert "make.lock" in capsys.readouterr().err and not (results() / "test-machine" / "records").exists()
    monkeypatch.setenv("FILLPATH_LIMIT", "0.001s")
    assert main(["gpu", str(on_a_gpu)]) == 1
    unfinished = run.current()
    monkeypatch.delenv("FILLPATH_LIMIT")
    monkeypatch.setenv("FILLPATH_FRESH", "1")
    assert main(["gpu", str(on_a_gpu)]) == 0 and unfinished is not None
    records = [record for name in CASES for record in read_records(record_path("test-machine", name))]
    ids = {record.run_id for record in records if record.median is not None}
    assert len(ids) == 1 and unfinished.id not in ids


def test_a_list_of_nothing_and_damaged_records_are_refused(
    on_a_gpu: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = record_path("test-machine", CASES[1])
    damaged.parent.mkdir(parents=True)
    damaged.write_text("{")
    assert main(["gpu", str(on_a_gpu)]) == 2 and str(damaged) in capsys.readouterr().err
    assert [*damaged.parent.iterdir()] == [damaged]
    on_a_gpu.write_text("\n")
    assert main(["gpu", str(on_a_gpu)]) == 2 and "names no case" in capsys.readouterr().err


def test_a_plan_is_a_list_of_what_is_left(on_a_gpu: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A spreadsheet writes a byte order mark, and may move columns and leave empty rows."""
    rows = pd.DataFrame([{"case": name, "matrix": "grid2d,8"} for name in CASES])
    for columns in (["case", "matrix"], ["matrix", "case"]):
        rows[columns].to_csv(on_a_gpu, index=False, encoding="utf-8-sig")
        assert [case.name for case in gpu.listed_cases(on_a_gpu)] == list(CASES)
    on_a_gpu.write_text(on_a_gpu.read_text().replace("\n", "\n\n", 1).replace("fill2_cpu", "fill2_cup"))
    assert main(["gpu", str(on_a_gpu)]) == 2
    assert f"{on_a_gpu}:4: " in capsys.readouterr().err
    on_a_gpu.write_text("x" * 200_000)
    assert main(["gpu", str(on_a_gpu)]) == 2
    assert f"{on_a_gpu}:1: " in capsys.readouterr().err


def test_the_limit_ends_a_list_and_the_same_command_goes_on_in_the_same_run(
    on_a_gpu: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begun = record_path("test-machine", CASES[0])
    with monkeypatch.context() as patch:
        patch.setattr(run.Run, "remaining", lambda _: 0.0 if begun.exists() else 60.0)
        assert main(["gpu", str(on_a_gpu)]) == 1
    output = capsys.readouterr()
    assert len(output.out.splitlines()) == 1 and "the same command resumes" in output.err
    assert packed(tmp_path / "packs" / "test-machine-some.tar.gz", f"records/{CASES[0]}.jsonl")
    assert main(["gpu", str(on_a_gpu)]) == 0 and len(capsys.readouterr().out.splitlines()) == 4
    records = [record for name in CASES for record in read_records(record_path("test-machine", name))]
    assert len(records) == 4 and len({record.run_id for record in records}) == 1


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("symbolic.fill3@grid2d,8.natural", "fill1"),
        ("symbolic.fill1@grid4d,8.natural", "no generator 'grid4d'"),
        (f"{CASES[0]} 5", "natural 5"),
        ("\xff", "expected stage"),
    ],
)
def test_an_unknown_case_of_a_list_is_refused_before_any_is_measured(
    on_a_gpu: Path, name: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    on_a_gpu.write_bytes(f"{CASES[0]}\n{name}\n".encode("latin-1"))
    assert main(["gpu", str(on_a_gpu)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"fillpath: {on_a_gpu}:2: ") and reason in error and not results().exists()
    assert main(["gpu", str(on_a_gpu.with_name("absent.txt"))]) == 1
    assert capsys.readouterr().err.endswith("absent.txt: No such file or directory\n")
