"""A machine whose kernels run on the CPU, while a test runs."""

import functools
import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from impl.cuda import device, kernels
from tests.cuda_on_cpu import compiler, cupy, kernel


@contextmanager
def machine(**facts: Any) -> Iterator[kernel.Machine]:
    """The machine with these facts (kernel.Machine), and with the earlier ones after the block."""
    before = dict(vars(kernel.MACHINE))
    vars(kernel.MACHINE).update(launches=itertools.count(), **facts)
    try:
        yield kernel.MACHINE
    finally:
        vars(kernel.MACHINE).update(before)


# Parameters of a fixture that yields what `played_or_real` does.
CARDS = ["cpu", pytest.param("gpu", marks=pytest.mark.gpu)]


@contextmanager
def played_or_real(request: pytest.FixtureRequest, **facts: Any) -> Iterator[str]:
    """Have the CPU play a card with these facts, or take a real card, as the parameter of CARDS says."""
    if request.param == "gpu":
        yield "gpu"
        return
    request.getfixturevalue("cuda_on_cpu")
    with machine(**facts):
        yield "cpu"


@pytest.fixture
def cuda_on_cpu(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[kernel.Machine]:
    """CuPy and `impl.cuda.kernels.load` play on the CPU; a parameter is a dict of the machine's facts."""
    available, why_not = compiler.available()
    if not available:
        pytest.skip(f"kernels run on the CPU by g++: {why_not}")
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setattr(kernels, "load", functools.cache(kernel.load))
    monkeypatch.setattr(device, "multiprocessors", lambda: kernel.MACHINE.multiprocessors)
    monkeypatch.setattr(device, "occupancy", kernel.occupancy)
    with machine(**getattr(request, "param", {})) as played:
        yield played
