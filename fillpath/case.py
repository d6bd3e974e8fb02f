"""`Case`: one thing to measure, and the grammar of its name.

    stage.implementation[.option=value]...@matrix.preparation

The name is asv's parameter, the record's file stem, Snakemake's wildcard and the figure's key, so it contains
only `[A-Za-z0-9._=,@+-]`. Options that differ from their defaults are written in sorted order, and so are
`seed`, `threads` and `gpus`. A value or a matrix name may contain a dot. A piece without `=` continues the
value before it; the preparation follows the last dot. Matrix names write `:` as `,` and `/` as
`+`: `poisson3d:40:uniform` is `poisson3d,40,uniform`, `HB/bcsstk18` is `HB+bcsstk18`.
"""

import functools
import re
from dataclasses import dataclass, field
from typing import Self

from fillpath.errors import UnknownNameError, find

MATCHINGS = ("none", "auto", "mc64")
# A file name may have 255 bytes on every common file system, and a suffix follows.
MAX_NAME = 230
ORDERINGS = ("natural", "random", "nnz", "amd", "metis", "dissection", "geometric", "best")
# How many systems of one pattern ordering `best` looks ahead to.
SYSTEMS = ("one", "many")
MAX_DIAGONAL = 10**15

_PREPARATION = re.compile(
    r"(?:(\w+)\+)?(?!dropzeros\b)(\w+)(?:\+for=(\w+))?(\+dropzeros)?(?:\+diagonal=([1-9][0-9]{0,18}))?",
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_VALUE = re.compile(r"[A-Za-z0-9._,+-]+")
_MATRIX = re.compile(r"[A-Za-z0-9][A-Za-z0-9._=,+-]*")
_COUNT = re.compile(r"[1-9][0-9]*")
_RESERVED = ("gpus", "seed", "threads")


@dataclass(frozen=True, order=True)
class Preparation:
    """How a matrix is prepared. Written `[matching+]ordering[+for=many][+dropzeros][+diagonal=V]`.

    matching : str, of rows to columns; "none" is not written
    ordering : str, a permutation that reduces fill
    explicit_zeros : bool, whether they are kept
    diagonal : int, the value for zeros on the diagonal, in place of a matching; 0 leaves them
    systems : str, how many systems of one pattern ordering best is for; "one" is not written
    """

    matching: str = "none"
    ordering: str = "natural"
    explicit_zeros: bool = True
    diagonal: int = 0
    systems: str = "one"

    def __post_init__(self) -> None:
        find(self.systems, dict.fromkeys(SYSTEMS), "no preparation for")
        if self.systems != "one" and self.ordering != "best":
            raise UnknownNameError(f"for={self.systems} is for ordering best, not {self.ordering}")
        find(self.matching, dict.fromkeys(MATCHINGS), "no matching")
        find(self.ordering, dict.fromkeys(ORDERINGS), "no ordering")
        if not 0 <= self.diagonal <= MAX_DIAGONAL:
            raise UnknownNameError(f"diagonal {self.diagonal}: expected an integer in 0..{MAX_DIAGONAL}")
        if self.diagonal and self.matching != "none":
            raise UnknownNameError(f"diagonal={self.diagonal} replaces a matching: use matching none")

    @property
    def name(self) -> str:
        matching = [] if self.matching == "none" else [self.matching]
        systems = [] if self.systems == "one" else [f"for={self.systems}"]
        zeros = [] if self.explicit_zeros else ["dropzeros"]
        diagonal = [f"diagonal={self.diagonal}"] if self.diagonal else []
        return "+".join([*matching, self.ordering, *systems, *zeros, *diagonal])

    @classmethod
    def parse(cls, name: str) -> Self:
        """Return the preparation of that name. Raises UnknownNameError unless it is written canonically."""
        found = _PREPARATION.fullmatch(name)
        if found is None:
            expected = "[matching+]ordering[+for=many][+dropzeros][+diagonal=V]"
            raise UnknownNameError(f"preparation {name!r}: expected {expected}")
        matching, ordering, systems, dropped, diagonal = found.groups()
        preparation = cls(matching or "none", ordering, not dropped, int(diagonal or 0), systems or "one")
        if preparation.name != name:
            raise UnknownNameError(f"preparation {name!r}: write {preparation.name!r}")
        return preparation


@dataclass(frozen=True, order=True)
class Case:
    """One implementation with its options on one prepared matrix. `name` and `parse` are inverses.

    options : tuple of (name, value), sorted, values as text, defaults left out
    seed : int, of preparation and of the algorithm
    threads : int, 0 for all cores
    gpus : int, 0 for the implementation's default (no GPU, or one)
    """

    stage: str
    implementation: str
    matrix: str
    preparation: Preparation = field(default_factory=Preparation)
    options: tuple[tuple[str, str], ...] = ()
    seed: int = 0
    threads: int = 0
    gpus: int = 0

    def __post_init__(self) -> None:
        for word in (self.stage, self.implementation, *(key for key, _ in self.options)):
            _match(_NAME, word, "name")
        for key, value in self.options:
            _match(_VALUE, value, f"value of option {key}")
            if key in _RESERVED:
                raise UnknownNameError(f"option {key!r} is a field of the case, not an option")
        _match(_MATRIX, self.matrix, "matrix")
        if tuple(sorted(dict(self.options).items())) != self.options:
            raise UnknownNameError(f"options {self.options} are not sorted, or repeat a name")
        for key in _RESERVED:
            if not 0 <= getattr(self, key) < 2**63:
                raise UnknownNameError(f"{key} = {getattr(self, key)}: expected an integer in 0..2^63 - 1")
        if len(self.name) > MAX_NAME:
            length = f"{len(self.name)} characters, at most {MAX_NAME}"
            raise UnknownNameError(f"case {self.name[:60]}...: {length}")

    @functools.cached_property
    def name(self) -> str:
        fields = {key: str(getattr(self, key)) for key in _RESERVED if getattr(self, key)}
        written = sorted({**dict(self.options), **fields}.items())
        left = [self.stage, self.implementation, *(f"{key}={value}" for key, value in written)]
        return f"{'.'.join(left)}@{self.matrix}.{self.preparation.name}"

    @property
    def command(self) -> list[str]:
        """Return the words that measure the case: `fillpath run` with its arguments."""
        preparation = self.preparation
        words = ["fillpath", "run", self.stage, self.implementation, self.matrix.replace(",", ":")]
        words += ["--matching", preparation.matching, "--ordering", preparation.ordering]
        words += ["--for", preparation.systems] if preparation.systems != "one" else []
        words += ["--diagonal", str(preparation.diagonal)] if preparation.diagonal else []
        words += [] if preparation.explicit_zeros else ["--drop-zeros"]
        words += [word for name, value in self.options for word in ("--option", f"{name}={value}")]
        for key in _RESERVED:
            words += [f"--{key}", str(getattr(self, key))] if getattr(self, key) else []
        return words

    @classmethod
    @functools.cache
    def parse(cls, name: str) -> "Case":
        """Return the case of that name. Raises UnknownNameError naming the part that does not parse."""
        left, at, right = name.partition("@")
        matrix, dot, preparation = right.rpartition(".")
        if not at or not dot:
            expected = "stage.implementation[.option=value]@matrix.preparation"
            raise UnknownNameError(f"case {name!r}: expected {expected}")
        stage, _, rest = left.partition(".")
        implementation, _, written = rest.partition(".")
        # A dot separates options only where another `=` follows before the next dot.
        pieces = re.split(r"\.(?=[^.=]*=)", written) if written else []
        options = {key: value for key, _, value in (piece.partition("=") for piece in pieces)}
        reserved = {key: options.pop(key) for key in _RESERVED if key in options}
        for key, count in reserved.items():
            _match(_COUNT, count, f"case {name!r}: {key}")
        counts = {key: int(count) for key, count in reserved.items()}
        sorted_options = tuple(sorted(options.items()))
        case = cls(stage, implementation, matrix, Preparation.parse(preparation), sorted_options, **counts)
        if case.name != name:
            raise UnknownNameError(f"case {name!r}: write {case.name!r}")
        return case


@functools.cache
def matrix_id(name: str) -> str:
    """Return a matrix's name as a case writes it: `:` as `,` and `/` as `+`."""
    return name.replace(":", ",").replace("/", "+")


def _match(pattern: re.Pattern[str], text: str, what: str) -> None:
    if not pattern.fullmatch(text):
        raise UnknownNameError(f"{what} {text!r}: only {pattern.pattern} is allowed")
