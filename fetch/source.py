"""Where the matrix of an id comes from, and the matrix itself."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fetch import generate, local, matrixmarket, suitesparse
from fetch.matrix_id import Generated, InCollection, LocalFile, MatrixId, Unobtainable
from fetch.matrixmarket import MatrixFile
from fetch.names import Spec
from fetch.room import require_memory
from fillpath.errors import InputError
from fillpath.nouns import content_hash
from fillpath.syntax import module_text

# The modules that decide the values of a generated matrix.
_GENERATORS = ("generate", "graphs", "grids", "meshes", "names", "networks", "random_patterns")

_log = logging.getLogger("fillpath")


@dataclass(frozen=True)
class Source:
    """Where a matrix comes from.

    name : as in the collection, of the file, or of the generated matrix
    path : of its .mtx file, None for a generated matrix
    checksum : SHA-256 of the archive or file; for a generated matrix, of its name and the generators' code
    field : of its values: real, integer, complex or pattern
    shown : what errors call its file
    """

    name: str
    path: Path | None
    checksum: str
    field: str
    shown: str = ""


@dataclass(frozen=True, eq=False)
class Loaded(MatrixFile):
    """A matrix before its preparation.

    source : name in the collection, of the file, or of the generated matrix
    checksum : SHA-256 of the archive or file, or of the content of a generated matrix
    """

    source: str
    checksum: str

    @property
    def entries(self) -> int:
        """Count the stored entries."""
        return int(self.matrix.nnz)


def locate(matrix: MatrixId) -> Source:
    """Find where the matrix comes from. Downloads it if necessary, but reads only its header.

    Raises InputError for a matrix that cannot be obtained, TransferError, DiskFullError.
    """
    match matrix:
        case Generated(spec):
            return Source(spec.name, None, _generator_hash(spec), field="real")
        case LocalFile(name):
            path, shown = local.local_path(name), local.given_name(name)
            field = matrixmarket.read_field(path, shown)
            return Source(path.name, path, local.file_hash(path), field, shown)
        case InCollection(_, group, name, sha256):
            archive = suitesparse.fetch(group, name, sha256)
            level = logging.DEBUG if archive.how == "reused" else logging.INFO
            _log.log(level, "%s/%s: %s", group, name, archive.message)
            field = matrixmarket.read_field(archive.path)
            return Source(f"{group}/{name}", archive.path, archive.sha256, field)
        case Unobtainable(text, reason):
            raise InputError(f"matrix {text} cannot be obtained: {reason}")


def load(matrix: MatrixId) -> Loaded:
    """Generate the matrix, or fetch and read it.

    Raises what `locate` raises, InputError for a file that is not valid, MemoryBudgetError for a matrix that
    this machine has too little memory to prepare.
    """
    if isinstance(matrix, Generated):
        return _generated(matrix.spec)
    source = locate(matrix)
    assert source.path is not None
    file = matrixmarket.read(source.path, source.shown)
    return Loaded(file.matrix, file.field, source.name, source.checksum)


def forget_failure(matrix: MatrixId) -> None:
    """Let the next `locate` of that matrix try at once, even if one failed a moment ago."""
    if isinstance(matrix, InCollection):
        suitesparse.forget_failure(matrix.group, matrix.name)


def _generator_hash(spec: Spec) -> str:
    code = [module_text(Path(__file__).with_name(f"{module}.py")) for module in _GENERATORS]
    return content_hash(spec.name, np.__version__, *code)


def _generated(spec: Spec) -> Loaded:
    require_memory(f"matrix {spec.name}", spec.order, spec.least_entries, spec.least_entries)
    matrix = generate.generate(spec)
    checksum = content_hash(matrix.indptr, matrix.indices, matrix.data)
    return Loaded(matrix, "real", spec.name, checksum)
