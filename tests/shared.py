"""What takes seconds to make and no test changes: made once in a test run, by the first worker that asks."""

import fcntl
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")


def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that all workers of this test run share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def once(tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[], T]) -> T:
    """Return what `make` returns, which can be pickled. Only the first worker calls it.

    name : another one for each thing that is made.
    """
    path = folder(tmp_path_factory) / f"{name}.pickle"
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.is_file():
            path.write_bytes(pickle.dumps(make()))
    made: T = pickle.loads(path.read_bytes())
    return made
