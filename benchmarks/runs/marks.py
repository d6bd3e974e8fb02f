"""Snakemake's markers of finished steps: remove each that is no longer true, before a run.

Snakemake compares times of files. Records, sources and settings decide whether a case still has to be
measured, and whether figures and page show today's records.
"""

import importlib.metadata
import platform
from pathlib import Path

from benchmarks.engine import run
from benchmarks.runs import rounds, slurm
from benchmarks.runs.cases import suite_stages
from fillpath.holdings import digest_of
from fillpath.host import machine_name
from fillpath.nouns import content_hash
from fillpath.paths import PAGE, ROOT, SITE, WORK, results, write_text
from fillpath.settings import Settings

_DRAW = WORK / "markers" / "figures"
_MEASURE = WORK / "markers" / "measure"
_SOURCES = ("benchmarks", "commands", "config", "fetch", "fillpath", "impl", "reports")
_LIBRARIES = ("matplotlib", "numpy", "pandas")


def remove_stale(chosen: Settings) -> None:
    """Remove the markers of the steps that these settings still need."""
    submits, stages = slurm.submits(chosen.profile), suite_stages(chosen)
    left = [name for name in stages if submits or not _is_measured(name, chosen)]
    for name in left:
        (_MEASURE / name).unlink(missing_ok=True)
    # Snakemake runs a step only for another that needs it: it measures for figures that have to be drawn.
    if left or drawn_at() is None or _DRAW.read_text() != _note(drawn_from(chosen)):
        _DRAW.unlink(missing_ok=True)


def drawn_from(chosen: Settings) -> str:
    """Return a hash of what figures and page are made from: records, sources, libraries and settings.

    Files count by size and time.
    """
    versions = [f"{name} {importlib.metadata.version(name)}" for name in _LIBRARIES]
    folders = [*(ROOT / name for name in _SOURCES), results(), WORK / "machines"]
    stats = [(path, path.stat()) for folder in folders for path in _files(folder)]
    files = [f"{path} {stat.st_size} {stat.st_mtime_ns}" for path, stat in stats]
    return content_hash(platform.python_version(), machine_name(), chosen.text(), *versions, *files)


def drawn_at() -> int | None:
    """Return when the page was last noted as drawn, in ns; None where it was not."""
    return _DRAW.stat().st_mtime_ns if _DRAW.is_file() else None


def keep_drawn(made_from: str) -> None:
    """Note that all figures and the page, with their present content, are made from that."""
    write_text(_DRAW, _note(made_from))


def _is_measured(name: str, chosen: Settings) -> bool:
    """Tell whether this machine was the last to measure the stage, and has nothing left of it."""
    here = (_MEASURE / name).is_file() and run.machine_of(name) == machine_name()
    return here and not chosen.fresh and rounds.is_done(name)


def _note(made_from: str) -> str:
    """Return the marker's text. Page and pictures count by content, because Snakemake sets their times."""
    files = [path for path in (PAGE, *sorted(SITE.rglob("*"))) if path.is_file()]
    return f"{made_from}\n{content_hash(*(f'{path} {digest_of(path)}' for path in files))}\n"


def _files(folder: Path) -> list[Path]:
    """Return the files below a folder by name, without pages, locks and what Python compiled."""
    every = (path for path in folder.rglob("*") if not path.name.endswith((".lock", ".pyc")))
    return sorted(p for p in every if p != PAGE and SITE not in p.parents and p.is_file())
