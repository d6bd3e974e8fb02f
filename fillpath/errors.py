"""The error family: what was wrong, where, and what to do.

The command line turns each of these into one line and an exit status; `status` is that of a measurement that
raised it.
"""

import difflib
from collections.abc import Iterable, Mapping
from typing import ClassVar, TypeVar

Value = TypeVar("Value")


class FillpathError(Exception):
    """An error that fillpath can explain. Its text is one line that a user can act on."""

    status: ClassVar[str] = "error"


class UnknownNameError(FillpathError):
    """A case, matrix, stage, implementation or option name that does not exist or does not parse."""


class InputError(FillpathError):
    """A matrix or file that cannot be used: malformed, rectangular, empty, structurally singular."""


class UnsupportedError(FillpathError):
    """The request is well formed, but this implementation or preparation does not cover it."""

    status = "unsupported"


class UnavailableError(FillpathError):
    """Something optional that this machine lacks: a library, a device."""

    status = "unavailable"


class MemoryBudgetError(FillpathError):
    """The memory budget is below what the smallest unit of work needs."""

    status = "out_of_memory"


class ConfigError(FillpathError):
    """A file under config/, or a setting, that contradicts its schema."""


class TransferError(FillpathError):
    """A matrix that could not be fetched."""

    status = "not_run"


class DiskFullError(FillpathError):
    """A file system has too little room for what is to be written. Finished files stay intact."""


def suggest(word: str, words: Iterable[str]) -> str:
    """Return `"; did you mean a, b?"` with known words, an empty string without any.

    Words that begin with `word`, also after a slash, come first, then those most like it, in any case.
    """
    small = word.lower()
    likeness = {other: difflib.SequenceMatcher(a=other.lower(), b=small).ratio() for other in words}
    begun = {other: bool(word) and f"/{small}" in f"/{other.lower()}" for other in likeness}
    near = [other for other in likeness if begun[other] or likeness[other] >= 0.6]
    nearest = sorted(near, key=lambda other: (not begun[other], -likeness[other]))[:3]
    return f"; did you mean {', '.join(nearest)}?" if nearest else ""


def find(name: str, known: Mapping[str, Value], refusal: str, advice: str = "") -> Value:
    """Return the value of a name. Raises UnknownNameError with suggestions, else with the advice.

    refusal : str, the beginning of the error, before the name
    advice : str, empty to list the known names
    """
    if name not in known:
        hint = suggest(name, known) or advice or f"; expected one of {', '.join(known)}"
        raise UnknownNameError(f"{refusal} {name!r}{hint}")
    return known[name]
