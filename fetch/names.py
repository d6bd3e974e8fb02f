"""The names of generated matrices, each parsed into a `Spec`.

    poisson3d:k[:variant]                     7-point Laplacian on k x k x k points: uniform, aniso, contrast,
                                              aniso_x, checkered
    grid2d:k[:dirichlet|laplacian]            5-point Laplacian on k x k points
    fem3d:k[:unknowns=d]                      trilinear hexahedra on k x k x k nodes, d unknowns per node
    circuit:n[:seed=s][:symmetry=f]           local wires, a few dense rows and columns
    random:n:density[:seed=s]                 uniform random pattern
    road:n[:seed=s]                           Laplacian of a graph like a road network
    delaunay:n[:seed=s]                       Laplacian of a triangulation of random points

A matrix has one canonical name: defaults are left out, keys are sorted, and a number has one spelling. In a
case's name `,` stands for `:`.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from fillpath.errors import UnknownNameError, suggest

VARIANTS = ("uniform", "aniso", "contrast", "aniso_x", "checkered")
# The variants of a generator, the default first.
ALL_VARIANTS = {"poisson3d": VARIANTS, "grid2d": ("dirichlet", "laplacian")}
GRAMMAR = {
    "poisson3d": f"poisson3d:k[:{'|'.join(VARIANTS)}]",
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
# What a connected graph or a triangulation needs.
LEAST_SIZE = {"grid2d:laplacian": 2, "road": 2, "delaunay": 4}
MAX_ORDER = 2**31 - 1
MAX_UNKNOWNS = 64


@dataclass(frozen=True)
class Spec:
    """A parsed name.

    generator : one of `GRAMMAR`
    size : points along a side, or the order
    variant : empty for the default
    density : of `random`, 0 for others
    seed : of random numbers
    symmetry : of `circuit`, 0.5 for others
    unknowns : per node of `fem3d`, 1 for others
    """

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
        """Entries by formula, None for a seeded matrix. A grid has one entry fewer per boundary point and
        direction; along a side of k nodes 3 k - 2 pairs share an element."""
        if self.generator == "poisson3d":
            return 7 * self.size**3 - 6 * self.size**2
        if self.generator == "fem3d":
            return self.unknowns**2 * (3 * self.size - 2) ** 3
        return 5 * self.size**2 - 4 * self.size if self.generator == "grid2d" else None

    @property
    def least_entries(self) -> int:
        """As `nnz`; for a seeded matrix the diagonal, and the mean of the other entries of `random`."""
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
    """Whether the text begins like the name of a generated matrix, where `,` may stand for `:`."""
    head, colon, _ = text.replace(",", ":").partition(":")
    return bool(colon) or head in GRAMMAR


def parse(name: str) -> Spec:
    """The specification for a name, where `,` may stand for `:`. Raises UnknownNameError that says which part
    is wrong."""
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
