"""Operations of an implementation and the bytes that it asks for, from the counts that its record holds.

A model: an element of an array counts once for each use that the algorithm makes of it, in the size in which
it is stored: 4 bytes for an index or a counter, 8 for a pointer or a double. Sorting, clearing, flags and
copies between formats do not count. Caches may serve what is asked for: it is no traffic of DRAM.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import nan
from typing import NamedTuple

import numpy as np

from fillpath.case import Case
from fillpath.record import Record, Status
from fillpath.registry import lookup

INDEX, POINTER, DOUBLE = 4, 8, 8


class Operations(NamedTuple):
    """How many operations were done, and the bytes that they asked for.

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
    """Return the entries of F by the hash of the prepared matrix, as far as some record says it."""
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
    """Return what a verified record did. filled : of `filled_entries`"""
    work, prepared = record.work or {}, record.prepared or {}
    facts: Mapping[str, float] = work.get("facts") or {}
    n, nnz = (prepared.get(name, 0) for name in ("n", "nnz"))
    match case.stage, case.implementation:
        case _ if edges := work.get("edges"):
            # An edge has an index at least.
            return Operations(edges, work.get("bytes") or INDEX * edges, least=not work.get("bytes"))
        case "levels", "kahn_gpu":
            # Of a dependency, an entry of F off the diagonal, its index is read, and a degree read and
            # written. Of a column the four pointers to its row of U and its column of L are read for its
            # degree and again when it releases others; its degree is written and read, its place in the queue
            # written and read, its level written, itself written into it.
            if (entries := filled.get(prepared.get("hash", ""))) is None:
                return Operations(lacking="no record says how many entries F has")
            return Operations(entries - n, 3 * INDEX * (entries - n) + (8 * POINTER + 6 * INDEX) * n)
        case "numeric", "glu2" | "glu3" if "updates" in facts:
            options = lookup(case.stage, case.implementation).values(dict(case.options))
            return _right_looking(facts, n, np.dtype(options["dtype"]).itemsize)
        case "cholesky", "parac_gpu" | "parac_cpu" if {"nnz_l", "nnz_g"} <= facts.keys():
            # The graph is connected: of the entries of G below the diagonal all but one of a column are
            # sampled as edges. Of an edge of the graph its end and weight are read, of a sampled one they are
            # written and read. Of an entry of G its row and value are written, and that neighbour's counter
            # is read and written. Of a vertex the two pointers to its edges are read, its counter is written
            # and read, its pointer in G and its diagonal are written.
            edge, edges, entries = INDEX + DOUBLE, (facts["nnz_l"] - n) / 2, facts["nnz_g"] - n
            sampled = entries - n + 1
            moved = edge * (edges + 2 * sampled) + (edge + 2 * INDEX) * entries
            return Operations(edges + sampled, moved + (3 * POINTER + 2 * INDEX + DOUBLE) * n)
        case "laplacian", "parac_gpu" | "ic0_gpu" | "parac_cpu" | "ac_sequential" | "ict" if (
            "solve" in record.phases and {"nnz_factor", "iterations"} <= facts.keys()
        ):
            return _conjugate_gradients(n, nnz - n, facts["nnz_factor"], facts["iterations"])
    lacks = "counts multiply-adds and no bytes" if facts.get("updates") else "counts no operations"
    return Operations(lacking=lacks)


def _right_looking(facts: Mapping[str, float], n: float, size: int) -> Operations:
    """A right-looking factorisation by columns, as GLU's. size : bytes of a value

    Of an update the entry of L is read, the row of its target, and the target read and written. Of an entry
    of U its value, its column, its position in that column and that column's end are read. Of a column four
    pointers and the pivot are read; for the division two pointers, and the pivot and each entry of L are read
    and written. Where a record does not count these entries the bytes are those of the updates alone.
    """
    updates, moved = facts["updates"], (3 * size + INDEX) * facts["updates"]
    if not {"entries_lower", "entries_upper"} <= set(facts):
        return Operations(2 * updates, moved, least=True)
    moved += (size + INDEX + 2 * POINTER) * facts["entries_upper"] + 2 * size * facts["entries_lower"]
    return Operations(2 * updates, moved + (6 * POINTER + 3 * size) * n)


def _conjugate_gradients(n: float, entries: float, factor: float, iterations: float) -> Operations:
    """Conjugate gradients with a graph's Laplacian L and the preconditioner G D G^T.

    entries : of L off the diagonal, those of the matrix: edges to a ground come on top
    factor : entries of G below the diagonal; a dense inverse in place of the last of them does not count

    Of an entry of L or of G its index, its value and that element of a vector are read. Each vector operation
    reads its vectors and writes its result; a row has a pointer, and D is read. After the last iteration the
    residual is computed once from x.
    """
    entry = INDEX + 2 * DOUBLE
    product, rows = entry * entries + (POINTER + 2 * DOUBLE) * n, 3 * DOUBLE * n
    solves = 2 * entry * factor + (2 * POINTER + 5 * DOUBLE) * n
    # p.q and r.z read two vectors, r.r one; p, x and r are updated; at the end r = b - q and r.r.
    iteration = product + solves + 5 * DOUBLE * n + 3 * rows
    flops = iterations * (3 * entries + 4 * factor + 13 * n) + 3 * entries + 3 * n
    return Operations(flops, iterations * iteration + product + rows + DOUBLE * n, phase="solve")
