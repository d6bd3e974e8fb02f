"""Kill `make figures` at random and show that nothing finished is lost and nothing needs repair by hand.

    python tests/kill_random.py --kills 20 --seed 0
    python tests/kill_random.py --terms 20 --patience 8

Starts `make figures` in this checkout, with results and cache in a temporary folder. After a random time it
sends SIGKILL to a process of one of the kinds hit least: make, the launcher, Snakemake, a job, a process that
a job forks to compile or draw, asv, the template of workers, a worker. A workflow that ends is started again.

With `--terms` it sends SIGTERM to the whole process group instead, once or twenty times 2 ms apart, and every
process has to end within ten seconds.

After each kill every finished record must still stand, once. A last run must end well, with a result of each
case that can have one. Whenever all cases are done, a new results folder is begun, so that kills keep falling
on measurements. FILLPATH_PAPER and its kin choose the cases.

Exit status 1: something was lost, measured twice, unreadable, or two workflows ran at once.
"""

import argparse
import contextlib
import os
import random
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.runs.cases import suite_cases
from fillpath.lock import BusyError, exclusive
from fillpath.paths import PAGE, ROOT, WORK
from fillpath.record import Record, Status, read_records
from fillpath.settings import Settings

# Not FILLPATH_...: templates have no such variables.
MARK = "KILL_RANDOM_TRIAL"
# What a Python process is, by the module that it runs.
MODULES = {
    "benchmarks.runs.launch": "launcher",
    "snakemake": "snakemake",
    "fillpath": "job",
    "benchmarks.engine.template": "template",
    "benchmarks.engine.worker": "worker",
    "asv": "asv",
}
# A forked process has its parent's words: a job forks those that compile and draw, a template its workers.
FORKED = {"job": "part of a job", "template": "worker"}
# What has no GPU, what GLU 1.0 gets wrong, what a method has no answer for: the same without kills.
EXPECTED = (Status.UNAVAILABLE, Status.WRONG, Status.UNSUPPORTED)
# Seconds within which a workflow ends that cannot go on without the process that was killed.
GRACE = 10.0


class ViolationError(Exception):
    """What must not happen has happened."""


@dataclass(frozen=True)
class Process:
    """A process of the trial, as /proc shows it."""

    id: int
    parent: int
    words: Sequence[str]


@dataclass
class Trial:
    """One series of kills.

    cases : names of all that the suite has
    finished : of each case with an ok record, when that measurement began
    make : the workflow that was started last
    """

    folder: Path
    cases: frozenset[str]
    token: str = field(default_factory=lambda: secrets.token_hex(8))
    generation: int = 0
    finished: dict[str, str] = field(default_factory=dict)
    make: subprocess.Popen[bytes] | None = None

    @property
    def results(self) -> Path:
        return self.folder / f"results-{self.generation}"

    def start(self) -> subprocess.Popen[bytes]:
        """Return the running `make figures`, or a new one, whose output goes to a log."""
        if self.make is None or self.make.poll() is not None:
            dropped = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "FILLPATH_PARENT")
            environment = {
                **{name: value for name, value in os.environ.items() if name not in dropped},
                MARK: self.token,
                "FILLPATH_RESULTS": str(self.results),
                "FILLPATH_CACHE": str(self.folder / "cache"),
            }
            with (self.folder / "make.log").open("ab") as log:
                self.make = subprocess.Popen(
                    ["make", "figures"], cwd=ROOT, env=environment, stdout=log, stderr=log,
                    start_new_session=True,
                )  # fmt: skip
        return self.make

    def processes(self) -> dict[int, Process]:
        """Return every process of this trial by its id, orphans included."""
        mark = f"{MARK}={self.token}".encode()
        found = {}
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    words = (entry / "cmdline").read_text(errors="replace").split("\0")
                    parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                    found[int(entry.name)] = Process(int(entry.name), parent, words)
        return found

    def records(self) -> dict[str, list[Record]]:
        """Return every case's records. Raises ViolationError for a line that is not a record of schema v1."""
        records: dict[str, list[Record]] = {}
        for path in sorted(self.results.glob("*/records/*.jsonl")):
            try:
                records[path.stem] = read_records(path)
            except Exception as error:
                raise ViolationError(f"{path.name} is unreadable: {error}") from error
        return records

    def left(self) -> list[str]:
        """Return the cases without a result that a run without kills would have too."""
        last = {case: records[-1].status for case, records in self.records().items() if records}
        return sorted(case for case in self.cases if last.get(case) not in (Status.OK, *EXPECTED))

    def check(self) -> None:
        """Every finished measurement stands, and none was made twice."""
        ok = Status.OK
        now = {case: [r.started_at for r in rs if r.status is ok] for case, rs in self.records().items()}
        for case, started in self.finished.items():
            if started not in now.get(case, []):
                raise ViolationError(f"the measurement of {case} from {started} is lost")
        for case, times in now.items():
            if len(times) > 1:
                raise ViolationError(f"{case} was measured again although its result stood: {times}")
            if times:
                self.finished[case] = times[0]

    def renew(self) -> None:
        """Begin a new results folder: everything is measured from the start."""
        self.end()
        self.generation += 1
        self.finished = {}

    def end(self) -> None:
        """End what is left of this trial."""
        for pid in self.processes():
            _kill(pid)
        if self.make is not None:
            self.make.wait()


def kind_of(process: Process, others: Mapping[int, Process]) -> str:
    """Say what part of the workflow a process is; empty for one that only starts another."""
    if Path(process.words[0]).name == "make":
        return "make"
    kind = MODULES.get(process.words[2], "") if process.words[1:2] == ["-m"] else ""
    parent = others.get(process.parent)
    is_forked = parent is not None and parent.words == process.words
    return FORKED.get(kind, "") if is_forked else kind


HitOne = Callable[[Trial, Counter[str], random.Random, float], None]


def kill_one(trial: Trial, hits: Counter[str], generator: random.Random, patience: float) -> None:
    """Kill a process after a while, unless the workflow has ended, and check.

    hits : how often each kind was killed; grows by one
    """
    make = trial.start()
    delay = generator.uniform(1.0, patience)
    with contextlib.suppress(subprocess.TimeoutExpired):
        make.wait(delay)
    trial.check()
    processes = trial.processes()
    kinds = {pid: kind for pid, process in processes.items() if (kind := kind_of(process, processes))}
    single = Counter(kinds.values())
    if single["snakemake"] > 1 or single["worker"] > 1:
        raise ViolationError(f"two workflows at once: {dict(single)}")
    if not single:
        return
    least = min(hits[kind] for kind in single)
    hit = generator.choice(sorted(kind for kind in single if hits[kind] == least))
    hits[hit] += 1
    _kill(generator.choice(sorted(pid for pid, kind in kinds.items() if kind == hit)))
    with contextlib.suppress(subprocess.TimeoutExpired):
        make.wait(GRACE)
    trial.check()
    ended = "goes on" if make.poll() is None else f"ended with {make.returncode}"
    what = f"killed {hit:<13}  make {ended}, {len(trial.finished)} cases are ok"
    print(f"{hits.total():3d}  {delay:5.1f} s  {what}", flush=True)


def end_group(trial: Trial, hits: Counter[str], generator: random.Random, patience: float) -> None:
    """Send SIGTERM to the group after a while, unless all has ended, and check that all of it ends."""
    make = trial.start()
    delay = generator.uniform(0.0, patience)
    with contextlib.suppress(subprocess.TimeoutExpired):
        make.wait(delay)
    if make.poll() is not None:
        return
    times = generator.choice((1, 20))
    hits[f"{times} times"] += 1
    begun = time.monotonic()
    for _ in range(times):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(make.pid, signal.SIGTERM)
        time.sleep(0.002)
    with contextlib.suppress(subprocess.TimeoutExpired):
        make.wait(GRACE)
    while (left := trial.processes()) and time.monotonic() - begun < GRACE:
        time.sleep(0.05)
    seconds = time.monotonic() - begun
    if left:
        raise ViolationError(
            f"{seconds:.1f} s after SIGTERM there are {[each.words for each in left.values()]}"
        )
    _require_free(WORK / "make.lock")
    trial.check()
    print(
        f"{hits.total():3d}  {delay:5.1f} s  SIGTERM {times:2d} times  ended in {seconds:.1f} s, "
        f"{len(trial.finished)} cases are ok",
        flush=True,
    )


def _require_free(lock: Path) -> None:
    """Raise ViolationError where a process holds the lock, or Snakemake's own locks are left."""
    try:
        with exclusive(lock, 0.0):
            pass
    except BusyError as error:
        raise ViolationError(str(error)) from error
    if left := list((ROOT / ".snakemake" / "locks").glob("*")):
        raise ViolationError(f"locks of Snakemake are left: {left}")


def last_run(trial: Trial) -> None:
    """An undisturbed run to the end: a result of every case, the finished ones not measured again."""
    trial.end()
    status = trial.start().wait(timeout=1800)
    trial.check()
    if status or trial.left():
        lacking = ", ".join(trial.left()) or "none"
        raise ViolationError(f"the last run ended with {status}; without a result: {lacking}")


def run(trial: Trial, hit_one: HitOne, kills: int, generator: random.Random, patience: float) -> Counter[str]:
    """All kills and the undisturbed run after them. Returns how often each kind was hit."""
    hits: Counter[str] = Counter()
    while hits.total() < kills:
        hit_one(trial, hits, generator, patience)
        if hits.total() < kills and not trial.left():
            trial.renew()
    last_run(trial)
    return hits


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--terms", type=int, help="SIGTERM to the group so often, in place of kills")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--patience", type=float, default=40.0, help="longest time before a kill, in seconds")
    arguments = parser.parse_args()
    cases = frozenset(case.name for case in suite_cases(Settings.from_env(os.environ)))
    hit_one, count = (end_group, arguments.terms) if arguments.terms else (kill_one, arguments.kills)
    print(f"seed {arguments.seed}, {count} times {hit_one.__name__}, {len(cases)} cases", flush=True)
    forget_inputs()
    with tempfile.TemporaryDirectory(prefix="fillpath-kill-") as folder:
        trial = Trial(Path(folder), cases)
        try:
            hits = run(trial, hit_one, count, random.Random(arguments.seed), arguments.patience)
        except (ViolationError, subprocess.TimeoutExpired) as error:
            log = (trial.folder / "make.log").read_text(errors="replace").splitlines()[-40:]
            print("\n".join([*log, f"VIOLATION: {error}"]))
            return 1
        finally:
            trial.end()
            forget_inputs()
            # It links to records that end with this folder.
            PAGE.unlink(missing_ok=True)
    killed = ", ".join(f"{kind} {count}" for kind, count in sorted(hits.items()))
    print(f"no finished measurement lost, none measured twice, last run complete; hit: {killed}")
    return 0


def forget_inputs() -> None:
    """Remove what says that an input is prepared: the cache that it was prepared in is another's, or gone."""
    shutil.rmtree(WORK / "markers", ignore_errors=True)


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
