"""Snakemake's markers of steps that are done, and which of them no longer hold.

Snakemake compares times of files. Whether a case has still to be measured, and whether figures and page
are of today's records, is for records, sources and settings to say; so before a run, a marker that says more
than holds is removed, and its step runs.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
from collections.abc import Iterator
from pathlib import Path

from benchmarks.engine import run
from benchmarks.runs import airspeed, slurm
from benchmarks.runs.cases import suite_stages
from fillpath.holdings import digest_of
from fillpath.host import machine_name
from fillpath.nouns import content_hash
from fillpath.paths import PAGE, ROOT, SITE, WORK, results, write_text
from fillpath.settings import Settings

_DRAW = WORK / "markers" / "figures"
_MEASURE = WORK / "markers" / "measure"
_SOURCES = ("benchmarks", "commands", "config", "fetch", "fillpath", "impl", "reports")
_LOCKS = ("pyproject.toml", "requirements.lock")
# What is made of the sources, and lies among them.
_MADE = (PAGE, SITE)
_LIBRARIES = ("matplotlib", "numpy", "pandas")


def forget_unfit(chosen: Settings) -> None:
    """Remove the markers of what these settings leave to do."""
    submits, stages = slurm.submits(chosen.profile), suite_stages(chosen)
    left = [stage for stage in stages if submits or not _is_measured(stage, chosen)]
    for stage in left:
        (_MEASURE / stage).unlink(missing_ok=True)
    # Snakemake runs a step only for another that needs it: it measures for figures that have to be drawn.
    if left or not _is_drawn(chosen):
        _DRAW.unlink(missing_ok=True)


def drawn_from(chosen: Settings) -> str:
    """A hash of what figures and page are made from: records, sources, libraries, settings. Files count
    by size and time."""
    versions = [f"{name} {importlib.metadata.version(name)}" for name in _LIBRARIES]
    sources = [path for name in _SOURCES for path in _files(ROOT / name)]
    files = [*sources, *(ROOT / name for name in _LOCKS), *_files(results()), *_files(WORK / "machines")]
    return content_hash(
        platform.python_version(), machine_name(), chosen.text(), *versions, *map(_line, files)
    )


def drawn_at() -> int | None:
    """When the page was last noted as drawn, in ns; None where it is not."""
    return _DRAW.stat().st_mtime_ns if _DRAW.is_file() else None


def keep_drawn(made_from: str) -> None:
    """Note that all figures and the page, as they lie there now, are made from that."""
    write_text(_DRAW, f"{made_from}\n{_written()}\n")


def _is_measured(stage: str, chosen: Settings) -> bool:
    """Whether this machine was the last to measure the stage, and has nothing left of it."""
    here = (_MEASURE / stage).is_file() and run.machine_of(stage) == machine_name()
    return here and not chosen.fresh and airspeed.is_done(stage)


def _is_drawn(chosen: Settings) -> bool:
    try:
        return _DRAW.read_text() == f"{drawn_from(chosen)}\n{_written()}\n"
    except OSError:
        return False


def _written() -> str:
    """A hash of the page's file and of the site as they lie there: of what is in them, because Snakemake sets
    the times of a job's outputs."""
    files = [*([PAGE] if PAGE.is_file() else []), *_files(SITE)]
    return content_hash(*(f"{path} {digest_of(path)}" for path in files))


def _files(folder: Path) -> Iterator[Path]:
    """The files below a folder, without those that are made of others and those of locks, by name."""
    for where, folders, names in os.walk(folder):
        kept = [name for name in folders if name != "__pycache__" and Path(where, name) not in _MADE]
        folders[:] = sorted(kept)
        paths = (Path(where, name) for name in sorted(names) if not name.endswith(".lock"))
        yield from (path for path in paths if path not in _MADE)


def _line(path: Path) -> str:
    there = path.stat()
    return f"{path} {there.st_size} {there.st_mtime_ns}"
