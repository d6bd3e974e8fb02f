"""No exception of Python reaches a user as a traceback, whatever the machine and its settings are like."""

import argparse
import contextlib
import errno
import io
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import commands
from benchmarks.engine import follow, run
from benchmarks.probes import ceilings
from benchmarks.runs import airspeed
from commands import nightly
from fillpath import ending, paths
from fillpath.errors import InputError
from fillpath.paths import ROOT
from fillpath.settings import PREFIX
from tests import fakes

Patch = pytest.MonkeyPatch
Captured = pytest.CaptureFixture[str]
Setting = Callable[[Path, Patch], None]
MISTAKE = "this is a mistake in fillpath"
DAILY = (
    ["list", "--matrices"],
    # Stores a record, and starts no worker.
    ["run", "symbolic", "absent", "grid2d:6", "--matching", "none"],
    ["pack", "--machine", "test-machine", "pack.tar.gz"],
)
OTHERS = tuple(
    words.split()
    for words in (
        "list", "list --search circuit", "fetch grid2d:6 HB/bcsstk18", "doctor", "check", "claims",
        "run symbolic fill2_cpu grid2d:6 --matching none", "run symbolic fill2_cpu ~no-such-user/b.mtx",
        "compare test-machine other", "counters x", "durations x", "faults", "gpu", "unpack absent.tar.gz",
        "plan embedded", "remeasure x", "pack --figures --crate --machine test-machine",
        "maintain compact test-machine",
        "workflow prepare --fetch grid2d,6.natural", "workflow prepare grid2d,6.natural",
        "table test-machine", "table test-machine --csv table.csv", "calibrate", "nightly", "page",
        "page --draw gsofa.fig10", "workflow summary",
    )
)  # fmt: skip
# Of these each input is one of the others', or they write the repository, or compile or measure a suite.
LEFT_OUT = tuple(
    words.split()
    for words in (
        "workflow compile", "workflow draw", "workflow measure", "workflow processes",
        "maintain pages", "maintain registers",
    )
)  # fmt: skip


def no_home(folder: Path, patch: Patch) -> None:
    def missing() -> Path:
        raise RuntimeError("Could not determine home directory.")

    patch.delenv("HOME", raising=False)
    patch.setattr(Path, "home", missing)


def no_home_and_no_cache(folder: Path, patch: Patch) -> None:
    no_home(folder, patch)
    patch.delenv("FILLPATH_CACHE")


def variable(name: str, value: str) -> Setting:
    """A variable with a value, in which `@` is the test's folder."""

    def set_it(folder: Path, patch: Patch) -> None:
        (folder / "file").write_text("no folder")
        (folder / "dangling").symlink_to(folder / "nowhere")
        (folder / "loop").symlink_to(folder / "loop")
        patch.setenv(name, value.replace("@", str(folder)))

    return set_it


def in_results(name: str, content: bytes | None) -> Setting:
    """A file of results/test-machine with that content; None: a folder of its name."""

    def write(folder: Path, patch: Patch) -> None:
        path = folder / "results" / "test-machine" / name
        path.parent.mkdir(parents=True)
        path.mkdir() if content is None else path.write_bytes(content)

    return write


def stream(name: str, opened: Callable[[], io.TextIOWrapper | None]) -> Setting:
    return lambda folder, patch: patch.setattr(sys, name, opened())


def broken_pipe() -> io.TextIOWrapper:
    reading, writing = os.pipe()
    os.close(reading)
    return io.TextIOWrapper(os.fdopen(writing, "wb"))


def no_folder(folder: Path, patch: Patch) -> None:
    gone = folder / "gone"
    gone.mkdir()
    patch.chdir(gone)
    gone.rmdir()


def no_byte_more(folder: Path, patch: Patch) -> None:
    """No file may grow, as under `ulimit -f 0`."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


def full() -> io.TextIOWrapper:
    return io.TextIOWrapper(Path("/dev/full").open("wb"))


RECORDS = "records/symbolic.absent@grid2d,6.natural.jsonl"
SETTINGS: dict[str, Setting] = {
    "no home": no_home,
    "no home and no cache": no_home_and_no_cache,
    "the working folder is gone": no_folder,
    "no file may grow": no_byte_more,
    "an unknown user's mirror": variable("FILLPATH_MIRROR", "~no-such-user/mirror"),
    "a mirror that is no address": variable("FILLPATH_MIRROR", "http://[nowhere"),
    "results is a file": variable("FILLPATH_RESULTS", "@/file"),
    "results lie below a file": variable("FILLPATH_RESULTS", "@/file/results"),
    "results is a dangling link": variable("FILLPATH_RESULTS", "@/dangling"),
    "results is a loop": variable("FILLPATH_RESULTS", "@/loop"),
    "results cannot be made": variable("FILLPATH_RESULTS", "/sys/results"),
    "results is no UTF-8": variable("FILLPATH_RESULTS", "@/\udcff"),
    "cache is a file": variable("FILLPATH_CACHE", "@/file"),
    "cache lies below a file": variable("FILLPATH_CACHE", "@/file/cache"),
    "cache cannot be made": variable("FILLPATH_CACHE", "/sys/cache"),
    "work is a file": variable("FILLPATH_WORK", "@/file"),
    "packs lie below a file": variable("FILLPATH_PACKS", "@/file/packs"),
    "a long name": variable("FILLPATH_RESULTS", f"@/{'x' * 300}"),
    "a long machine": variable("FILLPATH_MACHINE", "x" * 300),
    "a machine elsewhere": variable("FILLPATH_MACHINE", "../elsewhere"),
    "an unknown setting": variable(f"{PREFIX}CASHE", "x"),
    "a limit that is none": variable("FILLPATH_LIMIT", "soon"),
    "no temporary folder": variable("TMPDIR", "@/nowhere"),
    "columns that are no number": variable("COLUMNS", "many"),
    "one column": variable("COLUMNS", "1"),
    "no programs": variable("PATH", "@/nowhere"),
    "a node elsewhere": variable("SLURMD_NODENAME", "../../node"),
    "a switch of Numba's": variable("NUMBA_OPT", "banana"),
    "damaged facts": in_results("machine.json", b"{"),
    "facts are a folder": in_results("machine.json", None),
    "damaged records": in_results(RECORDS, b"{\n"),
    "records are no UTF-8": in_results(RECORDS, b"\xff\xfe\n"),
    "records are a folder": in_results(RECORDS, None),
    "the lock is a folder": in_results(".lock", None),
    "closed standard output": stream("stdout", lambda: None),
    "closed standard error": stream("stderr", lambda: None),
    "a full standard output": stream("stdout", full),
    "a broken pipe": stream("stdout", broken_pipe),
    "an ASCII standard output": stream("stdout", lambda: io.TextIOWrapper(io.BytesIO(), encoding="ascii")),
}


def move(folder: Path, patch: Patch) -> None:
    """Have every command write there what a checkout holds, measure no ceiling, and find no new commit."""
    base, names = paths.BASE, {"BASE", "PAGE", "SITE", "WORK", "PLACE", "_RUN", "_MACHINES"}
    for module in (paths, airspeed, nightly, run):
        for name in names & {*vars(module)}:
            patch.setattr(module, name, folder / "checkout" / getattr(module, name).relative_to(base))
    rate = {"per_second": 1, "low": 1, "high": 1, "samples": [1] * 3}
    host = {"name": "a processor", "threads": 1, "rates": {"copy_bytes": rate, "flops_double": rate}}
    patch.setattr(ceilings, "host", lambda: host)
    patch.setattr(nightly, "new_commits", lambda repository, last: ([], []))


@contextlib.contextmanager
def kept() -> Iterator[tuple[object, object]]:
    """Give back what a hostile setting takes from the process, its streams among it, before pytest writes."""
    limits, folder, streams = resource.getrlimit(resource.RLIMIT_FSIZE), Path.cwd(), (sys.stdout, sys.stderr)
    try:
        yield streams
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        os.chdir(folder)
        sys.stdout, sys.stderr = streams


def ends_well(words: list[str], capsys: Captured, heard: tuple[bool, bool]) -> None:
    """Run a command. heard : whether its standard output and its standard error reach the test."""
    try:
        status = commands.main(words)
    except SystemExit as refusal:
        status = int(refusal.code or 0)
    printed, errors = capsys.readouterr()
    assert status in (0, 1, 2), words
    assert "Traceback" not in errors and MISTAKE not in errors, (words, errors)
    if status and heard[1]:
        # What was done and failed for a part of it, such as one case of a run, is in what is printed.
        in_print = status == 1 and not errors and (printed or not heard[0])
        told = [line.startswith("fillpath: ") for line in errors.splitlines()]
        assert in_print or (told[-1:] == [True] and sum(told) == 1), (words, errors)


def try_all(
    setting: Setting,
    every: tuple[list[str], ...],
    folder: Path,
    patch: Patch,
    capsys: Captured,
) -> None:
    fakes.register()
    patch.setenv("FILLPATH_OFFLINE", "1")
    # This process outlives its commands.
    patch.setattr(follow, "die_with", lambda parent: None)
    with kept() as (output, error):
        os.chdir(folder)
        setting(folder, patch)
        heard = sys.stdout is output, sys.stderr is error
        for words in every:
            ends_well(words, capsys, heard)


@pytest.mark.parametrize("name", SETTINGS)
def test_three_commands_end_in_a_line_in_every_setting(
    name: str, tmp_path: Path, monkeypatch: Patch, capsys: Captured
) -> None:
    try_all(SETTINGS[name], DAILY, tmp_path, monkeypatch, capsys)


@pytest.mark.thorough
@pytest.mark.parametrize("name", SETTINGS)
def test_the_other_commands_end_in_a_line_in_every_setting(
    name: str, tmp_path: Path, monkeypatch: Patch, capsys: Captured, forked_workers: None
) -> None:
    move(tmp_path, monkeypatch)
    try_all(SETTINGS[name], OTHERS, tmp_path, monkeypatch, capsys)


def test_every_command_is_tried_or_left_out() -> None:
    tried = {" ".join(words) for words in (*DAILY, *OTHERS, *LEFT_OUT)}
    for word, command in commands.members().items():
        within = commands.members(command.name) if command.ispkg else {"": command}
        for name in within:
            assert any(f"{each} ".startswith(f"{word} {name}".strip() + " ") for each in tried)


UNMAPPED = "x.so: failed to map segment from shared object"
EXCEPTIONS = {
    "a mistake": (KeyError("x"), 1, MISTAKE),
    "of several lines": (ValueError("one\ntwo"), 1, "ValueError: one two; this is a mistake"),
    "without a text": (AssertionError(), 1, MISTAKE),
    "too deep": (RecursionError("maximum recursion depth exceeded"), 1, MISTAKE),
    "no character": (UnicodeEncodeError("ascii", "é", 0, 1, "not in range"), 1, MISTAKE),
    "no memory": (MemoryError(), 1, "too little memory: MemoryError; raise its limit"),
    "no memory for a library": (ImportError(UNMAPPED), 1, "too little memory"),
    "no memory for a process": (OSError(errno.ENOMEM, "Cannot allocate memory"), 1, "too little memory"),
    "no permission": (PermissionError(errno.EACCES, "denied", str(ROOT / "x")), 1, "set FILLPATH_WORK"),
    "a system that says nothing": (OSError(), 1, "input or output"),
    "a request": (InputError("no such matrix"), 2, "no such matrix"),
    "a request of several lines": (InputError("a\nb: no such matrix"), 2, "a b: no such matrix"),
    "an interrupt": (KeyboardInterrupt(), 130, "interrupted; everything finished is stored"),
    "a pipe that is gone": (BrokenPipeError(), 1, ""),
}


@pytest.mark.parametrize("name", EXCEPTIONS)
def test_every_exception_becomes_one_line(
    name: str, tmp_path: Path, monkeypatch: Patch, capsys: Captured
) -> None:
    error, status, line = EXCEPTIONS[name]

    def fail(_: object) -> int:
        raise error

    monkeypatch.setattr(paths, "WORK", tmp_path)
    monkeypatch.setattr("commands.check.run", fail)
    assert commands.main(["check"]) == status
    errors = capsys.readouterr().err
    assert line in errors and errors.count("\n") == bool(line) and "Traceback" not in errors
    logs = list((tmp_path / "logs").glob("*")) if MISTAKE in line else []
    assert all(str(log) in errors and "Traceback" in log.read_text() for log in logs)


def test_debugging_shows_the_traceback(monkeypatch: Patch, capsys: Captured) -> None:
    def fail(_: argparse.Namespace) -> int:
        raise InputError("no such matrix")

    monkeypatch.setenv("FILLPATH_DEBUG", "1")
    assert ending.ended(lambda: fail(argparse.Namespace())) == 2
    assert "Traceback" in (errors := capsys.readouterr().err)
    assert errors.splitlines()[-1] == "fillpath: no such matrix"


def test_without_a_folder_for_its_log_the_line_names_the_switch(monkeypatch: Patch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(paths, "WORK", tmp_path / "file")
    monkeypatch.setattr(ending.tempfile, "gettempdir", lambda: str(tmp_path / "file"))
    assert ending.line(KeyError("x")).endswith("please report it; FILLPATH_DEBUG=1 shows where")


def of_process(words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command of a real process, as a shell starts it."""
    line = words.replace("fillpath", f"'{sys.executable}' -m fillpath")
    return subprocess.run(
        ["bash", "-c", line], cwd=ROOT, env={**os.environ, **variables}, capture_output=True, text=True
    )


ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


@pytest.mark.parametrize(
    ("words", "variables"),
    [
        ("fillpath list --matrices >&-", {}),
        ("fillpath list --matrices 2>&- | head -1", {}),
        ("fillpath list --matrices | head -1", ASCII),
        ("ulimit -v 200000; fillpath list", {}),
    ],
)
def test_a_process_ends_without_a_traceback(words: str, variables: dict[str, str]) -> None:
    done = of_process(words, **variables)
    assert "Traceback" not in done.stderr and MISTAKE not in done.stderr, done.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("kilobytes", [100_000, 300_000, 600_000, 1_000_000, 2_000_000])
@pytest.mark.parametrize("words", ["doctor", "run symbolic fill2_cpu grid2d:30", "claims", "plan embedded"])
def test_little_memory_ends_without_a_traceback(words: str, kilobytes: int) -> None:
    done = of_process(f"ulimit -v {kilobytes}; fillpath {words}")
    assert "Traceback" not in done.stderr and MISTAKE not in done.stderr, done.stderr
