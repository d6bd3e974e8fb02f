"""Matrices that need no download: grids, finite elements, circuits and random patterns, from a name alone.

    poisson3d:k[:uniform|aniso|contrast]      7-point Laplacian on k x k x k points
    grid2d:k[:dirichlet|laplacian]            5-point Laplacian on k x k points
    fem3d:k[:unknowns=d]                      trilinear hexahedra on k x k x k nodes, d unknowns a node
    circuit:n[:seed=s][:symmetry=f]           local wires, a few dense rows and columns
    random:n:density[:seed=s]                 uniform random pattern
    road:n[:seed=s]                           Laplacian of a graph that is like a road network
    delaunay:n[:seed=s]                       Laplacian of a triangulation of random points

The same matrix has one canonical name: defaults left out, keys sorted, one spelling a number. Every matrix
has a full diagonal that dominates its row, so that elimination without pivoting is stable; of a graph's
Laplacian, whose rows sum to zero, the last pivot is 0.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from fetch import graphs
from fetch.compiled import compiled
from fillpath.errors import UnknownNameError, suggest

Array = npt.NDArray[Any]

VARIANTS = ("uniform", "aniso", "contrast")
# Of a generator, the default first.
ALL_VARIANTS = {"poisson3d": VARIANTS, "grid2d": ("dirichlet", "laplacian")}
GRAMMAR = {
    "poisson3d": "poisson3d:k[:uniform|aniso|contrast]",
    "grid2d": "grid2d:k[:dirichlet|laplacian]",
    "fem3d": "fem3d:k[:unknowns=d]",
    "circuit": "circuit:n[:seed=s][:symmetry=f]",
    "random": "random:n:density[:seed=s]",
    "road": "road:n[:seed=s]",
    "delaunay": "delaunay:n[:seed=s]",
}
KEYS = {
    "fem3d": frozenset({"unknowns"}),
    "circuit": frozenset({"seed", "symmetry"}),
    "random": frozenset({"seed"}),
    "road": frozenset({"seed"}),
    "delaunay": frozenset({"seed"}),
}
# Of a graph that has to be connected, or of a triangulation.
LEAST_SIZE = {"grid2d:laplacian": 2, "road": 2, "delaunay": 4}
MAX_ORDER = 2**31 - 1
MAX_UNKNOWNS = 64

# Neither the paper nor its sources print the coefficients: two orders of magnitude a direction for the
# anisotropic grid, six orders over the cells for the high contrast, are this project's choice.
_ANISOTROPY = (1.0, 1e-2, 1e-4)
_CONTRAST_DECADES = 6.0
_WIRES = 2  # local connections drawn a node
_REACH = 16.0  # mean length of a local connection
_RAIL_SPACING = 1000  # one supply rail (dense row and column) for so many nodes
_RAIL_SHARE = 0.02  # of all nodes touch a rail's row, and as many its column


@dataclass(frozen=True)
class Spec:
    """A parsed name. size : points along a side, or the order. variant : empty for the default. density 0,
    symmetry 0.5 : not used. unknowns : of a node, 1 unless it has finite elements."""

    generator: str
    size: int
    variant: str = ""
    density: float = 0.0
    seed: int = 0
    symmetry: float = 0.5
    unknowns: int = 1

    @property
    def order(self) -> int:
        """Rows of the matrix."""
        dimensions = {"poisson3d": 3, "grid2d": 2, "fem3d": 3}.get(self.generator, 1)
        return int(self.unknowns * self.size**dimensions)

    @property
    def nnz(self) -> int | None:
        """Entries by formula (a grid loses one entry a boundary point and direction, along a side of nodes
        3 k - 2 pairs share an element), None where seeded."""
        if self.generator == "poisson3d":
            return 7 * self.size**3 - 6 * self.size**2
        if self.generator == "fem3d":
            return self.unknowns**2 * (3 * self.size - 2) ** 3
        return 5 * self.size**2 - 4 * self.size if self.generator == "grid2d" else None

    @property
    def least_entries(self) -> int:
        """As `nnz`; where seeded, the diagonal and what `random` has beside it on average."""
        if self.nnz is not None:
            return self.nnz
        return self.order + int(self.density * self.order * (self.order - 1))

    @property
    def name(self) -> str:
        """The canonical name."""
        parts = [self.generator, str(self.size)]
        parts += [_number(self.density)] if self.generator == "random" else []
        parts += [self.variant] if self.variant else []
        parts += [f"seed={self.seed}"] if self.seed else []
        parts += [f"symmetry={_number(self.symmetry)}"] if self.symmetry != 0.5 else []
        parts += [f"unknowns={self.unknowns}"] if self.unknowns != 1 else []
        return ":".join(parts)


def is_generated(text: str) -> bool:
    """Whether the text begins as a generated name does (`,` may stand for `:`)."""
    head, colon, _ = text.replace(",", ":").partition(":")
    return bool(colon) or head in GRAMMAR


def parse(name: str) -> Spec:
    """The specification that a name stands for; `,` may stand for `:`, as in a case.

    Raises UnknownNameError that says which part is wrong.
    """
    generator, *words = name.replace(",", ":").split(":")
    if generator not in GRAMMAR:
        hint = suggest(generator, GRAMMAR) or f"; one of {', '.join(GRAMMAR.values())}"
        raise UnknownNameError(f"matrix {name!r}: no generator {generator!r}{hint}")
    plain = [word for word in words if "=" not in word]
    keyed = [word.partition("=") for word in words if "=" in word]
    keys = {key: value for key, _, value in keyed}
    allowed = KEYS.get(generator, frozenset())
    if len(keys) != len(keyed) or not keys.keys() <= allowed or not _arity(generator, plain):
        raise UnknownNameError(f"matrix {name!r}: expected {GRAMMAR[generator]}{_hint(keys, plain, allowed)}")
    spec = Spec(
        generator,
        size=_integer(name, "size", plain[0]),
        variant=_variant(generator, plain),
        density=_fraction(name, "density", plain[1]) if generator == "random" else 0.0,
        seed=_integer(name, "seed", keys.get("seed", "0")),
        symmetry=_fraction(name, "symmetry", keys.get("symmetry", "0.5")),
        unknowns=_integer(name, "unknowns", keys.get("unknowns", "1")),
    )
    _check(name, spec)
    return spec


def canonical(name: str) -> str:
    """The one spelling of a generated name. Raises UnknownNameError as `parse` does."""
    return parse(name).name


def generate(name: str) -> csr_array:
    """The matrix of that name: order x order, float64, rows sorted, no explicit zeros.

    The same name gives the same values wherever NumPy's PCG64 does. Raises UnknownNameError.
    """
    spec = parse(name)
    make: dict[str, Callable[[Spec], csr_array]] = {
        "poisson3d": _poisson3d,
        "grid2d": _grid2d,
        "fem3d": _fem3d,
        "circuit": _circuit,
        "random": _random,
        "road": lambda spec: graphs.road(spec.size, spec.seed),
        "delaunay": lambda spec: graphs.delaunay(spec.size, spec.seed),
    }
    return make[spec.generator](spec)


def _arity(generator: str, plain: list[str]) -> bool:
    if generator in ALL_VARIANTS:
        return len(plain) == 1 or (len(plain) == 2 and plain[1] in ALL_VARIANTS[generator])
    return len(plain) == (2 if generator == "random" else 1)


def _variant(generator: str, plain: list[str]) -> str:
    chosen = plain[1] if generator in ALL_VARIANTS and len(plain) > 1 else ""
    return "" if chosen in ALL_VARIANTS.get(generator, ("",))[:1] else chosen


def _hint(keys: dict[str, str], plain: list[str], allowed: frozenset[str]) -> str:
    wrong = [key for key in keys if key not in allowed] or plain[1:2]
    return suggest(wrong[0], [*allowed, *itertools.chain(*ALL_VARIANTS.values())]) if wrong else ""


def _integer(name: str, what: str, text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise UnknownNameError(f"matrix {name!r}: {what} {text!r} is not a non-negative integer")
    return int(text)


def _fraction(name: str, what: str, text: str) -> float:
    if not re.fullmatch(r"[0-9]*\.?[0-9]+(e-?[0-9]{1,3})?", text) or not 0 <= float(text) <= 1:
        raise UnknownNameError(f"matrix {name!r}: {what} {text!r} is not a number in 0..1")
    return float(text)


def _check(name: str, spec: Spec) -> None:
    least = LEAST_SIZE.get(f"{spec.generator}:{spec.variant}".removesuffix(":"), 1)
    if spec.size < least:
        raise UnknownNameError(f"matrix {name!r}: size {spec.size} is below {least}")
    if not 1 <= spec.unknowns <= MAX_UNKNOWNS:
        raise UnknownNameError(f"matrix {name!r}: unknowns {spec.unknowns} lie outside 1..{MAX_UNKNOWNS}")
    if spec.order > MAX_ORDER:
        raise UnknownNameError(f"matrix {name!r}: order {spec.order} exceeds int32 columns ({MAX_ORDER})")
    if spec.generator == "random" and spec.density == 0:
        raise UnknownNameError(f"matrix {name!r}: density 0 lies outside (0, 1]")


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")


def _poisson3d(spec: Spec) -> csr_array:
    weights = _ANISOTROPY if spec.variant == "aniso" else (1.0, 1.0, 1.0)
    cells = np.ones(1)
    if spec.variant == "contrast":
        exponents = _CONTRAST_DECADES * (np.random.default_rng(0).random(spec.order) - 0.5)
        cells = np.power(10.0, exponents)
    return _grid(spec, 3, np.array(weights), cells, 1.0)


def _grid2d(spec: Spec) -> csr_array:
    return _grid(spec, 2, np.ones(2), np.ones(1), 0.0 if spec.variant == "laplacian" else 1.0)


def _grid(spec: Spec, dimensions: int, weights: Array, cells: Array, cut: float) -> csr_array:
    """weights : (dimensions,) coefficient a direction, fastest index first. cells : (order,) or (1,). cut :
    share of the edges across the boundary that the diagonal keeps."""
    indptr, indices, values = _empty(spec)
    _fill_grid(spec.size, dimensions, weights, cells, cut, indptr, indices, values)
    return csr_array((values, indices, indptr), shape=(spec.order, spec.order))


def _empty(spec: Spec) -> tuple[Array, Array, Array]:
    """indptr : (order + 1,) of zeros, indices and values : (nnz,), to be filled."""
    nnz = spec.nnz
    assert nnz is not None
    # SciPy gives both index arrays one type: int64 pointers would double the columns.
    indptr = np.zeros(spec.order + 1, np.int32 if nnz <= MAX_ORDER else np.int64)
    return indptr, np.empty(nnz, np.int32), np.empty(nnz)


@compiled
def _fill_grid(
    k: int,
    dimensions: int,
    weights: Array,
    cells: Array,
    cut: float,
    indptr: Array,
    indices: Array,
    values: Array,
) -> None:
    """Rows of the (2 d + 1)-point stencil. With cut 1 the diagonal keeps the edges that the boundary cuts
    (Dirichlet), with 0 it does not (Neumann): a graph's Laplacian.

    An edge between cells a and b carries their harmonic mean times the direction's weight, a cut edge the
    cell's own coefficient times `cut`. Columns ascend: far directions below, the diagonal, then near to far.
    """
    n = indptr.size - 1
    varying = cells.size > 1
    at = 0
    for row in range(n):
        own = cells[row] if varying else cells[0]
        diagonal = 0.0
        stride = n
        for d in range(dimensions - 1, -1, -1):
            stride //= k
            if (row // stride) % k > 0:
                other = cells[row - stride] if varying else own
                weight = weights[d] * 2.0 * own * other / (own + other)
                indices[at] = row - stride
                values[at] = -weight
                at += 1
            else:
                weight = cut * weights[d] * own
            diagonal += weight
        middle = at
        at += 1
        stride = 1
        for d in range(dimensions):
            if (row // stride) % k < k - 1:
                other = cells[row + stride] if varying else own
                weight = weights[d] * 2.0 * own * other / (own + other)
                indices[at] = row + stride
                values[at] = -weight
                at += 1
            else:
                weight = cut * weights[d] * own
            diagonal += weight
            stride *= k
        indices[middle] = row
        values[middle] = diagonal
        indptr[row + 1] = at


def _fem3d(spec: Spec) -> csr_array:
    """Every two nodes of an element couple, each unknown of one with each of the other.

    Poisson's stiffness matrix on cubes has zeros between neighbours along an edge, so the weights are this
    project's choice: -1 / r^2 at a distance of r, half of it between different unknowns, at one node -1/2.
    """
    indptr, indices, values = _empty(spec)
    _fill_fem3d(spec.size, spec.unknowns, indptr, indices, values)
    return csr_array((values, indices, indptr), shape=(spec.order, spec.order))


@compiled
def _fill_fem3d(k: int, unknowns: int, indptr: Array, indices: Array, values: Array) -> None:
    """Rows of the 27-point stencil of dense blocks, Dirichlet boundary: the diagonal keeps the cut couplings.

    Nodes count fastest along x, the unknowns of a node follow each other. Columns ascend.
    """
    others = 0.5 * (unknowns - 1)
    around = 6.0 + 12.0 / 2.0 + 8.0 / 3.0  # faces, edges and corners of the cube of neighbours
    diagonal = around * (1.0 + others) + others
    at = 0
    for row in range(indptr.size - 1):
        node, own = row // unknowns, row % unknowns
        x, y, z = node % k, node // k % k, node // (k * k)
        for w in range(max(z - 1, 0), min(z + 2, k)):
            for v in range(max(y - 1, 0), min(y + 2, k)):
                for u in range(max(x - 1, 0), min(x + 2, k)):
                    squared = abs(u - x) + abs(v - y) + abs(w - z)  # each difference is 0 or 1
                    first = ((w * k + v) * k + u) * unknowns
                    for unknown in range(unknowns):
                        weight = (1.0 if unknown == own else 0.5) / max(squared, 1)
                        indices[at] = first + unknown
                        values[at] = diagonal if first + unknown == row else -weight
                        at += 1
        indptr[row + 1] = at


def _circuit(spec: Spec) -> csr_array:
    """Wires of geometric length, rails that many nodes touch; a share of the wires runs both ways.

    symmetry f is the share of off-diagonal entries whose mirror is an entry too: f / (2 - f) of the wires
    are mirrored.
    """
    n = spec.order
    rng = np.random.default_rng(spec.seed)
    rows, columns = _wires(n, rng)
    low, high = np.minimum(rows, columns), np.maximum(rows, columns)
    pairs = np.unique(low[low != high] * n + high[low != high])
    low, high = np.divmod(pairs, n)
    flip = rng.random(len(pairs)) < 0.5
    rows, columns = np.where(flip, high, low), np.where(flip, low, high)
    both = rng.random(len(pairs)) < spec.symmetry / (2 - spec.symmetry)
    rows, columns = np.concatenate([rows, columns[both]]), np.concatenate([columns, rows[both]])
    values = -np.power(10.0, rng.uniform(-3, 0, len(rows)))
    return _dominated(n, rows, columns, values)


def _wires(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    nodes = np.repeat(np.arange(n), _WIRES)
    local = np.clip(nodes + rng.geometric(1 / _REACH, len(nodes)) * rng.choice([-1, 1], len(nodes)), 0, n - 1)
    rails = rng.integers(0, n, max(1, n // _RAIL_SPACING))
    taps = max(1, round(_RAIL_SHARE * n))
    touched = rng.integers(0, n, len(rails) * taps)
    return np.concatenate([nodes, np.repeat(rails, taps)]), np.concatenate([local, touched])


def _random(spec: Spec) -> csr_array:
    """Each off-diagonal position is an entry with probability `density`, by gaps of geometric length."""
    n = spec.order
    rng = np.random.default_rng(spec.seed)
    positions = _bernoulli(n * (n - 1), spec.density, rng)
    rows, columns = np.divmod(positions, max(n - 1, 1))
    columns += columns >= rows
    return _dominated(n, rows, columns, rng.uniform(-1, 1, len(rows)))


def _bernoulli(total: int, probability: float, rng: np.random.Generator) -> Array:
    """Ascending int64 positions in 0..total-1, each with the given probability."""
    spread = math.sqrt(total * probability * (1 - probability))
    gaps = rng.geometric(probability, int(total * probability + 8 * spread) + 16)
    positions = np.cumsum(gaps) - 1
    return positions[positions < total]


def _dominated(n: int, rows: Array, columns: Array, values: Array) -> csr_array:
    """The entries plus a diagonal that exceeds the sums of its row and of its column."""
    weight = np.abs(values)
    sums = np.maximum(np.bincount(rows, weight, n), np.bincount(columns, weight, n))
    every = np.arange(n)
    entries = np.concatenate([values, 1.01 * sums + 1e-3])
    coordinates = (np.concatenate([rows, every]), np.concatenate([columns, every]))
    matrix = csr_array(coo_array((entries, coordinates), shape=(n, n)))
    matrix.sort_indices()
    return matrix
