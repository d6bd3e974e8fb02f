"""KLU, a peer in the symbolic stage: Gilbert and Peierls's LU, which finds the pattern column by column.

J. R. Gilbert and T. Peierls, Sparse partial pivoting in time proportional to arithmetic operations, SIAM J.
Sci. Stat. Comput. 9 (1988).
"""

from __future__ import annotations

from functools import partial

from scipy.sparse import csr_array

from fillpath.errors import UnsupportedError
from fillpath.nouns import Array, Factorised, Prepared, Work
from fillpath.peers import peer
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.peers.klu import BARE, System, system
from impl.solve.direct import MOST_ENTRIES, with_32_bits


@implementation(stage="symbolic", available=peer("klu").installed, peer="klu")
def klu(prepared: Prepared) -> tuple[Factorised, Work]:
    """Factorise wholly by KLU (sequential), values too, twice, in the order of the matrix.

    prepared : pattern and values, factorised as one block, without scaling, on the diagonal

    Phases: convert, to columns; analysis, which only checks; factor, symbolic and numeric at once; refactor,
    the numeric part again in the pattern of `factor`. The difference is the symbolic part. Returns the
    factorisation, with nnz of L + U and one refinement per solve, and its fills. Raises MemoryBudgetError;
    UnsupportedError for complex or singular matrices, 2^31 entries or more, and a pivot off the diagonal,
    which gives the pattern of another order.
    """
    name, pattern = prepared.provenance.matrix, prepared.pattern
    if prepared.provenance.field == "complex":
        raise UnsupportedError(f"{name} has complex values; KLU is given real ones here")
    if pattern.nnz > MOST_ENTRIES:
        raise UnsupportedError(f"{pattern.nnz} entries: 32-bit indices count {MOST_ENTRIES}")
    with phase("convert"):
        rows = csr_array((prepared.values, pattern.indices, pattern.indptr), shape=(pattern.n, pattern.n))
        columns = with_32_bits(rows).tocsc()
    held = system(columns, given=True, **BARE)
    with phase("analysis"):
        held.analyse()
    with phase("factor"):
        held.factorise()
    facts = held.facts()
    if facts["off_diagonal_pivots"]:
        raise UnsupportedError(
            f"KLU takes {facts['off_diagonal_pivots']} pivots off the diagonal: the pattern of another order"
        )
    with phase("refactor"):
        held.factorise_again()
    nnz = int(facts["nnz_factor"])
    return Factorised(partial(_solved, held, rows), nnz), Work(fills=nnz - pattern.nnz)


def _solved(held: System, rows: csr_array, b: Array) -> Array:
    """Return x, refined once: without pivoting for size the factors lose digits."""
    x = held.solve(b)
    return x + held.solve(b - rows @ x)
