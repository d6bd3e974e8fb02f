"""Which matrices of the collection are sought, whoever answers."""

from __future__ import annotations

from dataclasses import dataclass, fields

from fetch.collection import Listed


@dataclass(frozen=True)
class Range:
    """The numbers from low to high, both included; None where there is no end."""

    low: float | None = None
    high: float | None = None

    def __contains__(self, number: float) -> bool:
        return (self.low is None or self.low <= number) and (self.high is None or number <= self.high)

    def __str__(self) -> str:
        return "..".join("" if end is None else str(end) for end in (self.low, self.high))


@dataclass(frozen=True)
class Query:
    """What a matrix has to meet, all of it; what is empty asks nothing.

    search : part of its Group/Name or of its kind
    name : part of its name
    group : the whole name of its group, in the collection's spelling
    kind : part of its kind
    rows, entries : as in `Listed`
    symmetry : of its pattern

    Parts ignore the case of the letters A to Z, as SQLite's LIKE does.
    """

    search: str = ""
    name: str = ""
    group: str = ""
    kind: str = ""
    rows: Range = Range()
    entries: Range = Range()
    symmetry: Range = Range()

    def __str__(self) -> str:
        """As a user writes it: `--search circuit --rows 1000..`."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return " ".join(f"--{name} {value}" for name, value in values.items() if value not in ("", Range()))

    def matches(self, matrix: Listed) -> bool:
        """Whether the matrix is one of those sought."""
        return (
            _within(self.search, f"{matrix.group}/{matrix.name}\n{matrix.kind}")
            and _within(self.name, matrix.name)
            and self.group in ("", matrix.group)
            and _within(self.kind, matrix.kind)
            and matrix.rows in self.rows
            and matrix.entries in self.entries
            and matrix.pattern_symmetry in self.symmetry
        )


def _within(part: str, text: str) -> bool:
    return _folded(part) in _folded(text)


def _folded(text: str) -> bytes:
    # Of bytes, `lower` changes A to Z alone.
    return text.encode(errors="surrogatepass").lower()
