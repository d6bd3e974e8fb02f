"""SciPy's SuperLU, a peer in the symbolic stage: it computes the whole factorisation for a pattern.

X. S. Li, An overview of SuperLU, ACM TOMS 31 (2005). Its time is an upper bound on the time of its symbolic
part, which is interleaved with the numerical one. Its result is checked against A by a residual only.
"""

from __future__ import annotations

from scipy.sparse import csc_array, csr_array
from scipy.sparse.linalg import SuperLU, splu

from fillpath.errors import UnsupportedError
from fillpath.nouns import Factorised, Prepared, Work
from fillpath.phase import phase
from fillpath.registry import implementation


@implementation(stage="symbolic", peer="scipy")
def superlu(prepared: Prepared) -> tuple[Factorised, Work]:
    """Factorise wholly by SciPy's SuperLU (sequential), values too, checked by a residual only.

    prepared : pattern and values, factorised in this order: columns are not permuted, and a pivot leaves the
        diagonal only if that is exactly zero

    Returns the factorisation and, as fills, the entries that it stores outside pattern(A), including the
    padding of its supernodes. Raises UnsupportedError for complex matrices and if no pivot is left.
    """
    if prepared.provenance.field == "complex":
        raise UnsupportedError(
            f"{prepared.provenance.matrix} has complex values; superlu takes real ones only"
        )
    pattern = prepared.pattern
    with phase("convert"):
        rows = csr_array((prepared.values, pattern.indices, pattern.indptr), shape=(pattern.n, pattern.n))
        columns = rows.tocsc()
    with phase("factorise"):
        factors = factorise(columns)
    stored = factors.nnz - pattern.n
    return Factorised(factors.solve, stored), Work(fills=stored - pattern.nnz)


def factorise(columns: csc_array) -> SuperLU:
    """Return the factors of a matrix by columns, in its own order.

    SymmetricMode keeps SuperLU from a postorder of its own. Raises UnsupportedError if no pivot is left.
    """
    options = {"SymmetricMode": True}
    try:
        factors: SuperLU = splu(columns, permc_spec="NATURAL", diag_pivot_thresh=0.0, options=options)
    except RuntimeError as error:
        if "singular" not in str(error):
            raise
        raise UnsupportedError(
            "the values are singular as prepared: try --matching mc64, or --matching none --diagonal 1000"
        ) from None
    return factors
