"""From a matrix to the matrix that is factorised: matching, scaling, ordering, and a cached artefact.

P_r D_r A D_c P_c: optionally a row matching puts large entries on the diagonal and scales them to 1. Missing
diagonal entries are added as zeros (or as a given value, as PPoPP'23 does for its Table 4). One symmetric
permutation of pattern(A + A^T) reduces fill.

Longer than two screens: all of it decides the content of one artefact, and is read in the order of its steps.
"""

from __future__ import annotations

import importlib.metadata
import json
import logging
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from fetch import compiled, dissection, lines, matching, matrixmarket, ordering, source
from fetch.matrix_id import MatrixId, parse
from fetch.source import Loaded, load, locate
from fetch.vcycle import coarsening, cut, cycle, halves, leaves, separators, splitting, tree
from fillpath.case import Preparation
from fillpath.errors import InputError
from fillpath.nouns import Pattern, Prepared, Provenance, content_hash
from fillpath.paths import atomic_write, cache, require_space
from fillpath.syntax import module_text

Array = npt.NDArray[Any]

PREPARE_VERSION = 1
# Modules that decide an artefact's content, beside this one: a change of their code makes a new artefact.
# The generators are in the matrix's checksum.
_MAKERS = (compiled, dissection, lines, matching, matrixmarket, ordering, source)
# And those of an ordering alone.
_ORDERERS = {"dissection": (coarsening, cut, cycle, halves, leaves, separators, splitting, tree)}
_ARRAYS = ("row_permutation", "column_permutation", "row_scale", "column_scale")

# What reading a damaged archive may raise.
_UNREADABLE = (OSError, EOFError, ValueError, KeyError, TypeError, RuntimeError, zipfile.BadZipFile)

_log = logging.getLogger("fillpath")


@dataclass(frozen=True, eq=False)
class _Entries:
    """A square matrix as triplets without repetitions: rows, columns (nnz,) int32, values (nnz,) float64."""

    n: int
    rows: Array
    columns: Array
    values: Array


def prepare(matrix_id: str, preparation: Preparation, seed: int = 0) -> Prepared:
    """The prepared matrix, from the cache, or made and stored there; a damaged artefact is made again.

    matrix_id : as in a case's name
    preparation : matching, ordering, and what becomes of zeros
    seed : of orderings that are random, and of the values of a pattern

    Raises what `fetch.source.load` raises, UnknownNameError for the id, InputError for a matrix that cannot
    be read or is structurally singular under mc64, UnsupportedError for an ordering that the matrix does not
    have, UnavailableError for one whose library is missing, DiskFullError.
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
    """Where `prepare` stores the artefact. Its name follows everything that decides its content, including
    the matrix's checksum: so a matrix that is not in the cache is fetched, but only its header is read."""
    return _artefact_path(parse(matrix_id), preparation, seed)


def _artefact_path(matrix: MatrixId, preparation: Preparation, seed: int) -> Path:
    ordering.refuse(preparation.ordering, matrix)
    origin = locate(matrix)
    seed = seed if _uses_seed(preparation, origin.field) else 0
    makers = (*_MAKERS, *_ORDERERS.get(preparation.ordering, ()))
    files = [Path(__file__), *(Path(cast(str, module.__file__)) for module in makers)]
    versions = json.dumps(_versions(preparation), sort_keys=True)
    words = (matrix.text, origin.checksum, preparation.name, str(seed), str(PREPARE_VERSION), versions)
    return cache() / "prepared" / f"{content_hash(*words, *map(module_text, files))}.npz"


def load_prepared(path: Path) -> Prepared:
    """The prepared matrix in an artefact. Raises InputError if it is missing, truncated or damaged: reading
    it compares the archive's checksums."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            about = json.loads(str(stored["about"]))
            pattern = Pattern(stored["indptr"], stored["indices"])
            arrays = {name: stored[name] for name in _ARRAYS}
            provenance = Provenance(**about["provenance"])
            return Prepared(pattern, stored["values"], **arrays, provenance=provenance, hash=about["hash"])
    except _UNREADABLE as problem:
        raise InputError(f"{path}: not a readable prepared matrix: {problem}") from None


def prepared_hash(path: Path) -> str:
    """The hash of the prepared matrix in an artefact, which is not read itself. Raises InputError if it is
    missing or damaged."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            return str(json.loads(str(stored["about"]))["hash"])
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


def _make(matrix: MatrixId, loaded: Loaded, preparation: Preparation, seed: int) -> Prepared:
    given = loaded.matrix if preparation.explicit_zeros else _without_zeros(loaded.matrix)
    method = _matching_method(preparation.matching, given, loaded.field)
    matched = _match(given, method, matrix.text)
    scaled = _scale(given, matched)
    entries = _complete_diagonal(scaled)
    holes = (entries.rows == entries.columns) & (entries.values == 0)
    if loaded.field == "pattern":
        entries = _synthetic(entries, seed)
    if preparation.diagonal:
        entries.values[holes] = preparation.diagonal
    order = ordering.order(preparation.ordering, entries.rows, entries.columns, entries.n, seed, matrix)
    pattern, values = _permute(entries, order)
    provenance = Provenance(
        matrix=matrix.text,
        source=loaded.source,
        checksum=loaded.checksum,
        matching=method,
        ordering=preparation.ordering,
        seed=seed if _uses_seed(preparation, loaded.field) else 0,
        versions=_versions(preparation),
        synthetic_values=loaded.field == "pattern",
        explicit_zeros=loaded.explicit_zeros,
        entries=loaded.entries,
        diagonal_added=len(entries.values) - len(scaled.values),
        diagonal=float(preparation.diagonal),
        field=loaded.field,
        structural_symmetry=_structural_symmetry(loaded.matrix),
    )
    rows = matched.rows[order]
    digest = content_hash(pattern.indptr, pattern.indices, values)
    scales = (matched.row_scale, matched.column_scale)
    return Prepared(pattern, values, rows, order, *scales, provenance=provenance, hash=digest)


def _uses_seed(preparation: Preparation, field: str) -> bool:
    return field == "pattern" or preparation.ordering in ordering.SEEDED


def _versions(preparation: Preparation) -> dict[str, str]:
    """The versions of the libraries that decide this artefact's content."""
    always = {name: importlib.metadata.version(name) for name in ("numpy", "scipy")}
    return always | ordering.libraries(preparation.ordering)


def _without_zeros(matrix: csr_array) -> csr_array:
    kept = matrix.copy()
    kept.eliminate_zeros()
    return kept


def _matching_method(asked: str, matrix: csr_array, field: str) -> str:
    """`auto` matches only if necessary: the diagonal has a hole, or the values are unsymmetric.

    An explicit zero is compared as an entry that is not there.
    """
    if asked != "auto":
        return asked
    rows, columns = coo_array(matrix).coords
    full = np.count_nonzero(rows == columns) == matrix.shape[0]
    return "none" if full and (field == "pattern" or _symmetric(_without_zeros(matrix))) else "mc64"


def _structural_symmetry(matrix: csr_array) -> float:
    """The share of mirrored entries as the collection counts it: explicit zeros are entries, the diagonal is
    left out."""
    rows, columns = coo_array(matrix).coords
    off = rows != columns
    entries = int(np.count_nonzero(off))
    if entries == 0:
        return 1.0
    ones = csr_array((np.ones(entries, np.int8), (rows[off], columns[off])), shape=matrix.shape)
    return int(ones.multiply(csr_array(ones.T)).nnz) / entries


def _symmetric(matrix: csr_array) -> bool:
    mirror = csr_array(matrix.T)
    mirror.sort_indices()
    same = np.array_equal(matrix.indptr, mirror.indptr) and np.array_equal(matrix.indices, mirror.indices)
    return same and np.array_equal(matrix.data, mirror.data)


def _match(matrix: csr_array, method: str, name: str) -> matching.Matching:
    n = matrix.shape[0]
    if method == "none":
        return matching.Matching(np.arange(n, dtype=np.int32), np.ones(n), np.ones(n))
    return matching.maximum_product(matrix, name)


def _scale(matrix: csr_array, matched: matching.Matching) -> _Entries:
    """Scaled entries, with each row moved to the column that it is matched to."""
    n = matrix.shape[0]
    old = np.repeat(np.arange(n, dtype=np.int32), np.diff(matrix.indptr))
    columns = matrix.indices.astype(np.int32)
    values = matched.row_scale[old] * matrix.data * matched.column_scale[columns]
    return _Entries(n, _inverse(matched.rows)[old], columns, values)


def _complete_diagonal(entries: _Entries) -> _Entries:
    present = np.zeros(entries.n, bool)
    present[entries.rows[entries.rows == entries.columns]] = True
    missing = np.flatnonzero(~present).astype(np.int32)
    rows, columns = np.concatenate([entries.rows, missing]), np.concatenate([entries.columns, missing])
    return _Entries(entries.n, rows, columns, np.concatenate([entries.values, np.zeros(len(missing))]))


def _synthetic(entries: _Entries, seed: int) -> _Entries:
    """Values for a pattern: in (-1, -0.1) off the diagonal, equal for (i, j) and (j, i), and a diagonal that
    dominates its row and its column. They depend on the position of an entry, not on its storage."""
    low = np.minimum(entries.rows, entries.columns).astype(np.uint64)
    high = np.maximum(entries.rows, entries.columns).astype(np.uint64)
    mixed = _mix((low << np.uint64(32)) ^ high ^ _mix(np.full(1, seed, np.uint64)))
    values = -(0.1 + 0.9 * (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53)
    diagonal = entries.rows == entries.columns
    values[diagonal] = 0.0
    row_sums = np.bincount(entries.rows, -values, entries.n)
    column_sums = np.bincount(entries.columns, -values, entries.n)
    values[diagonal] = 1.0 + np.maximum(row_sums, column_sums)[entries.rows[diagonal]]
    return _Entries(entries.n, entries.rows, entries.columns, values)


def _mix(words: Array) -> Array:
    """SplitMix64's finaliser: (k,) uint64 to well-mixed (k,) uint64."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(words ^ (words >> np.uint64(31)))


def _permute(entries: _Entries, order: Array) -> tuple[Pattern, Array]:
    place = _inverse(order)
    coordinates = (place[entries.rows], place[entries.columns])
    matrix = csr_array((entries.values, coordinates), shape=(entries.n, entries.n))
    matrix.sort_indices()
    return Pattern(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)), matrix.data


def _inverse(permutation: Array) -> Array:
    inverse = np.empty_like(permutation)
    inverse[permutation] = np.arange(len(permutation), dtype=permutation.dtype)
    return inverse
