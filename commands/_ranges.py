"""Ranges as the value of an option: `1000..1e6`, `1000..`, `..1e6`, or one number."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from decimal import Decimal

from fetch.search import Range

# Few enough digits that any text is read at once.
_NUMBER = re.compile(r"([0-9]{1,18}\.?|[0-9]{0,18}\.[0-9]{1,18})(e\+?[0-9]{1,2})?", re.IGNORECASE)


def counts(text: str) -> Range:
    """Parse a range of whole numbers from 0 on. Raises ArgumentTypeError."""
    return _range(text, _count)


def shares(text: str) -> Range:
    """Parse a range of numbers from 0 to 1. Raises ArgumentTypeError."""
    return _range(text, _share)


def _range(text: str, number: Callable[[str], float | None]) -> Range:
    first, dots, last = text.partition("..")
    ends = [(part, number(part) if part else None) for part in (first, last if dots else first)]
    for part, end in ends:
        if part and end is None:
            kind = "a whole number such as 1000 or 1e6" if number is _count else "a number from 0 to 1"
            raise argparse.ArgumentTypeError(f"{text!r}: {part!r} is not {kind}; write A..B, A.. or ..B")
    (_, low), (_, high) = ends
    if low is None and high is None:
        raise argparse.ArgumentTypeError(f"{text!r} has no end: write A..B, A.., ..B or one number")
    if low is not None and high is not None and low > high:
        raise argparse.ArgumentTypeError(f"{text!r} holds no number: did you mean {last}..{first}?")
    return Range(low, high)


def _count(text: str) -> int | None:
    value = Decimal(text) if _NUMBER.fullmatch(text) else Decimal("0.5")
    return int(value) if value == int(value) else None


def _share(text: str) -> float | None:
    value = float(text) if _NUMBER.fullmatch(text) else 2.0
    return value if value <= 1 else None
