"""The nouns of config/claims/: a claim, its kind, and the columns that it is held against."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """The matter of a claim; the kinds are counted apart."""

    PERFORMANCE = "performance"
    WORDS = "what the text says in words"
    STRUCTURE = "structure"
    INPUT = "facts of inputs"


@dataclass(frozen=True)
class Held:
    """A column of its figure's frame that a claim is held against, whose fields docs/claims.md explains.

    column : its interval is in `<column>_low` and `<column>_high`.
    untestable : why the numbers cannot test the claim, set by a subset alone.
    """

    column: str
    status: str = "status"
    basis: str = ""
    only: Mapping[str, Any] = field(default_factory=dict)
    subsets: str = ""
    above: float = 1.0
    against: str = ""
    beside: bool = False
    untestable: str = ""


@dataclass(frozen=True)
class Claim:
    """One claim, whose fields docs/claims.md explains.

    value : what is printed; of a range its mean, of ratios by matrix their geometric mean, of counts the
        share, of a trend its sign.
    by_matrix : what is printed of each matrix, by abbreviation.
    span, count : the ends of a range; a number and its total.
    matrices : of the claim, None where the paper names none.
    neutral : the value of no effect, None where there is none.
    tolerance : share of the printed effect, None where only the direction is printed.
    """

    paper: str
    subject: str
    name: str
    kind: Kind
    time: bool
    cite: str
    what: str
    metric: str
    aggregate: str
    value: float
    matrices: tuple[str, ...] | None
    neutral: float | None
    tolerance: float | None
    by_matrix: Mapping[str, float] = field(default_factory=dict)
    span: tuple[float, float] | None = None
    count: tuple[int, int] | None = None
    unit: str = "x"
    pair: str = ""
    not_comparable: str = ""
    derived: str = ""
    needs: str = ""
    library: str = ""
    card: str = ""
    held: tuple[Held, ...] = ()

    @property
    def id(self) -> str:
        return f"{self.paper}.{self.subject}.{self.name}"

    @property
    def is_ratio(self) -> bool:
        """Whether each number is a ratio, which is above 0."""
        return self.unit == "x" and self.aggregate not in ("count", "trend")

    @property
    def is_share(self) -> bool:
        """Whether the claim is about a share of the matrices: a number of a total, or most."""
        most = self.value == 1.0 and self.tolerance is None
        return self.aggregate == "count" and (self.count is not None or most)

    def form(self, value: float) -> str:
        """Return a number as text, with the unit."""
        if self.unit == "x":
            return f"{value:,.0f}x" if abs(value) >= 1000 else f"{value:.4g}x"
        if self.unit == "share":
            return f"{100 * value:.3g}%"
        if self.unit == "count":
            return f"{value:,.0f}"
        return f"{value:.4g}{ {'%': '%', 'number': ''}.get(self.unit, f' {self.unit}') }"

    @property
    def printed(self) -> str:
        """Return what is printed, as text."""
        if self.count:
            return f"{self.count[0]} of {self.count[1]}"
        if self.aggregate == "trend":
            return "rises" if self.value > 0 else "falls"
        if self.aggregate == "count":
            return "none" if self.value == 0 else "all" if self.tolerance is not None else "most"
        if self.tolerance is None and self.neutral is not None:
            return f"{'above' if self.value > self.neutral else 'below'} {self.form(self.neutral)}"
        if self.aggregate == "equal":
            return f"as listed, of {len(self.by_matrix)} matrices"
        if self.span:
            return f"{self.form(self.span[0])} to {self.form(self.span[1])}"
        names = [*(self.matrices or ())] if len(self.matrices or ()) == 1 else []
        names += [f"the {self.aggregate}"] if self.aggregate in ("largest", "smallest") else []
        if names:
            return f"{self.form(self.value)} ({', '.join(names)})"
        if self.matrices is None:
            return self.form(self.value)
        count, by_matrix = len(self.by_matrix), self.aggregate == "each" and len(self.by_matrix) > 1
        mean = f"{'geometric ' * (self.unit == 'x' and count > 1)}mean {self.form(self.value)}"
        return f"each of {count} matrices, {mean}" if by_matrix else mean
