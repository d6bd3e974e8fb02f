"""Matrix ids, each parsed once into a value. A case's name holds the text of an id.

The kinds are:

    poisson3d,16    a generated matrix
    bcsstk18        a matrix of the catalogue
    HB+bcspwr01     any other matrix of the collection, by group and name
    local+m-1a2b    a file of the user's own, by its stem and the hash of its content
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from fetch import catalogue, collection, local, names
from fillpath.case import matrix_id
from fillpath.errors import UnknownNameError

_IN_COLLECTION = re.compile(r"([A-Za-z0-9][A-Za-z0-9_.-]*)[/+]([A-Za-z0-9][A-Za-z0-9_.+-]*)")
_LOCAL = "local+"
# The endings of files that hold a matrix, read here or not.
_FILE = re.compile(r"\.(mtx|mm|mat|rb|rsa|rua|txt|csv|npz|gz|bz2|xz|zip|tar|tgz)\Z", re.IGNORECASE)


@dataclass(frozen=True)
class Generated:
    """A matrix that its name alone defines."""

    spec: names.Spec

    @property
    def text(self) -> str:
        return matrix_id(self.spec.name)


@dataclass(frozen=True)
class InCollection:
    """A matrix of the SuiteSparse collection. sha256 : of its archive, empty if the catalogue has none."""

    text: str
    group: str
    name: str
    sha256: str = ""


@dataclass(frozen=True)
class LocalFile:
    """A file of the user's own. name : of its copy in the cache."""

    name: str

    @property
    def text(self) -> str:
        return f"{_LOCAL}{self.name}"


@dataclass(frozen=True)
class Unobtainable:
    """A matrix of the catalogue that can be neither downloaded nor generated. reason : why."""

    text: str
    reason: str


MatrixId = Generated | InCollection | LocalFile | Unobtainable


def parse(text: str) -> MatrixId:
    """Parse a matrix id, which may also be written as `poisson3d:16` or `Group/Name`.

    Raises UnknownNameError with suggestions; a path of a file is no id.
    """
    entry = catalogue.find(text)
    if entry is not None and entry.group:
        return InCollection(entry.id, entry.group, entry.name, entry.sha256)
    if entry is not None and not catalogue.obtainable(entry):
        return Unobtainable(entry.id, entry.kind)
    name = entry.name if entry is not None else text
    if names.is_generated(name):
        return Generated(names.parse(name))
    if text.startswith(_LOCAL):
        return LocalFile(text.removeprefix(_LOCAL))
    match = _IN_COLLECTION.fullmatch(text)
    if match is None or _looks_like_path(text):
        raise UnknownNameError(
            f"matrix {text!r} is not in the catalogue{catalogue.suggestion(text)}; "
            "Group/Name, a generator such as poisson3d:16, or a path to an .mtx file work too"
        )
    return InCollection(f"{match[1]}+{match[2]}", match[1], match[2])


def resolve(text: str) -> MatrixId:
    """Parse what a user types; a file is copied into the cache.

    text : the path of an .mtx or .mtx.gz file, else an id as for `parse`, else a name that one matrix of the
        index alone has

    Raises UnknownNameError with suggestions, InputError for a path that is no file.
    """
    path = os.path.expanduser(text)  # noqa: PTH111  Path's own raises for an unknown user.
    if os.path.isfile(path) or _looks_like_path(text):  # noqa: PTH113  Path's own raises for a long name.
        return LocalFile(local.adopt(Path(path)))
    known = catalogue.find(text) or names.is_generated(text) or _IN_COLLECTION.fullmatch(text)
    labels = [] if known else [listed.label for listed in collection.local_index() if listed.name == text]
    if len(labels) > 1:
        raise UnknownNameError(f"matrix {text!r}: the collection holds {' and '.join(labels)}; say which")
    matrix = parse(labels[0] if labels else text)
    if isinstance(matrix, LocalFile):
        local.local_path(matrix.name)
    return matrix


def _looks_like_path(text: str) -> bool:
    """Tell whether a text names a file: no matrix of the collection has such an ending."""
    return bool(_FILE.search(text)) or text.count("/") > 1 or text.startswith((".", "/", "~"))
