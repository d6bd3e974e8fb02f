"""Kill `make figures` at random and show that nothing finished is lost and nothing needs repair by hand.

    python tests/kill_random.py --kills 20 --seed 0

Starts `make figures` in this checkout, with results and cache in a temporary folder; after a random time it
sends SIGKILL to a random process among make, the launcher, Snakemake, a job and the worker; then it starts
`make figures` again. After each kill every finished record must still stand, once. A last run must end well
with every case ok. Whenever all cases are done, a new results folder is begun, so that kills keep falling on
measurements. Exit status 1: something was lost, measured twice, unreadable, or two workflows ran at once.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.runs.cases import suite_cases
from fillpath.paths import ROOT
from fillpath.record import Record, Status, read_records
from fillpath.settings import Settings

MARK = "FILLPATH_KILL_RANDOM"
KINDS: Mapping[str, Callable[[list[str]], bool]] = {
    "make": lambda words: Path(words[0]).name == "make",
    "launcher": lambda words: words[1:4] == ["-m", "benchmarks.runs.launch", "figures"],
    "snakemake": lambda words: words[1:3] == ["-m", "snakemake"],
    "job": lambda words: words[1:3] == ["-m", "fillpath"],
    "worker": lambda words: words[1:3] == ["-m", "benchmarks.engine.worker"],
}


class ViolationError(Exception):
    """What must not happen has happened."""


@dataclass
class Trial:
    """One series of kills. finished : of each case with an ok record, when that measurement began."""

    folder: Path
    token: str = field(default_factory=lambda: secrets.token_hex(8))
    generation: int = 0
    finished: dict[str, str] = field(default_factory=dict)

    @property
    def results(self) -> Path:
        return self.folder / f"results-{self.generation}"

    def start(self) -> subprocess.Popen[bytes]:
        """`make figures`, its output in a log."""
        dropped = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "FILLPATH_PARENT")
        environment = {
            **{name: value for name, value in os.environ.items() if name not in dropped},
            MARK: self.token,
            "FILLPATH_RESULTS": str(self.results),
            "FILLPATH_CACHE": str(self.folder / "cache"),
        }
        with (self.folder / "make.log").open("ab") as log:
            return subprocess.Popen(["make", "figures"], cwd=ROOT, env=environment, stdout=log, stderr=log)

    def processes(self) -> Iterator[tuple[int, str]]:
        """(id, kind) of every process of this trial, orphans included."""
        mark = f"{MARK}={self.token}".encode()
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError, ValueError):
                if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                    words = (entry / "cmdline").read_text().split("\0")
                    kind = next((kind for kind, fits in KINDS.items() if fits(words)), "")
                    yield int(entry.name), kind

    def records(self) -> dict[str, list[Record]]:
        """Every case's records. Raises ViolationError for a line that is not a record of schema v1."""
        records: dict[str, list[Record]] = {}
        for path in sorted(self.results.glob("*/records/*.jsonl")):
            try:
                records[path.stem] = read_records(path)
            except Exception as error:
                raise ViolationError(f"{path.name} is unreadable: {error}") from error
        return records

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
        self.generation += 1
        self.finished = {}


def kill_one(trial: Trial, number: int, generator: random.Random, patience: float) -> str:
    """Start the workflow, kill one of its processes, check. Returns the kind that was hit."""
    process = trial.start()
    delay = generator.uniform(1.0, patience)
    start = time.monotonic()
    while time.monotonic() - start < delay and process.poll() is None:
        time.sleep(0.02)
    trial.check()
    alive = [(pid, kind) for pid, kind in trial.processes() if kind]
    single = Counter(kind for _, kind in alive)
    if single["snakemake"] > 1 or single["worker"] > 1:
        raise ViolationError(f"two workflows at once: {dict(single)}")
    kind = generator.choice(sorted(single)) if single else "none left"
    hit = generator.choice(sorted(pid for pid, of in alive if of == kind)) if single else 0
    before = len(trial.finished)
    with contextlib.suppress(ProcessLookupError):
        if hit:
            os.kill(hit, signal.SIGKILL)
    status = process.wait(timeout=600)
    trial.check()
    stood = f"{before} finished before, {len(trial.finished)} after"
    print(f"{number:3d}  {delay:5.1f} s  killed {kind:<10}  make ended with {status:3d}, {stood}", flush=True)
    return kind


def last_run(trial: Trial, expected: set[str]) -> None:
    """An undisturbed run to the end: every case ok, the finished ones not measured again."""
    status = trial.start().wait(timeout=1200)
    trial.check()
    missing = sorted(expected - set(trial.finished))
    if status or missing:
        raise ViolationError(f"the last run ended with {status}; not ok: {', '.join(missing) or 'none'}")


def end(trial: Trial) -> None:
    """End what is left of this trial."""
    for pid, _ in trial.processes():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--patience", type=float, default=40.0, help="longest time before a kill, in seconds")
    arguments = parser.parse_args()
    generator = random.Random(arguments.seed)
    expected = {case.name for case in suite_cases(Settings.from_env(os.environ))}
    print(f"seed {arguments.seed}, {arguments.kills} kills, {len(expected)} cases", flush=True)
    with tempfile.TemporaryDirectory(prefix="fillpath-kill-") as folder:
        trial = Trial(Path(folder))
        try:
            kinds = run(trial, arguments.kills, generator, arguments.patience, expected)
        except (ViolationError, subprocess.TimeoutExpired) as error:
            log = (trial.folder / "make.log").read_text(errors="replace").splitlines()[-40:]
            print("\n".join([*log, f"VIOLATION: {error}"]))
            return 1
        finally:
            end(trial)
    hits = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    print(f"no finished measurement lost, none measured twice, last run complete; killed: {hits}")
    return 0


def run(
    trial: Trial, kills: int, generator: random.Random, patience: float, expected: set[str]
) -> Counter[str]:
    """All kills and the undisturbed run after them."""
    kinds: Counter[str] = Counter()
    number = 0
    while number < kills:
        kind = kill_one(trial, number + 1, generator, patience)
        if kind != "none left":
            number += 1
            kinds[kind] += 1
        if expected <= set(trial.finished) and number < kills:
            trial.renew()
    last_run(trial, expected)
    return kinds


if __name__ == "__main__":
    sys.exit(main())
