"""Implementations for a real GPU, right and wrong as kernels can be. Importing this module registers them."""

from pathlib import Path
from typing import Any

import numpy as np

from fillpath.nouns import Pattern
from fillpath.registry import implementation
from impl.cuda import kernels, transfer
from impl.symbolic.fill1 import fill1

SOURCE = Path(__file__).with_name("probe.cu")
DEFINES = ("FACTOR=1",)
MIB = 2**20


def register() -> None:
    """Register them all; tests call it after the registry was put back."""
    for function in FAKES:
        implementation(stage="symbolic", device="gpu", available=kernels.available)(function)


def _computed(pattern: Pattern) -> Any:
    filled, work = fill1(transfer.on_host(pattern))
    return transfer.on_device(filled), work


def kept_busy(pattern: Pattern) -> Any:
    """A right answer, after which the device works on for 0.2 s; 64 MiB of scratch memory."""
    import cupy

    scratch = cupy.empty(64 * MIB, np.uint8)
    result = _computed(pattern)
    spin = kernels.load(SOURCE, ("spin",), DEFINES)["spin"]
    spin((1,), (1,), (scratch, np.uint64(200_000_000)))
    return result


def out_of_bounds(pattern: Pattern) -> Any:
    """A kernel that writes where nothing is."""
    result = _computed(pattern)
    kernels.load(SOURCE, ("stray",), DEFINES)["stray"]((1,), (1,), (np.uint64(8),))
    return result


def beyond_the_card(pattern: Pattern) -> Any:
    """More memory than any card has."""
    import cupy

    cupy.empty(2**50, np.uint8)


FAKES = (kept_busy, out_of_bounds, beyond_the_card)

register()
