"""SciPy's SuperLU as a peer, from the matrix to the solution (X. S. Li, ACM TOMS 31, 2005)."""

from __future__ import annotations

from scipy.sparse import csc_array
from scipy.sparse.linalg import SuperLU, splu

from fillpath.errors import UnsupportedError
from fillpath.nouns import Prepared, Solution, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.peers.superlu import factorise
from impl.solve.direct import Ordering, system_of, with_32_bits


@implementation(stage="solve", peer="scipy")
def superlu(prepared: Prepared, *, ordering: Ordering = "own", refine: int = 1) -> tuple[Solution, Work]:
    """Solve by SciPy's SuperLU and its triangular solves (sequential), supernodal, pivoting.

    prepared : n x n
    ordering : "own" is COLAMD's, with partial pivoting; "given" is the prepared matrix's, where a pivot
        leaves the diagonal only if the diagonal is exactly 0
    refine : as in lu_cpu

    Its phases: right_hand_side; convert, to columns; factorise, ordering, symbolic and numeric at once;
    triangular; refine. Returns x for the b of `right_hand_side`, and as a fact the entries of L + U. Raises
    UnsupportedError if no pivot is left, and InputError for refine < 0.
    """
    matrix, b = system_of(prepared, refine)
    with phase("convert"):
        columns = with_32_bits(matrix).tocsc()
    with phase("factorise"):
        factors = factorise(columns) if ordering == "given" else _by_colamd(columns)
    with phase("triangular"):
        x = factors.solve(b)
    with phase("refine"):
        for _ in range(refine):
            x += factors.solve(b - matrix @ x)
    return Solution(x), Work(facts={"nnz_factor": float(factors.nnz - prepared.pattern.n)})


def _by_colamd(columns: csc_array) -> SuperLU:
    """Return the factors by SciPy's defaults. Raises UnsupportedError if no pivot is left."""
    try:
        factors: SuperLU = splu(columns)
    except RuntimeError as error:
        if "singular" not in str(error):
            raise
        raise UnsupportedError(
            "the values are singular as prepared: try --matching mc64, or --matching none --diagonal 1000"
        ) from None
    return factors
