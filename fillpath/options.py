"""An implementation's options: typed by its signature, written as text in a case."""

import inspect
import re
import typing
from collections.abc import Callable
from dataclasses import dataclass
from types import UnionType
from typing import Any, Literal

from fillpath.errors import UnknownNameError

# How an error message describes each kind of value.
_EXPECTED = {
    bool: "true or false",
    int: "an integer, or bytes such as 64MB or 1GiB",
    float: "a number",
    str: "text",
}
_UNITS = {
    "": 1,
    "B": 1,
    **{f"{p}B": 10 ** (3 * i) for i, p in enumerate("kMGT", 1)},
    **{f"{p}iB": 2 ** (10 * i) for i, p in enumerate("KMGT", 1)},
}


@dataclass(frozen=True)
class Option:
    """A typed option.

    name : of the keyword-only parameter.
    kind : bool, int, float or str.
    default : of the parameter; None is written `none`.
    choices : the texts that a Literal allows, empty for any.
    """

    name: str
    kind: type
    default: Any
    choices: tuple[str, ...] = ()

    def parse(self, text: str) -> Any:
        """Return the value of a text. Raises UnknownNameError naming the option."""
        if text == "none" and self.default is None:
            return None
        if self.choices and text not in self.choices:
            raise UnknownNameError(f"option {self.name}={text}: expected one of {', '.join(self.choices)}")
        try:
            return _parse_value(self.kind, text)
        except (ValueError, KeyError):
            expected = _EXPECTED[self.kind]
            raise UnknownNameError(f"option {self.name}={text}: expected {expected}") from None

    def text(self, value: Any) -> str:
        """Return the text of a value."""
        if value is None:
            return "none"
        return str(value).lower() if isinstance(value, bool) else str(value)

    def canonical_text(self, value: Any) -> str:
        """Return the one text of a value in a case's name.

        A size has the unit that leaves the smallest number: `1073741824` and `1GiB` are one case, and 16GB
        is not written 15625000KiB.
        """
        if self.kind is int and value and self.name.endswith(("memory", "budget", "bytes")):
            sizes = [(unit, size) for unit, size in _UNITS.items() if len(unit) > 1]
            whole = [(value // size, unit) for unit, size in sizes if value % size == 0]
            if whole:
                return "{}{}".format(*min(whole))
        return self.text(value)


def options_of(function: Callable[..., Any]) -> tuple[Option, ...]:
    """Return the options of an implementation: its keyword-only parameters.

    Raises TypeError for another kind.
    """
    hints = typing.get_type_hints(function)
    keyword_only = [p for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
    return tuple(_option(p.name, hints[p.name], p.default) for p in keyword_only)


def _option(name: str, hint: Any, default: Any) -> Option:
    if typing.get_origin(hint) in (typing.Union, UnionType):
        hint = next(kind for kind in typing.get_args(hint) if kind is not type(None))
    if typing.get_origin(hint) is Literal:
        return Option(name, str, default, typing.get_args(hint))
    if hint not in (bool, int, float, str):
        raise TypeError(f"option {name}: {hint} is none of bool, int, float, str, Literal")
    return Option(name, hint, default)


def _parse_value(kind: type, text: str) -> Any:
    if kind is bool:
        return {"true": True, "false": False}[text]
    if kind is int:
        number = re.fullmatch(r"(-?[0-9]+)([A-Za-z]*)", text)
        if number is None:
            raise ValueError(text)
        return int(number[1]) * _UNITS[number[2]]
    return kind(text)
