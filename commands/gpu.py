"""Run all that a machine with a GPU should, in four tiers, each packed before the next starts.

    make gpu LIST=left.csv LIMIT=9m    # or measure the cases of a list

FILLPATH_PACKS names the folder of the packs, FILLPATH_SUITE the matrices. The most valuable tier comes first.
The output of a tier goes into its pack. Exit status 1 where a tier failed, 2 without a GPU.

The cases of a list are measured matrix by matrix, with a pack after each. FILLPATH_LIMIT ends this, and the
same command resumes it. Exit status 1 where a case is not ok or is left, or the last pack failed."""

import csv
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.engine import machine
from benchmarks.engine import run as runs
from benchmarks.engine.follow import FOLLOW, adopt, die_with_parent
from benchmarks.engine.measure import resolved
from benchmarks.runs import archive
from benchmarks.runs.rounds import by_matrix, line_of, measure_rounds, outstanding, rounds_of
from commands._parser import Arguments, Parser
from fetch.matrix_id import parse
from fillpath.case import Case
from fillpath.errors import FillpathError, InputError, UnavailableError, UnknownNameError
from fillpath.host import machine_name
from fillpath.lock import exclusive
from fillpath.paths import ROOT, WORK, results
from fillpath.processes import of_run
from fillpath.record import Status, read_records, record_path
from fillpath.settings import Settings, settings
from impl.cuda import kernels


@dataclass(frozen=True)
class Tier:
    """One of the four.

    name : str, of its log and its pack
    command : str, words of a command; it dies with this process
    settings : the FILLPATH_ variables that it runs under
    seconds : float, its time limit, None for no limit
    """

    name: str
    command: tuple[str, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    seconds: float | None = None


FIGURES = (sys.executable, "-m", "benchmarks.runs.launch")
ALL = {f"FILLPATH_{name}": "" for name in ("PAPER", "FIGURE", "DEVICE", "LIMIT")} | {"FILLPATH_FRESH": "1"}
OF_GSOFA = {"FILLPATH_PAPER": "gsofa", "FILLPATH_DEVICE": "gpu", "FILLPATH_LIMIT": "12m"}
# In one process: within the limit more cases are worth more than more of the cheapest.
QUICK = {**ALL, **OF_GSOFA, "FILLPATH_FRESH": "", "FILLPATH_PROCESSES": "1"}
TIERS = (
    Tier("correctness", (*FOLLOW, sys.executable, "-m", "pytest", "-q", "-m", "gpu"), seconds=360),
    Tier("figures", FIGURES, QUICK),
    # Afresh, because a ratio needs two measurements of one run, and the CPU is measured in this one.
    Tier("rest", FIGURES, ALL),
    # The same settings as the tier before, because it counts faults of the cases that this tier measured.
    Tier("faults", (*FOLLOW, sys.executable, "-m", "fillpath", "faults"), ALL),
)


def add_arguments(parser: Parser) -> None:
    cases = "a file of cases to measure in place of the tiers: of `fillpath plan --cases`, or a name per line"
    parser.add_argument("list", nargs="?", type=Path, help=cases)


def run(arguments: Arguments) -> int:
    die_with_parent()
    available, why_not = kernels.available()
    if not available:
        raise UnavailableError(f"{why_not}: nothing to run")
    cases = listed_cases(arguments.list) if arguments.list else []
    machine.introduce()
    packs = settings().packs or ROOT / "packs"
    if not cases:
        return run_tiers(resumed(TIERS), packs)
    with exclusive(WORK / "make.lock", 0.0):
        return measure_list(cases, packs / f"{machine_name()}-{arguments.list.stem}.tar.gz")


def listed_cases(path: Path) -> list[Case]:
    """Return the cases that a file names, each once, a line each or as `fillpath plan --cases` writes it.

    Raises UnknownNameError with the line of an unknown name, and InputError for none and for damaged records.
    """
    csv.field_size_limit(2**31 - 1)  # A file that is no list may have a longer line than csv takes.
    lines, cases = path.read_text("utf-8-sig", errors="replace").splitlines(), []
    plan, named = csv.DictReader(lines), list(enumerate(lines, start=1))
    if "case" in (plan.fieldnames or []):
        named = [(plan.line_num, row["case"] or "") for row in plan]
    for number, name in named:
        try:
            if name.strip():
                cases.append(resolved(name.strip())[0])
                parse(cases[-1].matrix)
        except UnknownNameError as error:
            raise UnknownNameError(f"{path}:{number}: {error}") from None
    for case in cases:
        read_records(record_path(machine_name(), case.name))
    if not cases:
        raise InputError(f"{path}: names no case; `fillpath plan small --cases FILE` writes a list")
    return list(dict.fromkeys(cases))


def measure_list(cases: Sequence[Case], pack: Path) -> int:
    """Measure what is left of the cases, those of a matrix in turn, and pack after each matrix.

    Return the exit status: 0 if all are ok and the last pack is whole. FILLPATH_LIMIT cuts a process off.
    """
    pack.parent.mkdir(parents=True, exist_ok=True)
    within, seen = runs.begin(f"list {pack.stem} {settings().text()}", settings().limit), []
    for of_matrix in by_matrix(outstanding(cases, within)) or [[]]:
        for record in measure_rounds(of_matrix, settings().rounds, settings().fresh, within):
            print(line_of(record), flush=True)
            seen.append(record)
            if within.remaining() <= 0:
                break
        try:
            archive.pack(machine_name(), pack)
            is_packed = True
        except (FillpathError, OSError) as error:
            is_packed = False
            print(f"fillpath: stored, but not packed: {error}", file=sys.stderr)
        if within.remaining() <= 0:
            print(f"fillpath: the time is up; the same command resumes; {pack}", file=sys.stderr)
            return 1
    runs.finish()
    failed = {record.case for record in seen if record.status is not Status.OK}
    for case in cases:
        records = of_run(read_records(record_path(machine_name(), case.name)))
        # A process that timed out leaves the result of too few.
        if records[-1].status is not Status.OK or len(records) < rounds_of(case, settings().rounds):
            failed.add(case.name)
    ending = f"cases are ok; {pack}" if is_packed else "cases are ok"
    print(f"fillpath: {len(cases) - len(failed)} of {len(cases)} {ending}", file=sys.stderr)
    return int(bool(failed) or not is_packed)


def run_tiers(tiers: Sequence[Tier], packs: Path) -> int:
    """Run the tiers one after the other, pack after each, and print at the end how each ended.

    Return the exit status: 0 if all went well, else 1.
    """
    packs.mkdir(parents=True, exist_ok=True)
    endings = []
    for number, tier in enumerate(tiers, start=1):
        print(f"fillpath: tier {number} of {len(tiers)}, {tier.name}", file=sys.stderr, flush=True)
        failure = _run(tier)
        pack = packs / f"{machine_name()}-{number}-{tier.name}.tar.gz"
        try:
            machine.write_facts()
            archive.pack(machine_name(), pack)
        except (FillpathError, OSError) as error:
            failure = f"{failure or 'done'}, but not packed: {error}"
        endings.append((tier.name, failure, pack))
    for name, failure, pack in endings:
        print(f"{name:<12}  {failure or 'done'}; {pack}")
    return int(any(failure for _, failure, _ in endings))


def _run(tier: Tier) -> str:
    """Run a tier, its output shown and kept. Return how it failed, empty if it did not."""
    log = results() / machine_name() / "logs" / f"gpu-{tier.name}.txt"
    log.parent.mkdir(parents=True, exist_ok=True)
    adopt()
    with subprocess.Popen(["tee", str(log)], stdin=subprocess.PIPE) as tee:
        try:
            status = subprocess.run(
                tier.command,
                cwd=ROOT, env={**_environment(tier), "PYTHONUNBUFFERED": "1"}, stdin=subprocess.DEVNULL,
                stdout=tee.stdin, stderr=subprocess.STDOUT, timeout=tier.seconds, check=False,
            ).returncode  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"not done within {(tier.seconds or 0) / 60:g} minutes, see {log}"
    return f"failed with exit status {status}, see {log}" if status else ""


def resumed(tiers: Sequence[Tier]) -> list[Tier]:
    """Return the first tier, which has no run, and those from the killed run's tier on; all if none was."""
    unfinished = runs.current()
    for number, tier in enumerate(tiers[1:], start=1):
        if unfinished is not None and unfinished.settings == Settings.from_env(_environment(tier)).text():
            return [tiers[0], *tiers[number:]]
    return list(tiers)


def _environment(tier: Tier) -> dict[str, str]:
    # A tier runs on this machine, under the profile of a cluster too.
    return {**os.environ, "FILLPATH_PROFILE": "default", **tier.settings}
