"""The prepared matrix as a cached artefact, which `impl/preparation/` makes.

prepare("bcsstk18", Preparation("none", "metis")).pattern.n    # 11948
"""

from __future__ import annotations

import contextlib
import json
import logging
import zipfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import scipy
from scipy.sparse import coo_array, csr_array

from fetch import lines, matrixmarket, source
from fetch.matrix_id import Generated, MatrixId, parse
from fetch.source import Loaded, load, locate
from fillpath.case import Preparation
from fillpath.errors import InputError, UnsupportedError
from fillpath.nouns import Pattern, Prepared, Provenance, Raw, content_hash
from fillpath.paths import atomic_write, cache, require_space
from fillpath.source_hashes import source_hash
from fillpath.syntax import module_text
from impl.preparation import ordering
from impl.preparation.prepare import prepare as arrange

PREPARE_VERSION = 1
# Modules that decide an artefact's content, with this module and all that `arrange` reaches. A change of
# their code makes a new artefact. The generators are in the matrix's checksum.
_MAKERS = (lines, matrixmarket, source)
_ARRAYS = ("row_permutation", "column_permutation", "row_scale", "column_scale")

# The errors that reading a damaged archive may raise.
_UNREADABLE = (OSError, EOFError, ValueError, KeyError, TypeError, RuntimeError, zipfile.BadZipFile)

_log = logging.getLogger("fillpath")


def prepare(matrix_id: str, preparation: Preparation, seed: int = 0) -> Prepared:
    """Return the prepared matrix from the cache, or make and store it; a damaged artefact is made again.

    matrix_id : as in a case's name
    preparation : matching, ordering, and what becomes of zeros
    seed : of orderings that are random, and of the values of a pattern

    Raises what `fetch.source.load` raises, and:

    UnknownNameError : the id is none
    InputError : the matrix cannot be read, or is structurally singular under mc64
    UnsupportedError : the matrix does not have the ordering
    UnavailableError : the library of the ordering is missing
    DiskFullError : the artefact has no room
    """
    matrix = parse(matrix_id)
    path = _artefact_path(matrix, preparation, seed)
    if path.is_file():
        try:
            return load_prepared(path)
        except InputError as problem:
            _log.warning("%s; making it again", problem)
    prepared = _make(matrix, load(matrix), preparation, seed)
    _store(path, prepared)
    _log.info("%s.%s: prepared %s", matrix.text, preparation.name, path)
    return prepared


def prepared_path(matrix_id: str, preparation: Preparation, seed: int = 0) -> Path:
    """Return where `prepare` stores the artefact, whose name follows everything that decides its content.

    The matrix's checksum is part of that. So a matrix that is not in the cache is fetched, but only its
    header is read.
    """
    return _artefact_path(parse(matrix_id), preparation, seed)


def _artefact_path(matrix: MatrixId, preparation: Preparation, seed: int) -> Path:
    _require(preparation, matrix)
    origin = locate(matrix)
    seed = seed if _uses_seed(preparation, origin.field) else 0
    files = [Path(__file__), *(Path(cast(str, module.__file__)) for module in _MAKERS)]
    versions = json.dumps(_versions(preparation), sort_keys=True)
    made_by = source_hash(arrange, Raw, (), ())
    about = (matrix.text, origin.checksum, preparation.name, str(seed), str(PREPARE_VERSION))
    words = (*about, versions, made_by, *map(module_text, files))
    return cache() / "prepared" / f"{content_hash(*words)}.npz"


def load_prepared(path: Path) -> Prepared:
    """Read the prepared matrix in an artefact, and compare the archive's checksums.

    Raises InputError if the artefact is missing, truncated or damaged.
    """
    with _opened(path) as (stored, about):
        pattern = Pattern(stored["indptr"], stored["indices"])
        arrays = {name: stored[name] for name in _ARRAYS}
        provenance = Provenance(**about["provenance"])
        return Prepared(pattern, stored["values"], **arrays, provenance=provenance, hash=about["hash"])


def prepared_hash(path: Path) -> str:
    """Read the hash of the prepared matrix in an artefact, and nothing else of it.

    Raises InputError if the artefact is missing or damaged.
    """
    with _opened(path) as (_, about):
        return str(about["hash"])


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[tuple[Any, dict[str, Any]]]:
    try:
        with np.load(path, allow_pickle=False) as stored:
            yield stored, json.loads(str(stored["about"]))
    except _UNREADABLE as problem:
        raise InputError(f"{path}: not a readable prepared matrix: {problem}") from None


def _store(path: Path, prepared: Prepared) -> None:
    about = json.dumps({"provenance": asdict(prepared.provenance), "hash": prepared.hash}, sort_keys=True)
    arrays: dict[str, Any] = {name: getattr(prepared, name) for name in _ARRAYS}
    arrays |= {"indptr": prepared.pattern.indptr, "indices": prepared.pattern.indices}
    stored = [*arrays.values(), prepared.values]
    require_space(path.parent, sum(array.nbytes for array in stored))
    with atomic_write(path, "wb") as handle:
        np.savez(cast(IO[bytes], handle), about=np.array(about), values=prepared.values, **arrays)


def raw_of(provenance: Provenance) -> Raw:
    """Return the matrix that an artefact was made of, as it comes. Raises what `fetch.source.load` raises."""
    matrix = parse(provenance.matrix)
    return _raw(matrix, load(matrix), Preparation.parse(provenance.preparation), provenance.seed)


def _raw(matrix: MatrixId, loaded: Loaded, preparation: Preparation, seed: int) -> Raw:
    given = loaded.matrix
    pattern = Pattern(given.indptr.astype(np.int64), given.indices.astype(np.int32))
    side, dimensions = _grid(matrix) or (0, 0)
    return Raw(pattern, given.data, loaded.field, matrix.text, preparation, seed, side, dimensions)


def _grid(matrix: MatrixId) -> tuple[int, int] | None:
    """Return the points along a side of a generated grid and its dimensions; None for any other matrix."""
    spec = matrix.spec if isinstance(matrix, Generated) else None
    dimensions = {"poisson3d": 3, "grid2d": 2}.get(spec.generator, 0) if spec is not None else 0
    return (spec.size, dimensions) if spec is not None and dimensions else None


def _require(preparation: Preparation, matrix: MatrixId) -> None:
    """Refuse what cannot be ordered, before anything is fetched or read."""
    ordering.require(preparation.ordering)
    if preparation.ordering == "geometric" and _grid(matrix) is None:
        raise UnsupportedError(
            f"{matrix.text}: ordering geometric needs a generated grid (poisson3d:k or grid2d:k); "
            "choose metis for any other matrix"
        )


def _make(matrix: MatrixId, loaded: Loaded, preparation: Preparation, seed: int) -> Prepared:
    made, _ = arrange(_raw(matrix, loaded, preparation, seed))
    provenance = Provenance(
        matrix=matrix.text,
        preparation=preparation.name,
        source=loaded.source,
        checksum=loaded.checksum,
        matching=made.matching,
        ordering=made.ordering,
        seed=seed if _uses_seed(preparation, loaded.field) else 0,
        versions=_versions(preparation),
        synthetic_values=loaded.field == "pattern",
        explicit_zeros=loaded.explicit_zeros,
        entries=loaded.entries,
        diagonal_added=made.diagonal_added,
        diagonal=float(preparation.diagonal),
        field=loaded.field,
        structural_symmetry=_structural_symmetry(loaded.matrix),
    )
    digest = content_hash(made.pattern.indptr, made.pattern.indices, made.values)
    places = (made.row_permutation, made.column_permutation, made.row_scale, made.column_scale)
    return Prepared(made.pattern, made.values, *places, provenance=provenance, hash=digest)


def _uses_seed(preparation: Preparation, field: str) -> bool:
    return field == "pattern" or preparation.ordering in ordering.SEEDED


def _versions(preparation: Preparation) -> dict[str, str]:
    """Return the versions of the libraries that decide this artefact's content."""
    always = {"numpy": np.__version__, "scipy": scipy.__version__}
    return always | ordering.libraries(preparation.ordering)


def _structural_symmetry(matrix: csr_array) -> float:
    """Compute the share of mirrored entries as the collection does.

    Explicit zeros are entries, the diagonal is left out.
    """
    rows, columns = coo_array(matrix).coords
    off = rows != columns
    entries = int(np.count_nonzero(off))
    if entries == 0:
        return 1.0
    ones = csr_array((np.ones(entries, np.int8), (rows[off], columns[off])), shape=matrix.shape)
    return int(ones.multiply(csr_array(ones.T)).nnz) / entries
