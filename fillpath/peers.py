"""Other people's libraries: config/peers.yaml lists them, this file finds them on this machine.

A library is not loaded to learn its version, which a record's key holds: a process that only asks would die
of one that crashes.

    peer("hypre").available()   # (False, the reason), where it is not installed
"""

import functools
import hashlib
import importlib.metadata
import itertools
import os
import platform
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fillpath.config import load
from fillpath.errors import UnavailableError, find
from fillpath.paths import CONFIG
from fillpath.settings import settings, variable_of

FILE = CONFIG / "peers.yaml"
# Fields that a peer has as the file has them.
_GIVEN = ("title", "command", "file", "mpi")
_ADVICE = "; the head of config/peers.yaml explains the fields of a peer"
_SYSTEM = Path("/usr")
# Where a system keeps its libraries, the user's own first. Others of lib/*-linux-gnu are another machine's.
_FOLDERS = ("local/lib", f"lib/{platform.machine()}-linux-gnu", "lib64", "lib")
# The version in a library's name: of libx.so.1.2, libx-1.2.so, libx-a1b2c3.so.1.2, which packages have.
_VERSION = re.compile(r"\d+(\.\d+)*(?=$|\.so$)")


@dataclass(frozen=True)
class Peer:
    """Another author's library.

    name : str, as in the versions of a record
    title : str, its name for people
    command : str, a line that installs it
    packages : tuple of str, packages of PyPI that it comes in; the first one that is installed counts
    file : str, a regular expression of the shared library's name; empty where the package is imported
    mpi : bool, whether it is called on ranks, through mpi4py
    declared : mapping, its entry of config/peers.yaml, with the words of docs/peers.md
    """

    name: str
    title: str
    command: str
    packages: tuple[str, ...] = ()
    file: str = ""
    mpi: bool = False
    declared: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def remedy(self) -> str:
        """Return the line that tells how to install the library, or which variable names its file."""
        setting = variable_of(self.name)
        is_named = self.file and setting not in self.command
        return f"{self.command}, or name its library by {setting}" if is_named else self.command

    @property
    def is_packaged(self) -> bool:
        """Return whether the library is the one inside its package."""
        return bool(self.file) and self._found()[1] is not None

    @property
    def package(self) -> str:
        """Return the package that it comes in here; empty where it comes in none, or is not there."""
        distribution = self._found()[1]
        return "" if distribution is None else distribution.name

    def library(self) -> Path:
        """Return the file to load. Raises UnavailableError, naming the command that brings it."""
        place, _ = self._found()
        if place is None:
            raise UnavailableError(self.installed()[1])
        return place

    def version(self) -> str | None:
        """Return the version of its package, else of its file name, else a hash of the file.

        None where there is no library.
        """
        place, distribution = self._found()
        if distribution is not None:
            return distribution.version
        return None if place is None else _file_version(place.resolve())

    def recorded_version(self, versions: Mapping[str, str]) -> str | None:
        """Return the version in a record, None where the peer was not there.

        versions : mapping of a record, by peer, or by package where the peer had no name here yet
        """
        return next((versions[name] for name in (self.name, *self.packages) if name in versions), None)

    def installed(self) -> tuple[bool, str]:
        """Return whether the library is there, and the reason if not. Never raises."""
        there = self.version() is not None
        return there, "" if there else f"{self.title} is not installed: {self.remedy}"

    def available(self) -> tuple[bool, str]:
        """Return `installed`, with the packages that call the library. Never raises."""
        there, why_not = self.installed()
        if there and self.mpi and package_version("mpi4py") is None:
            return False, f"{self.title} is called through mpi4py: .venv/bin/pip install -e '.[mpi]'"
        return there, why_not

    def _found(self) -> tuple[Path | None, importlib.metadata.Distribution | None]:
        """Return the library's file and the package that it comes in here, each None without it.

        The named file counts first, then the package's, then the newest of the first folder with any.
        """
        distributions = [each for each in map(_distribution, self.packages) if each is not None]
        if not self.file:
            return None, next(iter(distributions), None)
        packaged = {
            path: distribution
            for distribution in distributions
            for path in self._matching(Path(str(file.locate())) for file in distribution.files or ())
        }
        named: Path | None = getattr(settings(), self.name)
        users = [Path(folder) for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder]
        folders = [*users, *(_SYSTEM / folder for folder in _FOLDERS)]
        shared = (path for folder in folders for path in self._matching(folder.glob("lib*")))
        place = named or next(itertools.chain(packaged, shared), None)
        return place, packaged.get(place) if place else None

    def _matching(self, paths: Iterable[Path]) -> list[Path]:
        """Return the libraries among these files, the newest first."""
        named = [path for path in paths if re.fullmatch(self.file, path.name) and path.is_file()]
        return sorted(sorted(named), key=_numbers, reverse=True)


@functools.cache
def peers() -> Mapping[str, Peer]:
    """Return every peer by its name.

    Raises ConfigError where the file is damaged, or contradicts config/schemas/peers.json.
    """
    found = {}
    for name, declared in load(FILE, "peers", _ADVICE).items():
        given = {key: declared[key] for key in _GIVEN if key in declared}
        found[name] = Peer(name, **given, packages=tuple(declared.get("packages", ())), declared=declared)
    return found


def peer(name: str) -> Peer:
    """Return the peer of that name. Raises UnknownNameError."""
    return find(name, peers(), "no peer")


def peer_of(names: tuple[str, ...]) -> Peer | None:
    """Return the peer that an implementation names, itself or a package of it; None for none."""
    return next((each for each in peers().values() if {each.name, *each.packages} & set(names)), None)


def versions() -> dict[str, str]:
    """Return the version of each peer that is there."""
    return {name: version for name, each in peers().items() if (version := each.version()) is not None}


def package_version(name: str) -> str | None:
    """Return the version of an installed package of PyPI, None of another."""
    distribution = _distribution(name)
    return None if distribution is None else distribution.version


def _distribution(name: str) -> importlib.metadata.Distribution | None:
    try:
        return importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return None


@functools.cache
def _file_version(path: Path) -> str:
    number = _VERSION.search(path.name)
    if number is not None and "." in number[0]:
        return number[0]
    return f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"


def _numbers(path: Path) -> tuple[int, ...]:
    number = _VERSION.search(path.resolve().name)
    return tuple(map(int, number[0].split("."))) if number else ()
