"""Hardware counters: what Nsight Compute writes becomes sums of the implementation's own kernels, or one
clear line.

The CSV is in ncu's documented long format (--csv --print-units base --metrics ...); its numbers are made up.
"""

import itertools
import json
import shlex
import stat
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.probes import counters
from benchmarks.probes.counters import CountingError, explain, find_ncu, kernel_names, ncu_command, parse
from benchmarks.probes.counting import child_status, counts_path
from commands import main
from fillpath.case import Case
from fillpath.record import Status
from fillpath.registry import registered
from reports.series import read_probe
from tests.ended import is_gone
from tests.reports_fakes import on_gpu

HEADER = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size",'
    '"Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"'
)
NAMES = ["gsofa_traverse", "rows_gather"]
CASE = Case.parse("symbolic.gsofa@bcsstk18.metis")


def launch(number: int, kernel: str, dram: str, sectors: str, duration: str, /, **units: str) -> str:
    """The three rows of one launch."""
    values = (
        ("dram__bytes.sum", units.get("dram", "byte"), dram),
        ("gpu__time_duration.sum", units.get("duration", "ns"), duration),
        ("lts__t_sectors.sum", units.get("sectors", "sector"), sectors),
    )
    start = (
        f'"{number}","41","python3.11","127.0.0.1","{kernel}","1","7","(256, 1, 1)","(1056, 1, 1)","0","9.0"'
    )
    return "\n".join(
        f'{start},"Command line profiler metrics","{metric}","{unit}","{value}"'
        for metric, unit, value in values
    )


def log(*launches: str) -> str:
    """A whole log, with what ncu and the program say around the table."""
    message = "==PROF== Connected to process 41 (/usr/bin/python3.11)"
    return "\n".join([message, HEADER, *launches, "==PROF== Disconnected from process 41", ""])


def test_launches_are_added_up_by_kernel() -> None:
    counted = parse(
        log(
            launch(0, "gsofa_traverse", "4,195,328", "262,144", "1,250,000"),
            launch(1, "cupy_cumsum(long long *)", "999", "999", "999"),
            launch(2, "gsofa_traverse(const long long *, const int *)", "1,000", "10", "750,000"),
            launch(3, "rows_gather", "64", "2", "500"),
        ),
        NAMES,
    )
    traverse, gather = counted.loc["gsofa_traverse"], counted.loc["rows_gather"]
    assert (traverse.launches, traverse.dram_bytes) == (2, 4_196_328)
    assert traverse.l2_bytes == 32 * 262_154 and traverse.seconds == pytest.approx(2e-3)
    assert (gather.launches, gather.l2_bytes) == (1, 64)
    sums = counted.sum()
    assert set(counted.index) == {"gsofa_traverse", "rows_gather"} and sums["launches"] == 3
    assert sums["dram_bytes"] == 4_196_392 and sums["seconds"] == pytest.approx(2.0005e-3)


def test_a_kernel_whose_name_begins_with_another_is_counted_apart() -> None:
    launches = log(launch(0, "rl_levels(int)", "1", "1", "1"), launch(1, "rl_level", "2", "1", "1"))
    counted = parse(launches, ["rl_level", "rl_levels"])
    assert counted["dram_bytes"].to_dict() == {"rl_level": 2, "rl_levels": 1}


@pytest.mark.parametrize("unit", ["ns", "nsecond"])
def test_durations_are_in_the_base_unit_as_any_version_writes_it(unit: str) -> None:
    counted = parse(log(launch(0, "gsofa_traverse", "1", "1", "2.5", duration=unit)), NAMES)
    assert counted.loc["gsofa_traverse"].seconds == pytest.approx(2.5e-9)


def test_two_processes_may_have_launches_of_one_number() -> None:
    other = launch(0, "gsofa_traverse", "1", "1", "1").replace('"41"', '"42"')
    counted = parse(log(launch(0, "gsofa_traverse", "1", "1", "1"), other), NAMES)
    assert counted.loc["gsofa_traverse"].launches == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (log(launch(0, "gsofa_traverse", "n/a", "1", "1")), "dram__bytes.sum = 'n/a'"),
        (log(launch(0, "gsofa_traverse", "1", "1", "1", duration="fortnight")), "fortnight"),
        (log(launch(0, "gsofa_traverse", "1", "1", "1", duration="usecond")), "usecond"),
        (log(launch(0, "gsofa_traverse", "1", "1", "1", dram="Mbyte")), "Mbyte"),
        (log(launch(0, "gsofa_traverse", "1", "1", "1").rpartition("\n")[0]), "no lts__t_sectors.sum"),
        ("==ERROR== Failed to find metric dram__bytes.sum\n", "ncu: Failed to find metric"),
        ("==PROF== Connected\n==WARNING== No kernels were profiled.\n", "profiled no kernel"),
        (
            "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n",
            "NVreg_RestrictProfilingToAdminUsers=0",
        ),
        ("", "wrote no table"),
    ],
)
def test_what_is_no_number_is_an_error_in_one_line(text: str, message: str) -> None:
    with pytest.raises(CountingError, match=r"^[^\n]*$") as error:
        parse(text, NAMES)
    assert message in str(error.value)


def test_the_kernels_of_every_gpu_implementation_are_found_in_its_sources() -> None:
    # A peer's kernels are in its library.
    on_device = [entry for entry in registered() if entry.device == "gpu" and not entry.peer]
    assert {"gsofa", "fill2_gpu", "lu_gpu"} <= {entry.name for entry in on_device}
    kernels = {(entry.stage, entry.name): kernel_names(entry.kernel_paths()) for entry in on_device}
    assert {"gsofa_traverse", "rows_gather"} <= set(kernels["symbolic", "gsofa"]) and all(kernels.values())
    for entry in on_device:
        text = "".join(path.read_text() for path in entry.kernel_paths())
        names = kernels[entry.stage, entry.name]
        assert len(names) == text.count("__global__"), "a kernel that is not found is not counted"


def test_ncu_is_told_to_leave_the_clocks_alone_and_to_profile_the_marked_call_only() -> None:
    command = ncu_command("/opt/ncu", NAMES, CASE, Path("log.csv"))
    pairs = dict(itertools.pairwise(command))
    assert pairs["--clock-control"] == "none" and pairs["--profile-from-start"] == "off"
    assert pairs["--kernel-name"] == "regex:^(gsofa_traverse|rows_gather)"
    assert command[-2:] == ["benchmarks.probes.counters", CASE.name]


def fake_ncu(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str, status: int = 0) -> Path:
    """An `ncu` on the PATH that writes this as its log and keeps its arguments."""
    path = folder / "bin" / "ncu"
    path.parent.mkdir()
    body = (
        f"import sys, pathlib\narguments = sys.argv[1:]\n"
        f"if arguments == ['--version']:\n    print('Version 2025.3.1.0 (build 1)')\n    sys.exit(0)\n"
        f"pathlib.Path(arguments[arguments.index('--log-file') + 1]).write_text({text!r})\n"
        f"print('it said so', file=sys.stderr)\nsys.exit({status})\n"
    )
    path.write_text(f"#!{sys.executable}\n{body}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(path.parent))
    return path


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The case is as good as measured: its record stands."""
    record = on_gpu(CASE, 7, machine="test-machine", status=Status.OK, gpu={"peak_bytes_per_second": 4.8e12})
    monkeypatch.setattr(counters, "measured", lambda case, implementation: replace(record, case=case.name))
    return record


def test_counters_carry_the_key_of_their_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measured: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_ncu(tmp_path, monkeypatch, log(launch(0, "gsofa_traverse", "4,800", "300", "1,000")))
    assert main(["counters", CASE.name]) == 0
    path = counts_path("counters", "test-machine", CASE.name)
    assert str(path) in capsys.readouterr().out
    stored = json.loads(path.read_text())
    assert stored["key"] == measured.key and stored["ncu"] == "2025.3.1.0"
    assert stored["kernels"]["gsofa_traverse"] == {
        "launches": 1, "dram_bytes": 4800.0, "l2_bytes": 9600.0, "seconds": pytest.approx(1e-6),
    }  # fmt: skip
    facts = (read_probe("counters", "test-machine", CASE.name, measured.key) or {}).get("facts")
    assert facts is not None and facts["dram_peak_bytes_per_s"] == 4.8e12 and facts["dram_bytes"] == 4800
    assert read_probe("counters", "test-machine", CASE.name, "f" * 64) is None


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        ("==ERROR== ERR_NVGPUCTRPERM - no permission\n", 1, "only administrators read hardware counters"),
        ("==ERROR== ERR_NVGPUCTRPERM - no permission\n", 0, "only administrators read hardware counters"),
        (log(), 9, "exit status 9: it said so"),
        (log(launch(0, "someone_elses", "1", "1", "1")), 0, "ncu saw none of gsofa_traverse"),
    ],
)
def test_where_ncu_fails_nothing_is_stored(
    text: str, status: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measured: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    fake_ncu(tmp_path, monkeypatch, text, status)
    assert main(["counters", CASE.name]) == 1
    assert message in capsys.readouterr().err
    assert not counts_path("counters", "test-machine", CASE.name).exists()


def test_a_run_that_takes_too_long_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measured: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = fake_ncu(tmp_path, monkeypatch, log())
    pid = tmp_path / "child"
    path.write_text(f"#!/bin/sh\n/bin/sleep 60 &\necho $! > '{pid}'\nwait\n")
    monkeypatch.setattr(counters, "SECONDS", 0.5)
    assert main(["counters", CASE.name]) == 1
    assert "ncu was not done within 0.5 s" in capsys.readouterr().err
    assert is_gone(pid.read_text())


def test_the_child_works_under_whatever_parent_ncu_gives_it(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[Case] = []
    monkeypatch.setenv("FILLPATH_PARENT", "1")
    assert child_status("counters", CASE.name, called.append) == 0
    assert called == [CASE]


def test_a_missing_ncu_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(counters, "PLACES", ((tmp_path / "nsight", "*/ncu"),))
    with pytest.raises(CountingError, match="Nsight Compute"):
        find_ncu()
    for version in ("2024.1", "2025.3"):
        (tmp_path / "nsight" / version).mkdir(parents=True)
        (tmp_path / "nsight" / version / "ncu").touch()
    assert find_ncu().endswith("2025.3/ncu")


def test_a_case_without_a_gpu_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    gsofa = next(entry for entry in registered("symbolic") if entry.name == "gsofa")
    absent = replace(gsofa, available=lambda: (False, "no NVIDIA GPU: no driver"))
    monkeypatch.setattr(counters, "lookup", lambda stage, name: absent)
    assert main(["counters", CASE.name]) == 1
    assert "no NVIDIA GPU: no driver" in capsys.readouterr().err


def test_an_unknown_complaint_is_passed_on() -> None:
    assert explain("==ERROR== The application returned an error code (1).\n") == (
        "ncu: The application returned an error code (1)."
    )


def test_what_measures_a_case_first_is_told_whole() -> None:
    """The command's own words make the same case again."""
    named = "numeric.glu3.batched=true.memory_budget=64MB.threads=2@fem3d,22,unknowns=3.mc64+metis+dropzeros"
    command_line = shlex.join(Case.parse(named).command)
    assert command_line == (
        "fillpath run numeric glu3 fem3d:22:unknowns=3 --matching mc64 --ordering metis --drop-zeros "
        "--option batched=true --option memory_budget=64MB --threads 2"
    )
    replaced = Case.parse("symbolic.gsofa.seed=3@onetone2.metis+diagonal=1000").command
    assert replaced[5:] == ["--matching", "none", "--ordering", "metis", "--diagonal", "1000", "--seed", "3"]
