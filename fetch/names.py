"""The names of generated matrices, each parsed into a `Spec`.

    poisson3d:16        fem3d:8:unknowns=3        mesh:40x30x20:tetrahedra:symmetry=0.5

A matrix has one canonical name: defaults are left out, keys are sorted, and a number has one spelling. A
case's name has `,` in place of `:`.

    parse("mesh:5x4x3:tetrahedra").order        60
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from fillpath.errors import UnknownNameError, suggest

VARIANTS = ("uniform", "aniso", "contrast", "aniso_x", "checkered")
STENCILS = ("hexahedra", "tetrahedra", "points")
# The variants of a generator, the default first.
ALL_VARIANTS = {"poisson3d": VARIANTS, "grid2d": ("dirichlet", "laplacian"), "mesh": STENCILS}
GRAMMAR = {
    # 7- and 5-point Laplacians on k points a side, and trilinear hexahedra on k nodes a side
    "poisson3d": f"poisson3d:k[:{'|'.join(VARIANTS)}]",
    "grid2d": "grid2d:k[:dirichlet|laplacian]",
    "fem3d": "fem3d:k[:unknowns=d]",
    # a box of nodes with d unknowns per node, or one unknown per edge
    "mesh": "mesh:XxYxZ[:hexahedra|tetrahedra|points][:seed=s][:symmetry=f][:unknowns=d]",
    "edges": "edges:XxYxZ",
    # local wires with a few dense rows and columns; wires with lengths from a power law
    "circuit": "circuit:n[:seed=s][:symmetry=f]",
    "netlist": "netlist:n[:power=p][:seed=s][:symmetry=f][:wires=w]",
    # a netlist of m nodes with 2 h + 1 unknowns per node; a chain of t stages with m variables each
    "harmonic": "harmonic:m[:harmonics=h][:nonlinear=f][:power=p][:seed=s][:symmetry=f][:wires=w]",
    "staged": "staged:t[:power=p][:seed=s][:states=c][:symmetry=f][:variables=m][:wires=w]",
    # a uniform random pattern; Laplacians of a graph like a road network, and of a triangulation
    "random": "random:n:density[:seed=s]",
    "road": "road:n[:seed=s]",
    "delaunay": "delaunay:n[:seed=s]",
}
_NETS = {"power": 2.5, "seed": 0, "symmetry": 0.5, "wires": 2.0}
# The keys of each generator with their defaults: an integer's key takes integers.
KEYS: Mapping[str, Mapping[str, int | float]] = {
    "fem3d": {"unknowns": 1},
    "mesh": {"seed": 0, "symmetry": 1.0, "unknowns": 1},
    "circuit": {"seed": 0, "symmetry": 0.5},
    "netlist": _NETS,
    "harmonic": _NETS | {"harmonics": 3, "nonlinear": 0.1},
    "staged": _NETS | {"states": 0.2, "variables": 100},
    "random": {"seed": 0},
    "road": {"seed": 0},
    "delaunay": {"seed": 0},
}
MAX_UNKNOWNS = 64
_LIMITS = {
    "unknowns": (1, MAX_UNKNOWNS),
    "harmonics": (0, 32),
    "variables": (1, 10**6),
    "power": (1.05, 16.0),
    "wires": (0.0, 64.0),
    "states": (0.0, 64.0),
    "nonlinear": (0.0, 1.0),
    "symmetry": (0.0, 1.0),
    "density": (0.0, 1.0),
}
_BOXES = ("mesh", "edges")
# The least size of a connected graph or a triangulation.
LEAST_SIZE = {"grid2d:laplacian": 2, "road": 2, "delaunay": 4}
MAX_ORDER = 2**31 - 1


@dataclass(frozen=True)
class Spec:
    """A parsed name.

    generator : one of `GRAMMAR`
    size : points along a side, or the order; nodes of `harmonic`, stages of `staged`, 0 for a box
    box : nodes along x, y and z of `mesh` and `edges`, zeros for others
    variant : empty for the default
    density : of `random`, 0 for others
    keys : of `KEYS`, each with its value
    """

    generator: str
    size: int
    box: tuple[int, int, int] = (0, 0, 0)
    variant: str = ""
    density: float = 0.0
    keys: tuple[tuple[str, int | float], ...] = ()

    def key(self, name: str) -> int | float:
        """Return the value of a key that the generator has."""
        return dict(self.keys)[name]

    @property
    def seed(self) -> int:
        """Return the seed of random numbers, 0 for a generator without."""
        return int(dict(self.keys).get("seed", 0))

    @property
    def unknowns(self) -> int:
        """Return the unknowns per node, 1 for a generator without."""
        return int(dict(self.keys).get("unknowns", 1))

    @property
    def symmetry(self) -> float:
        """Return the share of off-diagonal entries whose mirror is also an entry, of the name."""
        return float(self.key("symmetry"))

    @property
    def nodes(self) -> tuple[int, int, int]:
        """Return the nodes of a grid or a box along x, y and z, zeros for others."""
        k = self.size
        return {"poisson3d": (k, k, k), "fem3d": (k, k, k), "grid2d": (k, k, 1)}.get(self.generator, self.box)

    @property
    def order(self) -> int:
        """Return the rows of the matrix."""
        if self.generator == "edges":
            return sum((self.box[a] - 1) * self.box[b] * self.box[c] for a, b, c in _AXES)
        if self.generator == "harmonic":
            return self.size * (2 * int(self.key("harmonics")) + 1)
        if self.generator == "staged":
            return self.size * int(self.key("variables"))
        return self.unknowns * math.prod(self.nodes) if any(self.nodes) else self.size

    @property
    def nnz(self) -> int | None:
        """Return the entries by formula, None for a seeded matrix."""
        if self.generator == "edges":
            return _edge_pairs(self.box)
        return self._union if any(self.nodes) and dict(self.keys).get("symmetry", 1) == 1 else None

    @property
    def least_entries(self) -> int:
        """Return `nnz`, or a lower bound for a seeded matrix.

        The bound is the diagonal, with one entry of each pair of `mesh`, or with the mean of the other
        entries of `random`.
        """
        if self.nnz is not None:
            return self.nnz
        if self.generator == "mesh":
            return (self._union + self.order) // 2
        return self.order + int(self.density * self.order * (self.order - 1))

    @property
    def _union(self) -> int:
        """Return the entries of a grid or a mesh with both entries of each pair."""
        variant = "points" if self.generator in ("poisson3d", "grid2d") else self.variant
        nodes = (
            math.prod(max(k - abs(d), 0) for k, d in zip(self.nodes, at, strict=True))
            for at in stencil(variant)
        )
        return self.unknowns**2 * sum(nodes)

    @property
    def name(self) -> str:
        """Return the canonical name."""
        parts = [self.generator, "x".join(map(str, self.box)) if self.generator in _BOXES else str(self.size)]
        parts += [_written(self.density)] if self.generator == "random" else []
        parts += [self.variant] if self.variant else []
        defaults = KEYS.get(self.generator, {})
        parts += [f"{key}={_written(value)}" for key, value in sorted(self.keys) if value != defaults[key]]
        return ":".join(parts)


# Each axis of a box with the two across it.
_AXES = ((0, 1, 2), (1, 0, 2), (2, 0, 1))


def stencil(variant: str) -> list[tuple[int, int, int]]:
    """Return the offsets (x, y, z) of the nodes that a node of a `mesh` couples with, itself among them.

    Hexahedra have all 27. The Kuhn triangulation has the 15 along its edges, whose differences have one
    sign. The difference stencil has 7.
    """
    steps = (-1, 0, 1)
    every = [(x, y, z) for x in steps for y in steps for z in steps]
    if variant == "tetrahedra":
        return [offset for offset in every if min(offset) >= 0 or max(offset) <= 0]
    return [offset for offset in every if sum(map(abs, offset)) <= 1] if variant == "points" else every


def _edge_pairs(box: tuple[int, int, int]) -> int:
    """Count the ordered pairs of edges of a box that belong to one cell, each edge with itself among them."""
    along = sum((box[a] - 1) * (3 * box[b] - 2) * (3 * box[c] - 2) for a, b, c in _AXES)
    across = sum((box[b] - 1) * (box[c] - 1) * (3 * box[a] - 2) for a, b, c in _AXES)
    return along + 8 * across


def is_generated(text: str) -> bool:
    """Tell whether the text begins like the name of a generated matrix, where `,` may replace `:`."""
    head, colon, _ = text.replace(",", ":").partition(":")
    return bool(colon) or head in GRAMMAR


def parse(name: str) -> Spec:
    """Parse a name, where `,` may replace `:`. Raises UnknownNameError, which names the wrong part."""
    try:
        return _parsed(*name.replace(",", ":").split(":"))
    except UnknownNameError as problem:
        raise UnknownNameError(f"matrix {name!r}: {problem}") from None


def _parsed(generator: str, *words: str) -> Spec:
    if generator not in GRAMMAR:
        hint = suggest(generator, GRAMMAR) or f"; one of {', '.join(GRAMMAR.values())}"
        raise UnknownNameError(f"no generator {generator!r}{hint}")
    plain = [word for word in words if "=" not in word]
    keyed = [word.partition("=") for word in words if "=" in word]
    keys, allowed = {key: value for key, _, value in keyed}, KEYS.get(generator, {})
    variants, is_box = ALL_VARIANTS.get(generator, ()), generator in _BOXES
    count = 1 + int(generator == "random" or (plain[1:2] != [] and plain[1] in variants))
    wrong = [key for key in keys if key not in allowed]
    if wrong or len(keys) != len(keyed) or len(plain) != count:
        every = [*allowed, *itertools.chain(*ALL_VARIANTS.values())]
        hint = next((suggest(word, every) for word in (*wrong, *plain[1:2])), "")
        raise UnknownNameError(f"expected {GRAMMAR[generator]}{hint}")
    values = {key: _number(key, keys[key], value) if key in keys else value for key, value in allowed.items()}
    if generator == "mesh" and values["symmetry"] == 1:
        values["seed"] = 0  # draws nothing
    spec = Spec(
        generator,
        size=0 if is_box else int(_number("size", plain[0], 0)),
        box=_box(plain[0]) if is_box else (0, 0, 0),
        variant=plain[1] if plain[1:] and plain[1] in variants[1:] else "",
        density=_number("density", plain[1], 0.0) if generator == "random" else 0.0,
        keys=tuple(sorted(values.items())),
    )
    _check(spec)
    return spec


def _number(what: str, text: str, default: int | float) -> int | float:
    """Parse a number of the default's type, within the limits of a key."""
    is_integer, (least, most) = isinstance(default, int), _LIMITS.get(what, (0, math.inf))
    if not re.fullmatch("[0-9]{1,18}" if is_integer else r"[0-9]*\.?[0-9]+(e-?[0-9]{1,3})?", text):
        raise UnknownNameError(
            f"{what} {text!r} is not a non-negative {'integer' if is_integer else 'number'}"
        )
    value = int(text) if is_integer else float(text)
    if not least <= value <= most:
        raise UnknownNameError(f"{what} {_written(value)} lies outside {least}..{most}")
    return value


def _box(text: str) -> tuple[int, int, int]:
    sides = re.fullmatch(r"([0-9]{1,9})x([0-9]{1,9})x([0-9]{1,9})", text)
    if sides is None:
        raise UnknownNameError(f"box {text!r} is not written XxYxZ, as in 40x30x1")
    return int(sides[1]), int(sides[2]), int(sides[3])


def _check(spec: Spec) -> None:
    least = LEAST_SIZE.get(f"{spec.generator}:{spec.variant}".removesuffix(":"), 1)
    problems = {
        f"size {spec.size} is below {least}": spec.generator not in _BOXES and spec.size < least,
        "a side of the box is below 1": spec.generator in _BOXES and min(spec.box) < 1,
        "a box of one node has no edge": spec.order < 1,
        f"order {spec.order} exceeds int32 columns ({MAX_ORDER})": spec.order > MAX_ORDER,
        "density 0 lies outside (0, 1]": spec.generator == "random" and spec.density == 0,
    }
    if problem := next((text for text, is_so in problems.items() if is_so), ""):
        raise UnknownNameError(problem)


def _written(value: float) -> str:
    return repr(value).removesuffix(".0")
