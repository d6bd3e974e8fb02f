"""A GPU that is none: the CuPy of tests/fake_cupy in place of the real one, here and in workers."""

import importlib
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.engine import process, template
from impl.cuda import device, kernels, nvml
from tests.device_fakes import FOLDER

_CACHED = (kernels.available, kernels._load, device.facts, device.identity)


def forget() -> None:
    """Forget what was asked of the card."""
    for function in _CACHED:
        function.cache_clear()


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The fake in place of CuPy, here and in the workers that are started from here."""
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    for name in [name for name in sys.modules if name.partition(".")[0] in ("cupy", "pynvml")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(nvml, "pynvml", importlib.import_module("pynvml"))
    forget()
    yield importlib.import_module("cupy")
    del sys.modules["cupy"]
    forget()


@pytest.fixture
def forked_with_cupy(forked_workers: None, cupy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork the workers of a device too: each imports the fake for itself, and reads its variables."""
    monkeypatch.setitem(process._IMPORTS, "gpu", process._IMPORTS["cpu"])
    monkeypatch.setattr(template, "_OF_JOBS", (*template._OF_JOBS, "FAKE_"))
