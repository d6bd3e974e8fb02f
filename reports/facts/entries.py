"""What the reports need of the catalogue of matrices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    for entry in entries:
        if matrix in (matrix_id(entry.id), matrix_id(f"{entry.group}/{entry.name}")):
            return entry
    return None


def printed_name(matrix: str) -> str:
    """A case's matrix as people write it: `poisson3d,40,uniform` is `poisson3d:40:uniform`."""
    return matrix.replace(",", ":").replace("+", "/")
