"""Start the workflow so that one runs at a time in a checkout, and so that it dies with its parent.

    python -m benchmarks.runs.launch

Each level dies with its parent: make, this launcher, Snakemake, a job, the worker and its template. Jobs
submitted to a cluster outlive them all, and the next start cancels them.

Snakemake and its jobs are a process group of their own, so a signal to the launcher's group reaches the
launcher alone. It ends Snakemake's group once, and kills it if that takes too long: a second signal can leave
Snakemake waiting for a lock that it holds itself. Ctrl-Z stops the launcher alone too: a stop within a sample
would count as its seconds.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil

from benchmarks.engine.follow import FOLLOW, adopt, die_with_parent
from fillpath import surroundings
from fillpath.ending import ended, use_utf8
from fillpath.lock import BusyError, exclusive
from fillpath.paths import BASE, PAGE, ROOT, WORK, require_checkout
from fillpath.settings import settings

ORPHAN_SECONDS = 60.0
# Seconds for Snakemake to end its jobs and itself.
GRACE_SECONDS = 5
POLL_SECONDS = 0.05


def figures() -> int:
    """Run the workflow under the lock and return its exit status."""
    # Before Numba is imported, which reads variables of its own.
    surroundings.forget()
    require_checkout()
    die_with_parent()
    from benchmarks.engine.machine import introduce
    from benchmarks.runs import marks, slurm
    from benchmarks.runs.cases import suite_cases, suite_figures, suite_inputs

    chosen = settings()
    on_slurm = slurm.submits(chosen.profile)
    if not on_slurm:
        introduce()
    cases, inputs = len(suite_cases(chosen)), len(suite_inputs(chosen))
    drawn = chosen.figure or f"{len(suite_figures(chosen))} figures"
    print(f"fillpath: {cases} cases on {inputs} inputs, cheapest first, for {drawn}", file=sys.stderr)
    _enter()
    options = ["--rerun-incomplete", "--snakefile", str(ROOT / "Snakefile")]
    options += ["--workflow-profile", str(ROOT / "profiles" / chosen.profile)]
    # The wait lets orphans of a killed run die; a second make waits as long and then names the holder.
    with exclusive(WORK / "make.lock", ORPHAN_SECONDS):
        deadline = time.monotonic() + ORPHAN_SECONDS
        if on_slurm:
            slurm.cancel_orphans(deadline)
        _wait_for_snakemake(deadline)
        _unlock()
        before = marks.drawn_at()
        # Interrupted, Snakemake cancels what it submitted; SIGTERM has it end without a traceback.
        ending = signal.SIGINT if on_slurm else signal.SIGTERM
        status = _run([sys.executable, "-m", "snakemake", "all", *options], ending)
        _unlock()
        if status == 0 and before is not None and marks.drawn_at() == before:
            print(f"fillpath: nothing to do: all cases are done, and {PAGE} shows them", file=sys.stderr)
    if status > 128:
        name = signal.Signals(status - 128).name
        print(f"fillpath: ended by {name}; everything finished is stored", file=sys.stderr)
    elif status:
        logs = [".fillpath/logs", ".snakemake/log", *([".snakemake/slurm_logs"] if on_slurm else [])]
        print(f"fillpath: the workflow failed; logs in {BASE}: {', '.join(logs)}", file=sys.stderr)
    return status


def _enter() -> None:
    """Go to the folder that Snakemake writes to; variables that name folders get absolute paths."""
    for name in ("FILLPATH_CACHE", "FILLPATH_PACKS", "FILLPATH_RESULTS", "FILLPATH_WORK"):
        if folder := os.environ.get(name):
            os.environ[name] = str(Path(folder).absolute())
    BASE.mkdir(parents=True, exist_ok=True)
    os.chdir(BASE)
    # Snakemake does not start without a user's name and home, which a container may lack.
    os.environ.setdefault("USER", str(os.getuid()))
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = str(WORK)


def _wait_for_snakemake(deadline: float) -> None:
    """Wait until no Snakemake that was started by hand works in this checkout. Raises BusyError."""
    while running := [pid for pid in _snakemakes() if pid != os.getpid()]:
        if time.monotonic() > deadline:
            raise BusyError(f"snakemake (process {running[0]}) works in this checkout: let it end")
        time.sleep(0.2)


def _snakemakes() -> Iterator[int]:
    """Yield the processes of Snakemake whose working folder is this checkout."""
    for process in psutil.process_iter(["cmdline", "cwd"]):
        words = [Path(text).name for text in (process.info["cmdline"] or ())[:3]]
        if "snakemake" in words and process.info["cwd"] and Path(process.info["cwd"]) == BASE:
            yield process.pid


def _unlock() -> None:
    """Remove the locks of Snakemake. No workflow runs, so one that was killed left them."""
    shutil.rmtree(BASE / ".snakemake" / "locks", ignore_errors=True)


def _run(command: Sequence[str], ending: int) -> int:
    """Run a command as a process group of its own. Returns its exit status, or 128 and a signal's number.

    ending : the signal that the group is sent once, at the first that ends programs; SIGKILL follows
        `GRACE_SECONDS` later
    """
    adopt()
    received = _ending_signals()
    # A group that is not the terminal's would be stopped if it read from there.
    child = subprocess.Popen([*FOLLOW, *command], stdin=subprocess.DEVNULL, process_group=0)
    deadline = None
    # A signal that comes just before a wait without a limit would be handled after the wait.
    while os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if received and deadline is None:
            deadline = time.monotonic() + GRACE_SECONDS
            os.killpg(child.pid, ending)
            os.killpg(child.pid, signal.SIGCONT)
        elif deadline is not None and time.monotonic() > deadline:
            os.killpg(child.pid, signal.SIGKILL)
        time.sleep(POLL_SECONDS)
    if received:
        # As long as the child's id is not given up, the group is this one.
        os.killpg(child.pid, signal.SIGKILL)
    code = child.wait()
    return 128 + received[0] if received else code if code >= 0 else 128 - code


def _ending_signals() -> list[int]:
    """Return a list that will hold the signals that end programs, as they come."""
    received: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # Signals that nohup or a shell has this process ignore stay ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: received.append(number))
    return received


if __name__ == "__main__":
    use_utf8()
    sys.exit(ended(figures))
