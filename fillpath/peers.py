"""Other people's libraries: config/peers.yaml says which, this file where each lies on this machine.

A library is not loaded to learn its version, which a record's key holds: a process that only asks would die
of one that crashes.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from fillpath.errors import ConfigError, UnavailableError, UnknownNameError, suggest
from fillpath.paths import CONFIG
from fillpath.settings import settings

FILE = CONFIG / "peers.yaml"
# Where a system keeps its libraries, the user's own first.
_FOLDERS = ("local/lib", "lib/*-linux-gnu", "lib64", "lib")


@dataclass(frozen=True)
class Peer:
    """Another author's library.

    name : as in the versions of a record
    title, licence, size, seen : words of docs/peers.md: its name, its licence, what is fetched, and which
        versions have been tried
    command : what brings it, in a line
    package : of PyPI; empty where it is in none
    file : a regular expression of the shared library's name; empty where the package is imported
    setting : the variable that names the file
    mpi : whether it is called on ranks, through mpi4py
    """

    name: str
    title: str
    licence: str
    size: str
    seen: str
    command: str
    package: str = ""
    file: str = ""
    setting: str = ""
    mpi: bool = False

    @property
    def is_packaged(self) -> bool:
        """Whether the library is the one inside its package."""
        return self.version() is not None and self.library() in self._in_package()

    def library(self) -> Path:
        """The file to load. Raises UnavailableError, naming the command that brings it."""
        named: Path | None = getattr(settings(), self.name) if self.setting else None
        if named is not None:
            return named
        place = next(self._places(), None)
        if place is None:
            raise UnavailableError(self._lacking())
        return place

    def version(self) -> str | None:
        """That of the package, or the number in the library's file name, or, without one, a hash of the file;
        None where there is no library."""
        if not self.file:
            return _package_version(self.package)
        try:
            place = self.library()
        except UnavailableError:
            return None
        inside = place in self._in_package()
        return _package_version(self.package) if inside else _file_version(place.resolve())

    def installed(self) -> tuple[bool, str]:
        """(whether it is there, the reason if not). Never raises."""
        there = self.version() is not None
        return there, "" if there else self._lacking()

    def available(self) -> tuple[bool, str]:
        """As `installed`, with what calls it. Never raises."""
        if self.version() is None:
            return self.installed()
        if self.mpi and _package_version("mpi4py") is None:
            return False, f"{self.title} is called through mpi4py: .venv/bin/pip install -e '.[mpi]'"
        return True, ""

    def _lacking(self) -> str:
        named = f", or name its library by {self.setting}" if self.setting else ""
        return f"{self.title} is not installed: {self.command}{named}"

    def _places(self) -> Iterator[Path]:
        """Where it lies: in its package, or among the libraries of the system, the newest first."""
        yield from self._in_package()
        for folder in _folders():
            matching = [path for path in folder.glob("lib*") if re.fullmatch(self.file, path.name)]
            yield from sorted(matching, key=_numbers, reverse=True)

    def _in_package(self) -> list[Path]:
        if not self.package:
            return []
        try:
            files = importlib.metadata.files(self.package) or []
        except importlib.metadata.PackageNotFoundError:
            return []
        return [Path(str(file.locate())) for file in files if re.fullmatch(self.file, file.name)]


@functools.cache
def peers() -> Mapping[str, Peer]:
    """Every peer by its name. Raises ConfigError for a file that does not say what a peer is."""
    read: Mapping[str, Mapping[str, Any]] = yaml.safe_load(FILE.read_text())
    try:
        return {name: Peer(name, **fields) for name, fields in read.items()}
    except TypeError as error:
        raise ConfigError(f"{FILE}: {error}") from None


def peer(name: str) -> Peer:
    """The peer of that name. Raises UnknownNameError."""
    if name not in peers():
        raise UnknownNameError(
            f"no peer {name!r}{suggest(name, peers())}: {FILE.name} has {', '.join(peers())}"
        )
    return peers()[name]


def versions() -> dict[str, str]:
    """The version of each peer that is there."""
    known = {name: each.version() for name, each in peers().items()}
    return {name: version for name, version in known.items() if version is not None}


def _package_version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


@functools.cache
def _file_version(path: Path) -> str:
    number = re.search(r"\d+(\.\d+)+", path.name)
    return number[0] if number else f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"


def _folders() -> list[Path]:
    named = [Path(folder) for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder]
    usual = [folder for pattern in _FOLDERS for folder in sorted(Path("/usr").glob(pattern))]
    return [*named, *usual]


def _numbers(path: Path) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", path.name))
