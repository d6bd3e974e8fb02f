"""The launcher's part in Slurm: it cancels jobs that a killed workflow left in the queue.

A killed Snakemake cancels nothing. Its jobs would measure what the next workflow measures too.
"""

import subprocess
import sys
import time

from fillpath.config import load
from fillpath.errors import ConfigError, FillpathError
from fillpath.paths import BASE, ROOT

# The beginning of the name of every job that a profile submits (`slurm-jobname-prefix`), and of no other.
PREFIX = "fillpath"


def submits(profile: str) -> bool:
    """Return whether this profile's jobs go to Slurm.

    Raises ConfigError for an absent profile, or one whose jobs could not be distinguished from others'.
    """
    path = ROOT / "profiles" / profile / "config.yaml"
    loaded = load(path)
    if loaded.get("executor") != "slurm":
        return False
    if loaded.get("slurm-jobname-prefix") != PREFIX:
        raise ConfigError(f"{path}: slurm-jobname-prefix has to be {PREFIX}, which marks a killed run's jobs")
    return True


def cancel_orphans(deadline: float) -> None:
    """Cancel this checkout's jobs, queued or running, and wait for their end.

    Call it only while no workflow runs, so that nobody waits for these jobs. Raises FillpathError where Slurm
    does not answer or a job does not end.

    deadline : by the monotonic clock
    """
    if left := _jobs():
        print(f"fillpath: cancelling Slurm's jobs of a killed run: {', '.join(left)}", file=sys.stderr)
        _ask("scancel", *left)
    while left := _jobs():
        if time.monotonic() > deadline:
            raise FillpathError(f"Slurm's jobs {', '.join(left)} do not end: see `squeue --me`, then retry")
        time.sleep(1)


def _jobs() -> list[str]:
    """Return the ids of this user's jobs, not ended, that were submitted from this checkout."""
    lines = _ask("squeue", "--me", "--noheader", "--format=%A|%j|%Z").splitlines()
    jobs = [line.split("|", 2) for line in lines]
    return [number for number, name, folder in jobs if name.startswith(PREFIX) and folder == str(BASE)]


def _ask(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    except FileNotFoundError:
        raise FillpathError(f"{command[0]} is not on PATH: start this on a host that submits jobs") from None
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        raise FillpathError(f"{' '.join(command)}: {str(error.stderr or '').strip() or error}") from error
    return done.stdout
