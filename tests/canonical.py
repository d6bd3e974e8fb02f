"""ParAC's six steps in plain Python, as `impl.cholesky.elimination` states them, of none of its code."""

import numpy as np

from fillpath.nouns import Array, Laplacian

WORD = 2**64


def mixed(z: int) -> int:
    z ^= z >> 30
    z = z * 0xBF58476D1CE4E5B9 % WORD
    z ^= z >> 27
    z = z * 0x94D049BB133111EB % WORD
    return z ^ (z >> 31)


def uniform(seed: int, k: int, q: int) -> float:
    state = mixed((seed + 0x9E3779B97F4A7C15 * (k + 1)) % WORD)
    return (mixed((state + 0xD1B54A32D192ED03 * q) % WORD) >> 11) * 2.0**-53


def scanned(weights: list[float]) -> list[float]:
    """The inclusive scan, by chunks of 32."""
    sums: list[float] = []
    for start in range(0, len(weights), 32):
        chunk = weights[start : start + 32]
        for distance in (1, 2, 4, 8, 16):
            shifted = [0.0] * min(distance, len(chunk)) + chunk[: -distance or None]
            chunk = [x if p < distance else shifted[p] + x for p, x in enumerate(chunk)]
        sums += [sums[-1] + x for x in chunk] if start else chunk
    return sums


def factor(graph: Laplacian, seed: int) -> tuple[list[dict[int, float]], list[float]]:
    """(columns, diagonal): row -> value of each column of G, ascending, and D."""
    edges: list[list[tuple[int, float]]] = [[] for _ in range(graph.n)]
    for i, j, weight in zip(graph.pattern.rows(), graph.pattern.indices, graph.weights, strict=True):
        if j > i:
            edges[i].append((int(j), float(weight)))
    columns: list[dict[int, float]] = []
    diagonal: list[float] = []
    for k in range(graph.n):
        merged: dict[int, float] = {}
        for i, weight in sorted(edges[k]):
            merged[i] = merged[i] + weight if i in merged else weight
        arranged = sorted(((weight, i) for i, weight in merged.items()), reverse=True)
        sums = scanned([weight for weight, _ in arranged])
        total = sums[-1] if sums else 0.0
        diagonal.append(total)
        columns.append({i: -(weight / total) for i, weight in merged.items()})
        for q in range(1, len(arranged)):
            weight, i = arranged[q]
            bound = uniform(seed, k, q) * sums[q - 1]
            low, high = 0, q - 1
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if sums[middle] > bound else (middle + 1, high)
            smaller, larger = sorted((i, arranged[low][1]))
            edges[smaller].append((larger, sums[q - 1] / total * weight))
    return columns, diagonal


def arrays(graph: Laplacian, seed: int) -> tuple[Array, Array, Array, Array]:
    """indptr, rows, values and diagonal of that factor."""
    columns, diagonal = factor(graph, seed)
    indptr = np.cumsum([0, *(len(column) for column in columns)])
    rows = np.array([row for column in columns for row in column], np.int32)
    values = np.array([value for column in columns for value in column.values()], np.float64)
    return indptr, rows, values, np.array(diagonal)
