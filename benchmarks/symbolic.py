"""The stage `symbolic`: from the pattern of A to that of L + U.

An implementation is given the pattern; a peer that factorises as well, the matrix with its values.
"""

from collections.abc import Callable
from typing import Any

from benchmarks.checks import rows
from benchmarks.checks.residuals import verify_residual
from benchmarks.engine.benchmark import Context, bytes_of
from benchmarks.engine.device_digest import can_digest, digest
from benchmarks.suite import Suite
from fillpath.errors import FillpathError
from fillpath.nouns import Counts, Factorised
from fillpath.record import Verified
from impl.cuda.transfer import on_host


class Symbolic(Suite):
    """Seconds from the pattern of A, resident, to the filled pattern of L + U, resident."""

    def check(self, result: Any, context: Context) -> Verified:
        """Check that row counts and row hashes equal the reference's.

        Row counts alone, or a peer's factorisation, are other work than the pattern. They have their own
        checks, and pass only where the case's name has the option or a peer.
        """
        if context.reference is None:
            raise FillpathError("stage symbolic: the check needs the reference of the matrix")
        peer = context.implementation.peer
        if peer and isinstance(result, Factorised):
            return verify_residual(result, context.prepared)
        if (peer or context.options.get("output") == "counts") and isinstance(result, Counts):
            return rows.verify_counts(result, context.reference)
        return rows.verify_symbolic(result, context.reference)

    def evidence(self, result: Any, context: Context, fetch: Callable[[Any], Any]) -> Any:
        """Fetch the result; of a filled pattern its digest, which is made where the pattern is."""
        if isinstance(result, rows.Digest):
            # An implementation's own counts and hashes prove nothing.
            return None
        n = context.prepared.pattern.n
        if can_digest(result, n):
            return on_host(digest(result))
        fetched = fetch(result)
        return rows.digest(fetched) if rows.has_shape(fetched, n) else fetched

    def least_bytes(self, result: Any, context: Context) -> int:
        """Count the pattern of A, for a factorisation its values too, and the result."""
        prepared = context.prepared
        values = [prepared.values] if isinstance(result, Factorised) else []
        return bytes_of(prepared.pattern, *values, result)
