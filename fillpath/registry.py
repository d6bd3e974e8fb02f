"""The registry: every implementation under `impl/`, found by importing its file.

An implementation is one function under `@implementation(...)`: it takes a noun, returns a noun and its
`Work`, reads no clock and prints nothing. The annotation of its first parameter is the noun that it is
given, one of TAKEN. Keyword-only parameters with defaults are its options.

    lookup("symbolic", "fill2_cpu").device   # "cpu"
"""

import functools
import importlib
import inspect
import pkgutil
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fillpath import source_hashes
from fillpath.errors import UnknownNameError, find
from fillpath.nouns import Assembled, Filled, Fronts, Laplacian, Pattern, Prepared, Raw, System, TwoWay
from fillpath.options import Option, options_of
from fillpath.stages import stage_of

# impl/ imports these from here, and the keys of its records hold the names of what it imports from.
from fillpath.source_hashes import HEADERS as HEADERS, included as included, maker as maker  # isort: skip

# Nouns that an implementation can be given. All are made before anything is timed.
TAKEN = (Raw, Pattern, Prepared, Filled, TwoWay, Assembled, Fronts, Laplacian, System)

Device = Literal["cpu", "gpu"]


@dataclass(frozen=True)
class Implementation:
    """One way to do one stage, as registered.

    stage, name : str, as in a case's name
    device : str, where it works
    paper, section : str, where it is described, empty where no paper is the source
    function : callable, takes the noun and the options, returns a noun and its `Work`
    takes : type, the noun, one of TAKEN
    options : tuple of Option, those of the function's signature
    available : callable, returns (bool, reason), asked before anything is started
    kernels : tuple of str, .cu files as they lie from its module
    peer : tuple of str, packages that other people's library may come in, none where it is our own code. A
        peer does more or other work than the stage asks for. It is measured only where an experiment names it
    """

    stage: str
    name: str
    device: Device
    paper: str
    section: str
    function: Callable[..., Any]
    takes: type
    options: tuple[Option, ...]
    available: Callable[[], tuple[bool, str]]
    kernels: tuple[str, ...] = ()
    peer: tuple[str, ...] = ()

    @property
    def module(self) -> str:
        return self.function.__module__

    @property
    def summary(self) -> str:
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    def option(self, name: str) -> Option:
        """Return the option of that name. Raises UnknownNameError with suggestions."""
        by_name = {option.name: option for option in self.options}
        return find(name, by_name, f"{self.name} has no option", "" if by_name else "; it has none")

    def arguments(self, options: Mapping[str, str]) -> dict[str, Any]:
        """Parse a case's options to keyword arguments."""
        return {name: self.option(name).parse(text) for name, text in options.items()}

    def values(self, options: Mapping[str, str]) -> dict[str, Any]:
        """Return the value of every option, the default where the case has none."""
        return {option.name: option.default for option in self.options} | self.arguments(options)

    def canonical(self, options: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """Return the options as a case writes them: sorted, without defaults, with one spelling per value."""
        pairs = [(self.option(name), value) for name, value in self.arguments(options).items()]
        return tuple(sorted((o.name, o.text(value)) for o, value in pairs if value != o.default))

    def source_hash(self, versions: Mapping[str, str] | None = None) -> str:
        """Hash the code that decides what is measured, without comments, docstrings and places.

        The hash covers the definitions that the function and the makers of its noun reach within impl/. Their
        kernels with headers and the version of a peer's library count too.

        versions : by peer or package, where a measurement was made; None: as installed here.
        """
        load_all()  # The makers too.
        library = source_hashes.versions(self.peer, versions)[:1]
        return source_hashes.source_hash(self.function, self.takes, self.kernels, library)

    def kernel_paths(self) -> list[Path]:
        """Return its .cu files."""
        return source_hashes.kernel_paths(self.function, self.kernels)


_registry: dict[tuple[str, str], Implementation] = {}


def implementation(
    *,
    stage: str,
    device: Device = "cpu",
    paper: str = "",
    section: str = "",
    name: str | None = None,
    available: Callable[[], tuple[bool, str]] = lambda: (True, ""),
    kernels: tuple[str, ...] = (),
    peer: str = "",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the function as an implementation of a stage.

    The parameters are the fields of `Implementation`; `name` is the function's unless given.

    Raises UnknownNameError for an unknown stage and for a name that another module has registered.
    Raises TypeError for a function that does not annotate the noun that it takes.
    """
    stage_of(stage)

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        named = stage, name or function.__name__, device, paper, section
        given = _noun_taken(function, stage), options_of(function)
        entry = Implementation(*named, function, *given, available, kernels, (peer,) if peer else ())
        present = _registry.get((stage, entry.name))
        if present is not None and present.module != entry.module:
            raise UnknownNameError(f"{stage}.{entry.name} is registered by {present.module} already")
        _registry[stage, entry.name] = entry
        return function

    return register


@functools.cache
def load_all() -> None:
    """Import every module under impl/, which registers what they hold."""
    for module in pkgutil.walk_packages(importlib.import_module("impl").__path__, "impl."):
        importlib.import_module(module.name)


def registered(stage: str | None = None) -> list[Implementation]:
    """Return all implementations, or those of a stage, by name."""
    load_all()
    return [entry for key, entry in sorted(_registry.items()) if stage in (None, key[0])]


def lookup(stage: str, name: str) -> Implementation:
    """Return the implementation of that name. Raises UnknownNameError with suggestions."""
    # A worker imports the implementations that it needs alone.
    if known := _registry.get((stage, name)):
        return known
    stage_of(stage)
    by_name = {entry.name: entry for entry in registered(stage)}
    return find(name, by_name, f"stage {stage} has no implementation", "" if by_name else "; none yet")


def _noun_taken(function: Callable[..., Any], stage: str) -> type:
    hint = typing.get_type_hints(function).get(next(iter(inspect.signature(function).parameters), ""))
    allowed = {noun: noun for noun in TAKEN if noun not in stage_of(stage).withheld}
    if hint not in allowed:
        raise TypeError(
            f"{function.__module__}.{function.__qualname__}: annotate its first parameter with what it is "
            f"given in stage {stage}, one of {', '.join(noun.__name__ for noun in allowed)}; found {hint}"
        )
    return allowed[hint]
