"""The part of a record's key that follows the code of impl/, and a cache of its hashes.

`fillpath.syntax` decides when two codes are the same. This module decides which code counts: the code of an
implementation, and of the makers of its noun in impl/inputs.py.

Following all of the code takes seconds, so each hash is kept in a file below .fillpath/sources/<state>/. The
state hashes every file that a source hash may follow: an edit makes another state. The cache can be removed
at any time.

    source_hash(function, takes, kernels, library)    # 64 hexadecimal digits
"""

import contextlib
import functools
import inspect
import re
import shutil
import typing
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from fillpath import peers, syntax
from fillpath.nouns import content_hash
from fillpath.paths import ROOT, WORK, write_text

# The folder of the headers that kernels include in quotes.
HEADERS = ROOT / "impl" / "cuda"
Maker = TypeVar("Maker", bound=Callable[..., Any])

_ROOM = ROOT / syntax.ROOM
# Modules that decide how code is followed and written down.
_FOLLOWED_BY = (Path(__file__), Path(syntax.__file__))
_HASH = re.compile("[0-9a-f]{64}")

# Functions of impl/inputs.py, by the noun that each makes.
_makers: dict[type, Callable[..., Any]] = {}


@functools.cache
def source_hash(
    function: Callable[..., Any], takes: type, kernels: tuple[str, ...], library: tuple[str, ...]
) -> str:
    """Return the hash of `texts` and of a peer's version, kept in a file where all code lies in impl/."""
    files = (Path(inspect.getfile(each)) for each in (function, *makers_of(takes)))
    if not all(_ROOM in file.parents for file in files):
        return content_hash(*library, *texts(function, takes, kernels))
    words = (function.__module__, function.__qualname__, takes.__name__, *kernels)
    path = WORK / "sources" / state() / content_hash("\n".join(words), *library)
    with contextlib.suppress(OSError):
        if _HASH.fullmatch(kept := path.read_text()):
            return kept
    made = content_hash(*library, *texts(function, takes, kernels))
    # A hash that cannot be kept is made again.
    with contextlib.suppress(OSError):
        if not path.parent.is_dir():
            # The first hash of this state: those of other states are stale.
            shutil.rmtree(path.parents[1], ignore_errors=True)
        write_text(path, made)
    return made


@functools.cache
def state() -> str:
    """Return a hash of every file that decides a hash of sources."""
    python = sorted(_ROOM.rglob("*.py"))
    cuda = sorted(path for kind in ("*.cu", "*.cuh") for path in _ROOM.rglob(kind))
    names = [str(path.relative_to(ROOT)) for path in (*python, *cuda, *_FOLLOWED_BY)]
    return content_hash(
        *names, *map(syntax.source_of, python), *(path.read_bytes() for path in (*cuda, *_FOLLOWED_BY))
    )


def definitions(function: Callable[..., Any], takes: type) -> frozenset[syntax.Definition]:
    """Return the definitions within impl/ that a function and the makers of its noun reach."""
    return _reached(function).union(*(_reached(maker) for maker in makers_of(takes)))


@functools.cache
def texts(function: Callable[..., Any], takes: type, kernels: tuple[str, ...]) -> tuple[str, ...]:
    """Return the code that decides what an implementation computes, in an order without its place.

    takes : type, the noun that it is given
    kernels : tuple of str, .cu files as they lie from its module
    """
    python = definitions(function, takes)
    cuda = {*kernel_paths(function, kernels), *kernels_of(python)}
    files = {path for kernel in cuda for path in (kernel, *included(kernel))}
    return (
        takes.__name__,
        *sorted(definition.text for definition in python),
        *sorted(syntax.cuda_text(path.read_text()) for path in files),
    )


def kernel_paths(function: Callable[..., Any], kernels: Iterable[str]) -> list[Path]:
    """Return the .cu files that an implementation names, as they lie from its module."""
    folder = Path(inspect.getfile(function)).parent
    return [(folder / name).resolve() for name in kernels]


def kernels_of(definitions: Iterable[syntax.Definition]) -> set[Path]:
    """Return the .cu files that definitions name, each in the folder of its module."""
    return {
        (definition.path.parent / text).resolve()
        for definition in definitions
        for text in definition.strings
        if text.endswith(".cu")
    }


def included(kernel: Path) -> list[Path]:
    """Return the headers of impl/cuda/ that a .cu file includes in quotes, directly or not, sorted."""
    headers: set[Path] = set()
    todo = [kernel]
    while todo:
        names = re.findall(r'^\s*#\s*include\s+"(.+?)"', todo.pop().read_text(), re.MULTILINE)
        todo += (new := {HEADERS / name for name in names} - headers)
        headers |= new
    return sorted(headers)


def versions(names: Iterable[str], recorded: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the versions of those libraries that are there.

    names : iterable of str, peers or packages
    recorded : mapping, version by name where a measurement was made; None: as installed here
    """
    known = peers.peers()
    if recorded is None:
        found = [known[name].version() if name in known else peers.package_version(name) for name in names]
    else:
        found = [known[n].recorded_version(recorded) if n in known else recorded.get(n) for n in names]
    return tuple(version for version in found if version is not None)


def _reached(function: Callable[..., Any]) -> frozenset[syntax.Definition]:
    return syntax.reached(Path(inspect.getfile(function)), function.__name__)


def maker(function: Maker) -> Maker:
    """Register the function that makes the noun it returns, of the nouns that it takes."""
    _makers[typing.get_type_hints(function)["return"]] = function
    return function


def maker_of(noun: type) -> Callable[..., Any] | None:
    """Return the function that makes a noun; None for one that comes with the prepared matrix."""
    return _makers.get(noun)


def parts_of(function: Callable[..., Any]) -> Mapping[str, type]:
    """Return the nouns that a maker takes, by parameter."""
    return {name: noun for name, noun in typing.get_type_hints(function).items() if name != "return"}


def makers_of(noun: type) -> list[Callable[..., Any]]:
    """Return the functions that make a noun and the nouns that it is made of."""
    function = maker_of(noun)
    if function is None:
        return []
    return [function, *(inner for part in parts_of(function).values() for inner in makers_of(part))]
