"""Whether all that a run calls on CPUs is compiled: a note beside Numba's code, quick to look up."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

from fillpath.hardware import hardware
from fillpath.nouns import content_hash
from fillpath.numba_locator import ROOMS, base, syntax_of
from fillpath.paths import CONFIG, ROOT
from fillpath.settings import Settings

# What chooses the cases of a run, and what makes machine code.
_CHOOSING = ("experiments.yaml", "matrices.csv")
_COMPILERS = ("llvmlite", "numba", "numpy")


def note(chosen: Settings) -> Path:
    """Return the file that is there once all code of these settings is compiled for CPUs like this one's."""
    sources = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    versions = [f"{name} {version(name)}" for name in _COMPILERS]
    config = [(CONFIG / name).read_bytes() for name in _CHOOSING]
    words = (sys.version, str(hardware().cpu), chosen.text(), *versions, *syntax_of(sources))
    return base() / f"compiled-{content_hash(*words, *config)}"
