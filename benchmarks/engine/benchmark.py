"""What the engine asks of a stage, and how it finds the file that answers: benchmarks/<stage>.py."""

from __future__ import annotations

import importlib
import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, TypeVar

from fillpath.errors import FillpathError, UnsupportedError
from fillpath.nouns import Prepared, Reference
from fillpath.record import Verified
from fillpath.registry import Device, Implementation

Noun = TypeVar("Noun")


@dataclass(frozen=True, eq=False)
class Context:
    """What a result is checked against, made before anything is timed.

    prepared : the matrix.
    reference : of the matrix; None for a stage that does not refer to F.
    options : the value of every option of the implementation.
    peer : whether it is other people's library, which may do more than the stage asks for.
    device : where it works; kernels on a GPU flush float32's denormal numbers.
    nouns : by type, on the host: what the benchmark reads, and what that is made of.
    expected : of the benchmark's `expected`.
    """

    prepared: Prepared
    reference: Reference | None
    options: Mapping[str, Any]
    peer: bool = False
    nouns: Mapping[type, Any] = field(default_factory=dict)
    expected: Any = None
    device: Device = "cpu"

    def noun(self, kind: type[Noun]) -> Noun:
        """The noun of that type. Raises FillpathError for one that was not made."""
        if kind not in self.nouns:
            raise FillpathError(f"no {kind.__name__} was made: name it in the benchmark's `reads`")
        noun: Noun = self.nouns[kind]
        return noun


class Benchmark(ABC):
    """How the results of a stage are checked and counted.

    reads : the nouns that the methods take from their context.
    version : str, of what its seconds mean; with another one asv begins its series anew.
    """

    reads: tuple[type, ...] = ()
    version: str = "1"

    @property
    @abstractmethod
    def stage(self) -> str:
        """The name of the stage, that of its file too."""

    @abstractmethod
    def check(self, result: Any, context: Context) -> Verified:
        """The verdict on a result. result : its `evidence`, on the host."""

    @abstractmethod
    def least_bytes(self, result: Any, context: Context) -> int:
        """Bytes that every implementation has to read and write.

        result : where the implementation left it, on the host or a device.
        """

    def expected(self, context: Context, implementation: Implementation, seed: int) -> Any:
        """What `check` reads beside nouns; made once. seed : the case's."""
        return None

    def answer(self, result: Any, context: Context) -> Any:
        """The part of a result that has to be brought to the host, completed by what is there already."""
        return result

    def evidence(self, result: Any, context: Context, fetch: Callable[[Any], Any]) -> Any:
        """What `check` is given of a result: the answer, unless less of it will do.

        result : where the implementation left it.
        fetch : brings a result to the host.
        """
        return fetch(self.answer(result, context))

    def facts(self, fetch: Callable[[Any], Any], result: Any, context: Context) -> dict[str, float]:
        """Facts of a right result that no implementation needs itself, counted after the last sample.

        fetch : brings a result to the host.
        """
        return {}


def benchmark_of(stage: str) -> Benchmark:
    """The benchmark of a stage: the class of the stage's name in benchmarks/<stage>.py.

    Raises UnsupportedError where there is no such file: what cannot be checked is not measured.
    """
    name = f"benchmarks.{stage}"
    if importlib.util.find_spec(name) is None:
        raise UnsupportedError(f"stage {stage} has no file benchmarks/{stage}.py yet, so it is not measured")
    benchmark: Benchmark = getattr(importlib.import_module(name), stage.capitalize())()
    return benchmark


def bytes_of(*nouns: Any) -> int:
    """Bytes of all arrays of these nouns, and of the nouns in them."""
    return sum(_bytes(noun) for noun in nouns)


def _bytes(noun: Any) -> int:
    if is_dataclass(noun):
        return bytes_of(*(getattr(noun, f.name) for f in fields(noun)))
    return int(getattr(noun, "nbytes", 0))
