"""Ranges as the value of an option: `1000..1e6`, `1000..`, `..1e6`, or one number."""

import argparse
import re
from decimal import Decimal

from fetch.search import Range

# Few enough digits that any text is read at once.
_NUMBER = re.compile(r"([0-9]{1,18}\.?|[0-9]{0,18}\.[0-9]{1,18})(e\+?[0-9]{1,2})?", re.IGNORECASE)


def counts(text: str) -> Range:
    """Parse a range of whole numbers from 0 on. Raises ArgumentTypeError."""
    return _range(text, whole=True)


def shares(text: str) -> Range:
    """Parse a range of numbers from 0 to 1. Raises ArgumentTypeError."""
    return _range(text, whole=False)


def _range(text: str, whole: bool) -> Range:
    first, dots, last = text.partition("..")
    low, high = (_end(text, part, whole) if part else None for part in (first, last if dots else first))
    if low is None and high is None:
        raise argparse.ArgumentTypeError(f"{text!r} has no end: write A..B, A.., ..B or one number")
    if low is not None and high is not None and low > high:
        raise argparse.ArgumentTypeError(f"{text!r} holds no number: did you mean {last}..{first}?")
    return Range(low, high)


def _end(text: str, part: str, whole: bool) -> float:
    """Return one end of a range."""
    value = Decimal(part) if _NUMBER.fullmatch(part) else Decimal(-1)
    if value < 0 or (value != int(value) if whole else value > 1):
        kind = "a whole number such as 1000 or 1e6" if whole else "a number from 0 to 1"
        raise argparse.ArgumentTypeError(f"{text!r}: {part!r} is not {kind}; write A..B, A.. or ..B")
    return int(value) if whole else float(value)
