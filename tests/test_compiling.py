"""What a run calls on CPUs is compiled before it: a task that fails or crashes stops no other."""

import os
import time
from pathlib import Path

import pytest

from benchmarks.engine import machine
from benchmarks.runs import compiling
from fillpath.case import Case


def test_a_task_that_fails_or_crashes_stops_no_other(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    def fail() -> None:
        os.write(1, b"a library prints")
        raise ValueError("too small")

    def do(number: int) -> None:
        (tmp_path / f"begun-{number}").touch()
        time.sleep(0.1)
        assert len(list(tmp_path.glob("begun-*"))) - len(list(tmp_path.glob("ended-*"))) <= 2
        (tmp_path / f"ended-{number}").touch()

    tasks = [fail, lambda: os._exit(3), *(lambda number=number: do(number) for number in range(6))]
    monkeypatch.setattr(machine, "cores", lambda: 2)
    compiling._run(tasks)
    assert len(list(tmp_path.glob("ended-*"))) == 6
    assert "exit status 3" in caplog.text
    assert capfd.readouterr().out == ""


def test_implementations_of_which_one_imports_the_other_share_a_process() -> None:
    cases = [
        Case("laplacian", "parac_cpu", "x"),
        Case("cholesky", "parac_cpu", "x"),
        Case("levels", "glu2", "x"),
    ]
    groups = [{case.stage for case in group} for group in compiling._groups(cases)]
    assert {"laplacian", "cholesky"} in groups and {"levels"} in groups
