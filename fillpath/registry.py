"""The registry: every implementation under `impl/`, found by importing its file.

An implementation is one function under `@implementation(...)`: it takes a noun, returns a noun and its
`Work`, reads no clock and prints nothing. The annotation of its first parameter says which noun it is
given, one of TAKEN. Keyword-only parameters with defaults are its options; their annotations say how a
case's text becomes a value.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.metadata
import inspect
import pkgutil
import re
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar

from fillpath import syntax
from fillpath.errors import UnknownNameError, suggest
from fillpath.nouns import (
    Assembled,
    Filled,
    Laplacian,
    Pattern,
    Prepared,
    System,
    TwoWay,
    content_hash,
)
from fillpath.paths import ROOT

STAGES: Mapping[str, str] = {
    "symbolic": "the filled pattern of L + U",
    "supernodes": "rows of U that share a structure",
    "levels": "columns that can be factorised at once",
    "numeric": "the values of L and U",
    "solve": "a linear system, through all stages",
    "cholesky": "ParAC's randomised factor",
    "laplacian": "factor and preconditioned conjugate gradients",
}
# What an implementation can be given. All of it is there before anything is timed.
TAKEN = (Pattern, Prepared, Filled, TwoWay, Assembled, Laplacian, System)
# What holds a stage's own answer, so that nothing of that stage is given it.
ANSWERS: Mapping[str, tuple[type, ...]] = {"symbolic": (Filled, TwoWay, Assembled), "levels": (Assembled,)}
# Where what kernels include in quotes lies.
HEADERS = ROOT / "impl" / "cuda"
# Stages that work with values: a complex matrix stops before them.
NUMERIC_STAGES = ("numeric", "solve", "cholesky", "laplacian")
# Stages on a graph's Laplacian: they read no filled pattern, which may be too large to be made.
GRAPH_STAGES = ("cholesky", "laplacian")

Device = Literal["cpu", "gpu"]
Available = tuple[bool, str]

# What an option of that kind is to be, for those who wrote something else.
_MEANT = {
    bool: "true or false",
    int: "an integer, or bytes such as 64MB or 1GiB",
    float: "a number",
    str: "text",
}
_UNITS = {
    "": 1,
    "B": 1,
    **{f"{p}B": 10 ** (3 * i) for i, p in enumerate("kMGT", 1)},
    **{f"{p}iB": 2 ** (10 * i) for i, p in enumerate("KMGT", 1)},
}


@dataclass(frozen=True)
class Option:
    """A typed option. kind : bool, int, float or str; a `| None` default is written `none`."""

    name: str
    kind: type
    default: Any
    choices: tuple[str, ...] = ()

    def parse(self, text: str) -> Any:
        """The value that the text stands for. Raises UnknownNameError naming the option."""
        if text == "none" and self.default is None:
            return None
        if self.choices and text not in self.choices:
            raise UnknownNameError(f"option {self.name}={text}: expected one of {', '.join(self.choices)}")
        try:
            return _parse_value(self.kind, text)
        except (ValueError, KeyError):
            raise UnknownNameError(f"option {self.name}={text}: expected {_MEANT[self.kind]}") from None

    def text(self, value: Any) -> str:
        """The canonical text of a value."""
        if value is None:
            return "none"
        return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class Implementation:
    """One way to do one stage, as registered.

    takes : one of TAKEN. peer : packages that other people's library may come in, none where it is our own
    code. A peer does more or other work than the stage asks for: it is measured where an experiment names it,
    never by default.
    """

    stage: str
    name: str
    device: Device
    paper: str
    section: str
    function: Callable[..., Any]
    takes: type
    options: tuple[Option, ...]
    available: Callable[[], Available]
    kernels: tuple[str, ...] = field(default=())
    peer: tuple[str, ...] = ()

    @property
    def module(self) -> str:
        return self.function.__module__

    @property
    def summary(self) -> str:
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    def option(self, name: str) -> Option:
        """The option of that name. Raises UnknownNameError with suggestions."""
        known = {option.name: option for option in self.options}
        if name not in known:
            listed = f" (it has {', '.join(known)})" if known else " (it has none)"
            raise UnknownNameError(f"{self.name} has no option {name!r}{listed}{suggest(name, known)}")
        return known[name]

    def arguments(self, options: Mapping[str, str]) -> dict[str, Any]:
        """Keyword arguments from a case's options."""
        return {name: self.option(name).parse(text) for name, text in options.items()}

    def values(self, options: Mapping[str, str]) -> dict[str, Any]:
        """The value of every option, the default where the case does not say."""
        return {option.name: option.default for option in self.options} | self.arguments(options)

    def canonical(self, options: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """The options as a case writes them: sorted, defaults left out, one spelling a value."""
        pairs = [(self.option(name), self.option(name).parse(text)) for name, text in options.items()]
        return tuple(sorted((o.name, _canonical_text(o, value)) for o, value in pairs if value != o.default))

    def source_hash(self, versions: Mapping[str, str] | None = None) -> str:
        """Hash of what decides what is measured, comments, docstrings and places apart: the definitions that
        the function reaches within impl/, those of the makers of what it is given, their kernels with what
        they include, and the version of a peer's library. versions : of packages, where the measurement was
        made; None: those installed here."""
        library = _versions(self.peer, versions)[:1]
        return content_hash(*library, *_source_texts(self.function, self.takes, self.kernels))

    def definitions(self) -> frozenset[syntax.Definition]:
        """What the function reaches within impl/, and what makes the noun that it takes."""
        return _definitions(self.function, self.takes)

    def kernel_paths(self) -> list[Path]:
        """Its .cu files, named as they lie from its module."""
        folder = Path(inspect.getfile(self.function)).parent
        return [(folder / name).resolve() for name in self.kernels]


_registry: dict[tuple[str, str], Implementation] = {}
_makers: dict[type, Callable[..., Any]] = {}
Maker = TypeVar("Maker", bound=Callable[..., Any])


def maker(function: Maker) -> Maker:
    """Register the function as what makes the noun that it returns, of the nouns that it takes."""
    _makers[typing.get_type_hints(function)["return"]] = function
    return function


def implementation(
    *,
    stage: str,
    device: Device = "cpu",
    paper: str = "",
    section: str = "",
    name: str | None = None,
    available: Callable[[], Available] = lambda: (True, ""),
    kernels: tuple[str, ...] = (),
    peer: str | tuple[str, ...] = (),
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the function as an implementation of a stage.

    stage : one of STAGES. paper : its id in config/claims.yaml, empty where no paper is the source.
    available : returns (bool, reason), asked before anything is started. kernels : .cu files beside it.
    peer : see `Implementation`. Raises TypeError for a function that does not say which noun it takes.
    """
    if stage not in STAGES:
        raise UnknownNameError(f"stage {stage!r}: expected one of {', '.join(STAGES)}")

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        entry = Implementation(
            stage,
            name or function.__name__,
            device,
            paper,
            section,
            function,
            _taken(function, stage),
            _options(function),
            available,
            kernels,
            (peer,) if isinstance(peer, str) else peer,
        )
        known = _registry.get((stage, entry.name))
        if known is not None and known.module != entry.module:
            raise UnknownNameError(f"{stage}.{entry.name} is registered by {known.module} already")
        _registry[stage, entry.name] = entry
        return function

    return register


def load_all() -> None:
    """Import every module under impl/, which registers what they hold."""
    package = importlib.import_module("impl")
    for module in pkgutil.walk_packages(package.__path__, "impl."):
        importlib.import_module(module.name)


def registered(stage: str | None = None) -> list[Implementation]:
    """All implementations, or those of a stage, by name."""
    return [entry for key, entry in sorted(_registry.items()) if stage in (None, key[0])]


def lookup(stage: str, name: str) -> Implementation:
    """The implementation of that name. Raises UnknownNameError with suggestions."""
    if stage not in STAGES:
        raise UnknownNameError(
            f"stage {stage!r} is unknown{suggest(stage, STAGES) or '; one of ' + ', '.join(STAGES)}"
        )
    if (stage, name) not in _registry:
        names = [entry.name for entry in registered(stage)]
        hint = suggest(name, names) or f"; `fillpath list` shows {', '.join(names) or 'none yet'}"
        raise UnknownNameError(f"stage {stage} has no implementation {name!r}{hint}")
    return _registry[stage, name]


def _versions(packages: tuple[str, ...], known: Mapping[str, str] | None) -> list[str]:
    """Of those of the packages that are known, or else installed."""
    if known is not None:
        return [known[name] for name in packages if name in known]
    found = []
    for name in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found.append(importlib.metadata.version(name))
    return found


def _taken(function: Callable[..., Any], stage: str) -> type:
    first = next(iter(inspect.signature(function).parameters), "")
    hint = typing.get_type_hints(function).get(first)
    known = {noun: noun for noun in TAKEN if noun not in ANSWERS.get(stage, ())}
    if hint not in known:
        raise TypeError(
            f"{function.__module__}.{function.__qualname__}: annotate its first parameter with what it is "
            f"given in stage {stage}, one of {', '.join(noun.__name__ for noun in known)}; found {hint}"
        )
    return known[hint]


def _options(function: Callable[..., Any]) -> tuple[Option, ...]:
    hints = typing.get_type_hints(function)
    keyword_only = [p for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
    return tuple(_option(p.name, hints[p.name], p.default) for p in keyword_only)


def _option(name: str, hint: Any, default: Any) -> Option:
    if typing.get_origin(hint) in (typing.Union, UnionType):
        hint = next(kind for kind in typing.get_args(hint) if kind is not type(None))
    if typing.get_origin(hint) is Literal:
        return Option(name, str, default, typing.get_args(hint))
    if hint not in (bool, int, float, str):
        raise TypeError(f"option {name}: {hint} is none of bool, int, float, str, Literal")
    return Option(name, hint, default)


def _parse_value(kind: type, text: str) -> Any:
    if kind is bool:
        return {"true": True, "false": False}[text]
    if kind is int:
        matched = re.fullmatch(r"(-?[0-9]+)([A-Za-z]*)", text)
        if matched is None:
            raise ValueError(text)
        return int(matched[1]) * _UNITS[matched[2]]
    return kind(text)


def _canonical_text(option: Option, value: Any) -> str:
    """Sizes stand in the unit that leaves the smallest number: `1073741824` and `1GiB` are one case, and 16GB
    are not 15625000KiB."""
    if option.kind is int and value and option.name.endswith(("memory", "budget", "bytes")):
        whole = [
            (value // size, unit) for unit, size in _UNITS.items() if len(unit) > 1 and value % size == 0
        ]
        if whole:
            return "{}{}".format(*min(whole))
    return option.text(value)


def included(kernel: Path) -> list[Path]:
    """The headers of impl/cuda/ that a .cu file includes in quotes, directly or not, sorted."""
    found: set[Path] = set()
    todo = [kernel]
    while todo:
        names = re.findall(r'^\s*#\s*include\s+"(.+?)"', todo.pop().read_text(), re.MULTILINE)
        todo += (new := {HEADERS / name for name in names} - found)
        found |= new
    return sorted(found)


@functools.cache
def _source_texts(function: Callable[..., Any], takes: type, kernels: tuple[str, ...]) -> tuple[str, ...]:
    """What a source hash is of, in an order that does not depend on where it lies."""
    definitions = _definitions(function, takes)
    folder = Path(inspect.getfile(function)).parent
    files = {(folder / name).resolve() for name in kernels} | kernels_of(definitions)
    texts = {path for kernel in files for path in (kernel, *included(kernel))}
    return (
        takes.__name__,
        *sorted(definition.text for definition in definitions),
        *sorted(syntax.cuda_text(path.read_text()) for path in texts),
    )


def kernels_of(definitions: Iterable[syntax.Definition]) -> set[Path]:
    """The .cu files that definitions name, each beside the module that names it."""
    return {
        (definition.path.parent / text).resolve()
        for definition in definitions
        for text in definition.strings
        if text.endswith(".cu")
    }


def _definitions(function: Callable[..., Any], takes: type) -> frozenset[syntax.Definition]:
    return _reached(function).union(*(_reached(maker) for maker in _makers_of(takes)))


def _reached(function: Callable[..., Any]) -> frozenset[syntax.Definition]:
    return syntax.reached(Path(inspect.getfile(function)), function.__name__)


def _makers_of(noun: type) -> list[Callable[..., Any]]:
    """What makes a noun, and the nouns that it is made of."""
    maker = _makers.get(noun)
    if maker is None:
        return []
    parts = [hint for name, hint in typing.get_type_hints(maker).items() if name != "return"]
    return [maker, *(inner for part in parts for inner in _makers_of(part))]
