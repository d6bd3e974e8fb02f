"""Operations of an implementation and the bytes that they use, from the counts of a record.

The model counts each use of an element: 4 bytes for an index or a counter, 8 for a pointer or a double.
Sorting, clearing, flags and copies between formats do not count. Caches may serve these bytes: they are no
traffic of DRAM. The formulas are in docs/compare.md; tests/test_bytes_model.py runs the algorithms on arrays
that count.
"""

from collections.abc import Iterable, Mapping
from math import nan
from typing import NamedTuple

import numpy as np

from fillpath.case import Case
from fillpath.record import Record, Status
from fillpath.registry import lookup


class Operations(NamedTuple):
    """The number of operations, and the bytes that they use.

    phase : the phase of a record in which all of it was done; empty for the whole call
    least : whether the bytes are a lower bound
    lacking : why a record counts too little for the two
    """

    done: float = nan
    bytes: float = nan
    phase: str = ""
    least: bool = False
    lacking: str = ""


def filled_entries(records: Iterable[Record]) -> Mapping[str, float]:
    """Return the entries of F by the hash of the prepared matrix, where a record has them."""
    counts: dict[str, float] = {}
    for record in records:
        if record.status is Status.OK and record.prepared and record.work:
            fills, filled = record.work.get("fills"), (record.work.get("facts") or {}).get("filled")
            if filled is None and fills is not None and record.parts["stage"] == "symbolic":
                filled = record.prepared["nnz"] + fills
            if filled is not None:
                counts[record.prepared["hash"]] = filled
    return counts


def operations(record: Record, case: Case, filled: Mapping[str, float]) -> Operations:
    """Return the operations of a verified record, with `filled` of `filled_entries`."""
    work, prepared = record.work or {}, record.prepared or {}
    facts: Mapping[str, float] = work.get("facts") or {}
    n, nnz = (prepared.get(name, 0) for name in ("n", "nnz"))
    match case.stage, case.implementation:
        case _ if edges := work.get("edges"):
            # An edge has an index at least.
            return Operations(edges, work.get("bytes") or 4 * edges, least=not work.get("bytes"))
        case "levels", "kahn_gpu":
            if (entries := filled.get(prepared.get("hash", ""))) is None:
                return Operations(lacking="no record says how many entries F has")
            return Operations(entries - n, 12 * (entries - n) + 88 * n)
        case "numeric", "glu2" | "glu3" if (updates := facts.get("updates")) is not None:
            options = lookup(case.stage, case.implementation).values(dict(case.options))
            size = np.dtype(options["dtype"]).itemsize
            moved = (3 * size + 4) * updates
            if not {"entries_lower", "entries_upper"} <= facts.keys():
                return Operations(2 * updates, moved, least=True)
            moved += (size + 20) * facts["entries_upper"] + 2 * size * facts["entries_lower"]
            return Operations(2 * updates, moved + (48 + 3 * size) * n)
        case "cholesky", "parac_gpu" | "parac_cpu" if {"nnz_l", "nnz_g"} <= facts.keys():
            # The graph is connected: the entries of G below the diagonal but one of a column are sampled.
            edges, entries = (facts["nnz_l"] - n) / 2, facts["nnz_g"] - n
            sampled = entries - n + 1
            return Operations(edges + sampled, 12 * edges + 24 * sampled + 20 * entries + 40 * n)
        case "laplacian", "parac_gpu" | "ic0_gpu" | "parac_cpu" | "ac_sequential" | "ict" if (
            "solve" in record.phases and {"nnz_factor", "iterations"} <= facts.keys()
        ):
            # Edges to a ground, and a dense inverse in place of the last entries of G, do not count.
            entries, factor, steps = nnz - n, facts["nnz_factor"], facts["iterations"]
            flops = steps * (3 * entries + 4 * factor + 13 * n) + 3 * entries + 3 * n
            moved = steps * (20 * entries + 40 * factor + 192 * n) + 20 * entries + 56 * n
            return Operations(flops, moved, phase="solve")
    lacks = "counts multiply-adds and no bytes" if facts.get("updates") else "counts no operations"
    return Operations(lacking=lacks)
