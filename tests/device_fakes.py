"""GPU implementations, right and wrong, over tests/fake_cupy. Importing this module registers them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fillpath.nouns import Filled, Pattern, Series, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cuda import kernels
from impl.symbolic.fill1 import fill1
from tests.fakes import missing_row

FOLDER = Path(__file__).parent / "fake_cupy"
MIB = 2**20


def register() -> None:
    """Register every fake; tests call it after the registry was put back."""
    for function in FAKES:
        implementation(stage="symbolic", device="gpu", available=kernels.available)(function)


def _computed(pattern: Pattern, method: Any = fill1) -> tuple[Filled, Work]:
    """What the method gives, as a device would: arrays there, without a transfer."""
    import cupy

    on_host = Pattern(pattern.indptr.get(), pattern.indices.get())
    filled, work = method(on_host)
    arrays = cupy.ndarray(filled.pattern.indptr), cupy.ndarray(filled.pattern.indices)
    return Filled(Pattern(*arrays), cupy.ndarray(filled.upper_start)), work


def on_the_card(pattern: Pattern) -> Any:
    """A right answer, asynchronous, with 1 MiB of scratch memory and 2 MiB before it."""
    import cupy

    with phase("first"):
        cupy.empty(2 * MIB, np.uint8)
        cupy.launch(0.05)
    with phase("second"):
        scratch = cupy.empty(MIB, np.uint8)
        cupy.launch(0.1)
        filled, work = _computed(pattern)
        del scratch
    edges = cupy.ndarray(np.ones(pattern.n, np.int64))
    facts = {"queue_peak": cupy.ndarray(3.5)}
    return filled, replace(work, edges=cupy.ndarray(7), series=Series(edges=edges), facts=facts)


def unwaited(pattern: Pattern) -> Any:
    """A right answer that is there a while after the call has returned."""
    import cupy

    result = _computed(pattern)
    cupy.launch(0.5)
    return result


def wrong_on_the_card(pattern: Pattern) -> Any:
    """The input's own pattern, on the device."""
    return _computed(pattern, missing_row)


def one_wrong_entry(pattern: Pattern) -> Any:
    """A right answer but for one column, on the device."""
    import cupy

    filled, work = _computed(pattern)
    indices, last = filled.pattern.indices.get(), filled.pattern.indptr.get()[1:] - 1
    indices[last[np.flatnonzero(indices[last] < pattern.n - 1)[0]]] += 1
    return replace(filled, pattern=replace(filled.pattern, indices=cupy.ndarray(indices))), work


def back_on_the_host(pattern: Pattern) -> Any:
    """A right answer that the implementation fetched itself."""
    return fill1(Pattern(pattern.indptr.get(), pattern.indices.get()))


def too_large(pattern: Pattern) -> Any:
    """More than the card has, from CuPy's pool."""
    import cupy

    cupy.empty(cupy.MEMORY, np.uint8)


def too_much_pinned(pattern: Pattern) -> Any:
    """More pinned memory than the host gives: CUDA says so, not CuPy's pool."""
    import cupy

    cupy.cuda.alloc_pinned_memory(2**40)


def illegal(pattern: Pattern) -> Any:
    """A kernel that leaves its arrays: known at the next synchronisation only."""
    import cupy

    result = _computed(pattern)
    cupy.launch(illegal=True)
    return result


FAKES = (
    on_the_card, unwaited, wrong_on_the_card, one_wrong_entry, back_on_the_host, too_large,
    too_much_pinned, illegal,
)  # fmt: skip

register()
