"""SIGTERM to a whole process group ends what it was sent to, once or twenty times, and loses nothing."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.engine.measure import measure
from fillpath.case import Case
from fillpath.host import machine_name
from fillpath.paths import ROOT
from fillpath.record import read_records, record_path

SECONDS = 10.0
MARK = "TEST_SIGNALS"
# It says that it began, and waits for ever for a lock of its own at a second SIGTERM, as Snakemake does.
DEADLOCKS = """
import signal, sys, threading, time
lock = threading.Lock()
def end(*_):
    lock.acquire()
    time.sleep(0.05)
signal.signal(signal.SIGTERM, end)
{also}
print("begun", flush=True)
while True:
    time.sleep(60)
"""
DEAF = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"
# A shell has what it starts in the background ignore interrupts, and the launcher would go on to.
LAUNCH = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from benchmarks.runs import launch
launch.GRACE_SECONDS = 0.5
sys.exit(launch._run([sys.executable, "-c", {fake!r}], 15))
"""
GPU = """
import sys
from pathlib import Path
from commands.gpu import Tier, run_tiers
run_tiers([Tier("figures", (sys.executable, "-c", {launch!r}))], Path({folder!r}))
"""
NIGHT = """
import os, sys
from benchmarks.runs.checkouts import Process
from pathlib import Path
child = (
    "import time; from benchmarks.engine.follow import die_with_parent; die_with_parent(); "
    "print('[]', flush=True); time.sleep(60)"
)
process = Process([sys.executable, "-c", child], Path.cwd(), os.environ)
print("begun", flush=True)
process.measure("a case", 0)
"""
RUN = """
import sys
from commands import main
from tests import fakes
fakes.register()
sys.exit(main(["run", "symbolic", "hangs", "grid2d:6", "--matching", "none"]))
"""


def start(code: str, token: str) -> subprocess.Popen[str]:
    """A Python process that begins a group of its own; what it starts has the token too."""
    return subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, env={**os.environ, MARK: token}, text=True,
        start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def marked(token: str) -> list[str]:
    """The processes of that token that have not ended."""
    word, found = f"{MARK}={token}".encode(), []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if word in (entry / "environ").read_bytes().split(b"\0"):
                found.append((entry / "cmdline").read_text(errors="replace").replace("\0", " "))
    return found


def end(process: subprocess.Popen[str], token: str, times: int) -> None:
    """Send SIGTERM to the group so often, and wait until all of it has ended."""
    begun = time.monotonic()
    for _ in range(times):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        time.sleep(0.002)
    process.wait(SECONDS)
    while marked(token) and time.monotonic() - begun < SECONDS:
        time.sleep(0.02)
    assert not marked(token)


def begun(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    line = process.stdout.readline()
    while line and "begun" not in line:
        line = process.stdout.readline()
    assert line, "it ended before it began"


@pytest.mark.parametrize("times", [1, 20])
@pytest.mark.parametrize("also", ["", DEAF], ids=["deadlocks", "deaf"])
def test_the_launcher_ends_whatever_snakemake_does(also: str, times: int, tmp_path: Path) -> None:
    process = start(LAUNCH.format(fake=DEADLOCKS.format(also=also)), str(tmp_path))
    begun(process)
    end(process, str(tmp_path), times)
    assert process.returncode == 128 + signal.SIGTERM


@pytest.mark.parametrize("command", ["tiers", "nightly"])
def test_what_measures_through_others_ends_with_all_of_them(command: str, tmp_path: Path) -> None:
    launch = LAUNCH.format(fake=DEADLOCKS.format(also=DEAF))
    code = {"tiers": GPU.format(launch=launch, folder=str(tmp_path)), "nightly": NIGHT}[command]
    process = start(code, str(tmp_path))
    begun(process)
    end(process, str(tmp_path), 20)
    assert process.returncode == -signal.SIGTERM


def test_an_interrupt_of_the_launcher_reaches_the_command_once_as_a_termination(tmp_path: Path) -> None:
    counts = "import signal, time\nseen = []\nsignal.signal(signal.SIGTERM, lambda *_: seen.append(1))\n"
    counts += "print('begun', flush=True)\nwhile not seen:\n    time.sleep(0.01)\n"
    counts += "time.sleep(0.2)\nprint(len(seen), 'seen', flush=True)"
    process = start(LAUNCH.format(fake=counts), str(tmp_path))
    begun(process)
    for _ in range(3):
        os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=SECONDS)[0].split() == ["1", "seen"]
    assert process.returncode == 128 + signal.SIGINT


def test_an_interrupt_before_the_command_begins_ends_the_command(tmp_path: Path) -> None:
    early = "import os, subprocess\npopen = subprocess.Popen\n"
    early += "subprocess.Popen = lambda *a, **k: (os.kill(os.getpid(), 2), popen(*a, **k))[1]\n"
    process = start(early + LAUNCH.format(fake=DEADLOCKS.format(also="")), str(tmp_path))
    assert process.wait(SECONDS) == 128 + signal.SIGINT and not marked(str(tmp_path))


@pytest.mark.usefixtures("registered_fakes", "shared_cache")
def test_run_ends_and_its_finished_records_stay(
    tmp_path: Path, forked_workers: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case.parse("symbolic.right@grid2d,6.natural")
    finished = measure(case)
    process = start(RUN, str(tmp_path))
    deadline = time.monotonic() + 60
    while not any("engine.worker" in words for words in marked(str(tmp_path))):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    end(process, str(tmp_path), 20)
    assert read_records(record_path(machine_name(), case.name)) == [finished]
    # No lock is left: a measurement goes on.
    assert measure(case, fresh=True).status == "ok"


@pytest.mark.thorough
def test_figures_ends_at_twenty_signals_at_random_times() -> None:
    command = [sys.executable, "tests/kill_random.py", "--terms", "20", "--patience", "10"]
    small = {"FILLPATH_PAPER": "", "FILLPATH_FIGURE": "glu3.levels", "FILLPATH_DEVICE": "cpu"}
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **small}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
