"""What the reports need of the catalogue of matrices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from fillpath.case import matrix_id


class MatrixEntry(Protocol):
    """A matrix of the catalogue.

    id : as `Group/name`, or our name of a generated one.
    group : of the collection.
    name : as printed.
    order : rows, None where it is not known.
    nnz : entries without explicit zeros, None where it is not known.
    nnz_with_zeros : entries with explicit zeros, None where it is not known.
    kind : what the matrix describes.
    stands_for : ids of the matrices that it stands in for.
    papers : ids of the papers that use it.
    lower_in : of these, those that print its lower triangle only.
    """

    def __hash__(self) -> int: ...
    @property
    def id(self) -> str: ...
    @property
    def group(self) -> str | None: ...
    @property
    def name(self) -> str: ...
    @property
    def order(self) -> int | None: ...
    @property
    def nnz(self) -> int | None: ...
    @property
    def nnz_with_zeros(self) -> int | None: ...
    @property
    def kind(self) -> str: ...
    @property
    def stands_for(self) -> tuple[str, ...]: ...
    @property
    def papers(self) -> tuple[str, ...]: ...
    @property
    def lower_in(self) -> tuple[str, ...]: ...


Entries = Sequence[MatrixEntry]


def find_entry(matrix: str, entries: Iterable[MatrixEntry]) -> MatrixEntry | None:
    """The catalogue's entry of a case's matrix, named by id or by group/name."""
    return by_matrix(entries).get(matrix)


def by_matrix(entries: Iterable[MatrixEntry]) -> Mapping[str, MatrixEntry]:
    """The catalogue's entries by their matrices, as cases name them."""
    named = [(name, entry) for entry in entries for name in (entry.id, f"{entry.group}/{entry.name}")]
    # The first of several stands.
    return {matrix_id(name): entry for name, entry in reversed(named)}


def printed_name(matrix: str) -> str:
    """A case's matrix as people write it: `poisson3d,40,uniform` is `poisson3d:40:uniform`."""
    return matrix.replace(",", ":").replace("+", "/")
