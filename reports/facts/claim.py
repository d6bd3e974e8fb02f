"""The nouns of config/claims/: what a paper reports of one thing, and each claim in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """What a claim is about; the kinds are counted apart."""

    PERFORMANCE = "performance"
    WORDS = "what the text says in words"
    STRUCTURE = "structure"
    INPUT = "facts of inputs"


@dataclass(frozen=True)
class Subject:
    """What a paper reports of one thing, in a figure or table say.

    data : as its file has it; numbers are ratios unless `unit` says otherwise.
    """

    paper: str
    id: str
    data: Mapping[str, Any]

    @property
    def what(self) -> str:
        return str(self.data.get("what", self.id.partition("_")[2].replace("_", " ")))

    @property
    def figure(self) -> str:
        """`fig10` or `table1` where the id begins with one, else an empty string."""
        head = self.id.partition("_")[0]
        return head if head.startswith(("fig", "table")) and head[-1].isdigit() else ""

    @property
    def mean(self) -> float | None:
        value = self.data.get("mean")
        return float(value) if isinstance(value, int | float) else None

    def extreme(self, which: str) -> tuple[str, float] | None:
        """(abbreviation, value) of `max` or `min`, where the paper names the matrix."""
        value = self.data.get(which)
        return next(iter(value.items())) if isinstance(value, Mapping) else None

    def value(self, abbreviation: str) -> float | None:
        """The number printed for one matrix, None where the paper prints none."""
        for key in ("per", "one_node", "max", "min"):
            numbers = self.data.get(key)
            if isinstance(numbers, Mapping) and abbreviation in numbers:
                return float(numbers[abbreviation])
        return None


@dataclass(frozen=True)
class Held:
    """A column of its figure's frame that a claim is held against, as docs/claims.md explains.

    column : numbers; where there is an interval it has `<column>_low` and `<column>_high` beside it.
    status : the column that says `ok` or why there is no number.
    basis : what is compared, empty for the claim's own metric.
    only : of the frame's rows, those with these values.
    subsets : the figure's name for what takes apart rows that are judged apart, empty for nothing.
    above : what a number has to exceed to be counted.
    against : the column that the value of a trend goes with, empty for none.
    beside : the numbers stand beside the print and are not judged.
    untestable : why the numbers cannot test the claim, empty where they can.
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
    """One claim.

    kind : what it is about.
    time : it is of a time, which differs from process to process.
    cite : where it is printed.
    metric : of what, over what.
    aggregate : how the numbers of the matrices become one, as docs/claims.md explains.
    value : what is printed; of a range its mean, of ratios by matrix their geometric mean, of counts the
        share, of a trend its sign.
    by_matrix : what is printed of each matrix, by abbreviation.
    span : of a range.
    count : so many of so many.
    matrices : those that it is about, None where the paper does not say.
    unit : x (a ratio), %, share, count, or a unit of measure.
    neutral : the value of no effect, None where there is none.
    tolerance : share of the printed effect, value less neutral, by which a reproduction may be off; None
        where only the direction is printed.
    pair : the name of the claim of the same subject that it is judged with, empty for none.
    not_comparable : why its number is shown and not judged, empty for a claim that is.
    derived : how it follows from printed numbers alone, empty for a claim of measurements.
    needs : what no machine here has, empty for nothing.
    library : the peer of config/peers.yaml whose results it is of, empty for none.
    held : columns of its figure's frame that it is held against.
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
    by_matrix: Mapping[str, float]
    span: tuple[float, float] | None
    count: tuple[int, int] | None
    matrices: tuple[str, ...] | None
    unit: str
    neutral: float | None
    tolerance: float | None
    pair: str
    not_comparable: str
    derived: str
    needs: str
    library: str
    held: tuple[Held, ...] = ()

    @property
    def id(self) -> str:
        return f"{self.paper}.{self.subject}.{self.name}"

    @property
    def is_ratio(self) -> bool:
        """Whether each number of it is a ratio, which is above 0."""
        return self.unit == "x" and self.aggregate not in ("count", "trend")

    @property
    def is_share(self) -> bool:
        """Whether it says of how many of the matrices something holds: so many of so many, or most."""
        most = self.value == 1.0 and self.tolerance is None
        return self.aggregate == "count" and (self.count is not None or most)

    def form(self, value: float) -> str:
        """A number as text, with the unit."""
        if self.unit == "x":
            return f"{value:,.0f}x" if abs(value) >= 1000 else f"{value:.4g}x"
        if self.unit == "share":
            return f"{100 * value:.3g}%"
        if self.unit == "count":
            return f"{value:,.0f}"
        return f"{value:.4g}{ {'%': '%', 'number': ''}.get(self.unit, f' {self.unit}') }"

    @property
    def printed(self) -> str:
        """What is printed, as text."""
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
        whose = list(self.matrices or ()) if len(self.matrices or ()) == 1 else []
        if self.aggregate in ("largest", "smallest"):
            return f"{self.form(self.value)} ({', '.join([*whose, f'the {self.aggregate}'])})"
        if whose or self.matrices is None:
            return f"{self.form(self.value)}{f' ({whose[0]})' if whose else ''}"
        geometric = self.unit == "x" and self.aggregate != "mean" and len(self.by_matrix) > 1
        return f"{'geometric mean' if geometric else 'mean'} {self.form(self.value)}"
