"""The stage `degrees`, as a file of benchmarks/ would be: how many entries each row of A has."""

from typing import Any

import numpy as np

from benchmarks.engine.benchmark import Context, bytes_of
from benchmarks.suite import Suite
from fillpath.nouns import Laplacian
from fillpath.record import Verified


class Degrees(Suite):
    """Seconds from the pattern of A, resident, to the entries of each row."""

    reads = (Laplacian,)

    def check(self, result: Any, context: Context) -> Verified:
        """Rows that have another number of entries."""
        differing = np.count_nonzero(result != np.diff(context.prepared.pattern.indptr))
        return Verified("row pointers", "entries of each row", float(differing), 0.0)

    def facts(self, fetch: Any, result: Any, context: Context) -> dict[str, float]:
        """The largest degree, and how many components the graph has."""
        return {"largest": float(fetch(result).max()), "components": context.noun(Laplacian).components}

    def least_bytes(self, result: Any, context: Context) -> int:
        """The row pointers, and what is returned."""
        return bytes_of(context.prepared.pattern.indptr, result)
