"""config/matrices.csv, and the way from what a user types to a matrix.

A matrix id is what a case's name holds: a catalogue id (`bcsstk18`), a generated name (`poisson3d,16`),
`Group+Name` for the rest of the collection, `local+stem-sha` for a file of one's own.
"""

from __future__ import annotations

import csv
import functools
import gzip
import hashlib
import json
import logging
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import jsonschema
import numpy as np
from scipy.sparse import csr_array

from fetch import collection, generate, graphs, matrixmarket, suitesparse
from fetch.room import require_memory
from fetch.unpack import MAX_MATRIX
from fillpath.case import matrix_id
from fillpath.errors import ConfigError, InputError, UnknownNameError, suggest
from fillpath.nouns import content_hash
from fillpath.paths import CONFIG, atomic_write, cache

_BLOCK = 1 << 20
_IN_COLLECTION = re.compile(r"([A-Za-z0-9][A-Za-z0-9_.-]*)[/+]([A-Za-z0-9][A-Za-z0-9_.+-]*)")
_LOCAL = re.compile(r"local\+([A-Za-z0-9_-]+-[0-9a-f]{12})")

_log = logging.getLogger("fillpath")


@dataclass(frozen=True)
class Entry:
    """A row of the catalogue. nnz leaves explicit zeros out, nnz_with_zeros counts them; both count
    symmetric entries twice. papers : that print it, lower_in : those that print its lower triangle only.
    stands_for : ids of paper matrices of its kind. suite : embedded, small or papers. sha256 : of the
    collection's archive, empty if not recorded."""

    id: str
    group: str
    name: str
    order: int | None
    nnz: int | None
    nnz_with_zeros: int | None
    kind: str
    papers: tuple[str, ...]
    lower_in: tuple[str, ...]
    stands_for: tuple[str, ...]
    suite: str
    sha256: str

    @property
    def obtainable(self) -> bool:
        """Whether the matrix can be downloaded or generated."""
        return bool(self.group) or self.name.partition(":")[0] in generate.GRAMMAR


@dataclass(frozen=True)
class Source:
    """Where a matrix comes from. path : of its .mtx file, None if it is generated. checksum : SHA-256 of the
    archive or file; of the canonical name and the generator's source if it is generated. field : of its
    values: real, integer, complex or pattern."""

    name: str
    path: Path | None
    checksum: str
    field: str


@dataclass(frozen=True, eq=False)
class Loaded:
    """A matrix before its preparation. matrix : n x n float64 CSR, rows sorted, explicit zeros kept.

    field : real, integer, complex (the values are moduli) or pattern (they are 1). entries : stored ones,
    explicit_zeros of them 0. source : where it came from. checksum : SHA-256 of the archive or file, of the
    content if it is generated.
    """

    matrix: csr_array
    field: str
    explicit_zeros: int
    entries: int
    source: str
    checksum: str


@functools.cache
def entries() -> tuple[Entry, ...]:
    """The catalogue, in the file's order. Raises ConfigError naming the line."""
    return read_entries(CONFIG / "matrices.csv")


def read_entries(path: Path) -> tuple[Entry, ...]:
    """The rows of a catalogue file, each valid under config/schemas/matrices.json.

    Raises ConfigError naming the file and line: unreadable, an invalid row, an id that stands twice, a
    stand-in for an id that no row has.
    """
    schema = jsonschema.Draft202012Validator(json.loads((CONFIG / "schemas" / "matrices.json").read_text()))
    numbered = list(_rows(path, schema))
    known: dict[str, int] = {}
    for line, entry in numbered:
        if entry.id in known:
            raise ConfigError(f"{path}:{line}: id {entry.id!r} stands on line {known[entry.id]} already")
        known[entry.id] = line
    for line, entry in numbered:
        unknown = [word for word in entry.stands_for if word not in known]
        if unknown:
            hint = suggest(unknown[0], known)
            raise ConfigError(f"{path}:{line}: stands_for {unknown[0]!r} is no id{hint}")
    return tuple(entry for _, entry in numbered)


def lookup(text: str) -> Entry:
    """The entry of that id, Group/Name, or name. Raises UnknownNameError with suggestions."""
    found = _find(text)
    if found is None:
        raise UnknownNameError(f"matrix {text!r} is not in the catalogue{_suggestion(text)}")
    return found


def resolve(text: str) -> str:
    """The matrix id for whatever a user types; a file is copied into the cache.

    Accepts a catalogue id, name or Group/Name, a generated name, Group/Name of the collection, a name that
    the index at hand holds once, a path to an .mtx or .mtx.gz file. Raises UnknownNameError with
    suggestions, InputError for a path that is no file.
    """
    if _looks_like_path(text):
        return _adopt(Path(text).expanduser())
    found = _find(text)
    if found is not None:
        return found.id
    if generate.is_generated(text):
        return matrix_id(generate.canonical(text))
    matched = _IN_COLLECTION.fullmatch(text)
    if matched is None:
        return _by_bare_name(text)
    if matched[1] == "local":
        _local_path(text)
    return f"{matched[1]}+{matched[2]}"


def locate(matrix: str) -> Source:
    """Where the matrix of that id comes from, downloaded if need be, but not read.

    Raises UnknownNameError, InputError for what cannot be had, TransferError.
    """
    if generate.is_generated(matrix):
        name = generate.canonical(matrix)
        code = [Path(str(module.__file__)).read_bytes() for module in (generate, graphs)]
        return Source(name, None, content_hash(name, np.__version__, *code), field="real")
    if matrix.startswith("local+"):
        path = _local_path(matrix)
        return Source(path.name, path, _file_hash(path), matrixmarket.read_field(path))
    group, name, sha256 = _place(matrix)
    got = suitesparse.fetch(group, name, sha256)
    _log.log(logging.DEBUG if got.how == "reused" else logging.INFO, "%s/%s: %s", group, name, got.told)
    field = matrixmarket.read_field(got.path)
    return Source(f"{group}/{name}", got.path, got.sha256, field)


def entry_of(matrix: str) -> Entry | None:
    """The entry of that id, None for a matrix that the catalogue does not hold."""
    return _find(matrix)


def download(
    matrix: str, *, offline: bool = False, trust_change: bool = False
) -> suitesparse.Download | None:
    """The matrix of that id, downloaded if need be and whatever failed a moment ago; None for one that does
    not come from the collection. offline, trust_change : see `suitesparse.fetch`. Raises as `locate`."""
    if not _of_collection(matrix):
        return None
    group, name, sha256 = _place(matrix)
    suitesparse.forget_failure(group, name)
    return suitesparse.fetch(group, name, sha256, offline=offline, trust_change=trust_change)


def forget_failure(matrix: str) -> None:
    """Let the next `locate` of that matrix try at once, whatever failed a moment ago."""
    if _of_collection(matrix):
        group, name, _ = _place(matrix)
        suitesparse.forget_failure(group, name)


def load(matrix: str) -> Loaded:
    """The matrix of that id: generated, or fetched and read. Raises as `locate`, InputError, and
    MemoryBudgetError for one that this machine has too little memory to prepare."""
    source = locate(matrix)
    if source.path is None:
        spec = generate.parse(source.name)
        require_memory(f"matrix {source.name}", spec.order, spec.least_entries, spec.least_entries)
        made = generate.generate(source.name)
        checksum = content_hash(made.indptr, made.indices, made.data)
        return Loaded(made, "real", 0, made.nnz, source.name, checksum)
    read = matrixmarket.read(source.path)
    entries = read.matrix.nnz
    return Loaded(read.matrix, read.field, read.explicit_zeros, entries, source.name, source.checksum)


def _rows(path: Path, schema: jsonschema.Draft202012Validator) -> Iterator[tuple[int, Entry]]:
    try:
        with path.open(newline="") as handle:
            reader = csv.DictReader(handle, restkey="surplus")
            for row in reader:
                yield reader.line_num, _entry(row, schema, f"{path}:{reader.line_num}")
    except OSError as problem:
        raise ConfigError(f"{path}: {problem.strerror}") from None


def _entry(row: dict[str, Any], schema: jsonschema.Draft202012Validator, where: str) -> Entry:
    typed: dict[str, Any] = {key: _typed(key, text) for key, text in row.items()}
    problem = next(iter(sorted(schema.iter_errors(typed), key=str)), None)
    if problem is not None:
        column = "/".join(str(part) for part in problem.absolute_path)
        raise ConfigError(f"{where}: {column + ': ' if column else ''}{problem.message}")
    typed |= {key: tuple(typed[key]) for key in ("papers", "lower_in", "stands_for")}
    return Entry(**typed)


def _typed(key: str, text: Any) -> Any:
    if key in ("papers", "lower_in", "stands_for") and isinstance(text, str):
        return [word for word in text.split(";") if word]
    if key in ("order", "nnz", "nnz_with_zeros") and isinstance(text, str):
        return int(text) if re.fullmatch(r"[0-9]+", text) else (text or None)
    return text


@functools.cache
def _index() -> dict[str, Entry]:
    spellings: dict[str, Entry] = {}
    for entry in entries():
        spellings[entry.name] = entry
        if entry.group:
            spellings[f"{entry.group}/{entry.name}"] = entry
            spellings[f"{entry.group}+{entry.name}"] = entry
    return {**spellings, **{entry.id: entry for entry in entries()}}


def _find(text: str) -> Entry | None:
    found = _index().get(text)
    if found is None and generate.is_generated(text):
        return _index().get(generate.canonical(text))
    return found


def _of_collection(matrix: str) -> bool:
    entry = _find(matrix)
    if entry is not None:
        return bool(entry.group)
    return not generate.is_generated(matrix) and not matrix.startswith("local+")


def _place(matrix: str) -> tuple[str, str, str]:
    """Group and name in the collection, sha256 of the archive or an empty string."""
    entry = _find(matrix)
    if entry is None:
        return *_split(matrix), ""
    if not entry.obtainable:
        raise InputError(f"matrix {entry.id} cannot be had: {entry.kind}")
    return entry.group, entry.name, entry.sha256


def _by_bare_name(text: str) -> str:
    """The id of the one matrix in the index at hand that is called so."""
    found = [f"{listed.group}/{listed.name}" for listed in collection.known() if listed.name == text]
    if len(found) == 1:
        return found[0].replace("/", "+")
    if found:
        raise UnknownNameError(f"matrix {text!r}: the collection holds {' and '.join(found)}; say which")
    raise UnknownNameError(
        f"matrix {text!r} is not in the catalogue{_suggestion(text)}; "
        "Group/Name, a generator such as poisson3d:16, or a path to an .mtx file work too"
    )


def _suggestion(text: str) -> str:
    known = [word for word in _index() if "+" not in word]
    known += [f"{listed.group}/{listed.name}" for listed in collection.known()]
    same = [word for word in known if text.lower() in (word.lower(), word.lower().partition("/")[2])]
    return f"; did you mean {same[0]}?" if same else suggest(text, known)


def _split(matrix: str) -> tuple[str, str]:
    matched = _IN_COLLECTION.fullmatch(matrix)
    if matched is None:
        raise UnknownNameError(f"matrix {matrix!r} is not in the catalogue{_suggestion(matrix)}")
    return matched[1], matched[2]


def _looks_like_path(text: str) -> bool:
    return text.endswith((".mtx", ".mtx.gz")) or text.count("/") > 1 or text.startswith((".", "/", "~"))


def _adopt(path: Path) -> str:
    """Copy a file into the cache under its content's hash; its id."""
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    if not path.name.endswith((".mtx", ".mtx.gz")):
        raise InputError(f"{path}: not an .mtx or .mtx.gz file")
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", path.name.removesuffix(".gz").removesuffix(".mtx")).strip("-")
    name = f"{stem or 'matrix'}-{_file_hash(path)[:12]}"
    target = cache() / "local" / f"{name}.mtx"
    if not target.is_file():
        with atomic_write(target, "wb") as handle:
            for block in _blocks(path):
                cast(IO[bytes], handle).write(block)
    return f"local+{name}"


def _local_path(matrix: str) -> Path:
    matched = _LOCAL.fullmatch(matrix)
    path = cache() / "local" / f"{matched[1]}.mtx" if matched else None
    if path is None or not path.is_file():
        raise InputError(f"matrix {matrix!r} is not in this cache; give the path of its .mtx file instead")
    return path


def _file_hash(path: Path) -> str:
    """SHA-256 of the file's content, decompressed."""
    digest = hashlib.sha256()
    for block in _blocks(path):
        digest.update(block)
    return digest.hexdigest()


def _blocks(path: Path) -> Iterator[bytes]:
    size = 0
    try:
        with gzip.open(path) if path.name.endswith(".gz") else path.open("rb") as handle:
            while block := handle.read(_BLOCK):
                size += len(block)
                if size > MAX_MATRIX:
                    raise InputError(f"{path}: larger than {MAX_MATRIX} bytes")
                yield block
    except (OSError, EOFError, zlib.error) as problem:
        raise InputError(f"{path}: cannot be read: {problem}") from None
