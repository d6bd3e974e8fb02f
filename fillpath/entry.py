"""`Entry`: a matrix of config/matrices.csv. fetch/catalogue.py reads the file."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A row of the catalogue.

    id : as in a case's name
    group, name : in the collection, or of its authors' files; group is empty for generated matrices
    order : rows
    nnz : entries without explicit zeros; symmetric entries count twice
    nnz_with_zeros : entries with explicit zeros; symmetric entries count twice
    kind : what the matrix describes, or why it cannot be obtained
    papers : those that print it
    lower_in : those that print only its lower triangle
    stands_for : ids of paper matrices of the same kind
    suite : embedded, small or papers
    sha256 : of the collection's archive, or of the authors' files; empty if not recorded
    address : of files that a paper's authors published, `{}` in place of their names; empty for others
    """

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
    address: str
