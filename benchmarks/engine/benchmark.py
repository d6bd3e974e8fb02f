"""Questions of the engine to a stage, answered by benchmarks/<stage>.py.

The gate is `evidence` and `check`. It checks every result before it is timed, and never by its own code.
"""

import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

from fillpath.errors import FillpathError, UnsupportedError
from fillpath.nouns import Prepared, Reference, content_hash
from fillpath.record import Verified
from fillpath.registry import Implementation

Noun = TypeVar("Noun")
_PLAIN = (np.generic, int, float, str, type(None))


@dataclass(frozen=True, eq=False)
class Context:
    """Everything that a result is checked against, made before anything is timed.

    prepared : the matrix
    reference : of the matrix; None for a stage that does not refer to F
    implementation : of the case; a peer may do more than the stage asks for
    options : the value of every option of the implementation
    nouns : by type, on the host: what the benchmark reads, and their parts
    expected : of the benchmark's `expected`
    """

    prepared: Prepared
    reference: Reference | None
    implementation: Implementation
    options: Mapping[str, Any]
    nouns: Mapping[type, Any] = field(default_factory=dict)
    expected: Any = None

    def noun(self, kind: type[Noun]) -> Noun:
        """Return the noun of that type. Raises FillpathError if it was not made."""
        if kind not in self.nouns:
            raise FillpathError(f"no {kind.__name__} was made: name it in the benchmark's `reads`")
        noun: Noun = self.nouns[kind]
        return noun


class Benchmark(ABC):
    """Checks and counts of a stage's results.

    reads : the nouns that its methods take from their context
    version : str, which asv needs so that another text of the class begins no new series
    """

    reads: tuple[type, ...] = ()
    version: str = "1"

    @abstractmethod
    def check(self, result: Any, context: Context) -> Verified:
        """Return the verdict on a result. result : its `evidence`, on the host."""

    @abstractmethod
    def least_bytes(self, result: Any, context: Context) -> int:
        """Return the bytes that every implementation reads and writes. result : on the host or a device."""

    def expected(self, context: Context, seed: int) -> Any:
        """Return what `check` needs next to nouns; made once. seed : the case's."""
        return None

    def answer(self, result: Any, context: Context) -> Any:
        """Return the part of a result that has to be brought to the host."""
        return result

    def evidence(self, result: Any, context: Context, fetch: Callable[[Any], Any]) -> Any:
        """Return what `check` is given of a result: the answer, unless less of it will do.

        fetch : brings a result from where the implementation left it to the host
        """
        return fetch(self.answer(result, context))

    def facts(self, fetch: Callable[[Any], Any], result: Any, context: Context) -> dict[str, float]:
        """Return extra statistics of a right result, computed after timing. fetch : brings it to the host."""
        return {}


def benchmark_of(stage: str) -> Benchmark:
    """Return the benchmark of a stage: the class of the stage's name in benchmarks/<stage>.py.

    Raises UnsupportedError without such a file: results that cannot be checked are not measured.
    """
    name = f"benchmarks.{stage}"
    if importlib.util.find_spec(name) is None:
        raise UnsupportedError(f"stage {stage} has no file benchmarks/{stage}.py yet, so it is not measured")
    benchmark: Benchmark = getattr(importlib.import_module(name), stage.capitalize())()
    return benchmark


def bytes_of(*nouns: Any) -> int:
    """Return the bytes of all arrays of these nouns, and of the nouns in them."""
    return sum(int(getattr(part, "nbytes", 0)) for noun in nouns for part in _parts(noun))


def noun_hash(noun: Any) -> Any:
    """Return a hash of a noun on the host; an object of its own where a part is no array, number or text."""
    parts = _parts(noun)
    arrays = [part for part in parts if type(part) is np.ndarray and part.dtype.kind in "biufc"]
    if len(arrays) + sum(isinstance(part, _PLAIN) for part in parts) < len(parts):
        return object()
    return content_hash(*(part if isinstance(part, np.ndarray) else repr(part) for part in parts))


def _parts(noun: Any) -> list[Any]:
    """List what a noun and the nouns in it hold, and the text of their types."""
    if isinstance(noun, dict):
        held = [*noun, *noun.values()]
    elif is_dataclass(noun):
        held = [getattr(noun, each.name) for each in fields(noun)]
    else:
        return [noun]
    return [repr(type(noun)), *(part for each in held for part in _parts(each))]
