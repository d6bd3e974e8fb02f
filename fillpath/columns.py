"""Text for people: rows in columns, a count with its noun."""

from collections.abc import Sequence


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows as lines, in columns as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def counted(count: int, noun: str) -> str:
    """Return `1 case` or `2 cases`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
