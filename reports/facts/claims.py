"""The papers' claims in config/claims/<paper>.yaml, read once and checked, and what each is held against.

find_claim("gsofa.fig10_vs_fill2_gpu.mean").value   # 13.01
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from fillpath.errors import ConfigError, find
from fillpath.papers import papers
from reports.facts.means import geometric_mean
from reports.facts.printed import abbreviations, claims_file, printed_sums

# The printed words of counts and of trends, as numbers.
_WORDS = {"all": 1.0, "most": 1.0, "none": 0.0, "rises": 1.0, "falls": -1.0}
# The value of no effect by aggregate, where it is not 1.
_NEUTRAL = {"count": 0.5, "trend": 0.0}


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


@functools.cache
def subjects() -> Mapping[tuple[str, str], Mapping[str, Any]]:
    """Return the reports by (paper, id). Raises ConfigError where a file contradicts the schema."""
    # `names` maps a paper's own names: no subject
    return {(of, id): data for of in papers() for id, data in claims_file(of).items() if id != "names"}


def subject(paper: str, id: str) -> Mapping[str, Any]:
    """Return the report of that name, as its file has it. Raises UnknownNameError with suggestions."""
    return find(f"{paper}.{id}", {".".join(names): data for names, data in subjects().items()}, "no subject")


@functools.cache
def claims() -> Mapping[str, Claim]:
    """Return every claim by its id, in the order of the files. Raises ConfigError for a missing number."""
    every = [_claim(*of, name) for of, subject in subjects().items() for name in subject["claims"]]
    return {claim.id: claim for claim in every}


def find_claim(id: str) -> Claim:
    """Return the claim of that id. Raises UnknownNameError with suggestions."""
    return find(id, claims(), "no claim", "; `fillpath claims` lists them")


def claims_of(paper: str, id: str) -> list[Claim]:
    """Return the claims of a subject. Raises UnknownNameError for one that no file has."""
    subject(paper, id)
    return [claim for claim in claims().values() if (claim.paper, claim.subject) == (paper, id)]


def _claim(paper: str, id: str, name: str) -> Claim:
    subject = subjects()[paper, id]
    data, where = subject["claims"][name], f"config/claims/{paper}.yaml: {id}.{name}"
    both = {**subject, **data}
    printed = _printed(paper, subject, data["printed"], where)
    if "by_matrix" in data:
        printed["by_matrix"] = printed_sums(paper, data["by_matrix"], where)
    parts, ratios = printed.get("by_matrix", {}), both.get("unit", "x") == "x"
    if ratios and data["aggregate"] == "mean":
        raise ConfigError(f"{where}: aggregate: mean: ratios have a geometric mean, which is `geometric`")
    if ratios and data["aggregate"] == "each" and len(parts) > 1 and min(parts.values()) > 0:
        printed["value"] = geometric_mean(list(parts.values()))
    kind, tolerance = Kind[str(both["kind"]).upper()], both["tolerance"]
    matrices = both.get("matrices", list(parts) or list(abbreviations(paper).values()))
    computed = {
        "paper": paper, "subject": id, "name": name, "kind": kind,
        "time": both.get("time", kind is Kind.PERFORMANCE), "matrices": tuple(map(str, matrices)) or None,
        "neutral": both.get("neutral", _NEUTRAL.get(data["aggregate"], 1.0)),
        "tolerance": None if tolerance is None else float(tolerance), "held": _held(both, data, where),
    }  # fmt: skip
    given = {field.name: both[field.name] for field in fields(Claim) if field.name in both}
    return Claim(**given | computed | printed)


def _held(both: Mapping[str, Any], data: Mapping[str, Any], where: str) -> tuple[Held, ...]:
    """Return what a claim is held against: its own column, and those of `also`, which inherit from it."""
    names = {field.name for field in fields(Held)}
    own = {name: value for name, value in both.items() if name in names}
    if "column" in own:
        return Held(**own), *(Held(**own | other) for other in both.get("also", ()))
    if names & data.keys() or "also" in data:
        raise ConfigError(f"{where}: no column is named that it is held against")
    return ()


def _printed(paper: str, subject: Mapping[str, Any], source: Any, where: str) -> dict[str, Any]:
    """Return `value`, and `by_matrix`, `span` or `count`, of a number, word, key, count or printed column."""
    number = source
    if isinstance(source, Mapping):
        if "count" in source:
            return {"value": source["count"] / source["of"], "count": (source["count"], source["of"])}
        number = printed_sums(paper, source, where)
    elif isinstance(source, str):
        if source in _WORDS:
            return {"value": _WORDS[source]}
        number = subject
        for key in source.split("."):
            if not isinstance(number, Mapping) or key not in number:
                raise ConfigError(f"{where}: printed: {source}: no such key of its subject")
            number = number[key]
    if isinstance(number, list):
        return {"value": (number[0] + number[1]) / 2, "span": (float(number[0]), float(number[1]))}
    if isinstance(number, Mapping):
        numbers = {str(abbr): float(value) for abbr, value in number.items()}
        return {"value": sum(numbers.values()) / len(numbers), "by_matrix": numbers}
    return {"value": float(number)}
