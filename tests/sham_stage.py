"""A stage more: one row of data, one file (sham/degrees.py), and two implementations. Importing this module
adds them, as the worker does."""

from pathlib import Path
from typing import Any

import numpy as np

import benchmarks
from fillpath.nouns import Pattern, Work
from fillpath.registry import implementation
from fillpath.stages import STAGES, Stage

ROW = Stage("degrees", "entries of each row", on_values=True, on_graph=True, refers=False)
FOLDER = str(Path(__file__).parent / "sham")


def right(pattern: Pattern) -> Any:
    """The entries of each row."""
    return np.diff(pattern.indptr), Work(edges=pattern.nnz, facts={"rows": pattern.n})


def off_by_one(pattern: Pattern) -> Any:
    """One too many in the last row."""
    degrees = np.diff(pattern.indptr)
    degrees[-1] += 1
    return degrees, Work()


def add() -> None:
    """Add the stage; tests call it after the stages were put back."""
    STAGES[ROW.name] = ROW  # type: ignore[index]
    if FOLDER not in benchmarks.__path__:
        benchmarks.__path__.append(FOLDER)
    for function in (right, off_by_one):
        implementation(stage=ROW.name)(function)


add()
