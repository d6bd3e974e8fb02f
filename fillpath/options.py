"""An implementation's options: typed by its signature, written as text in a case."""

import inspect
import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Any, Literal

from fillpath.errors import UnknownNameError

_UNITS: Mapping[str, int] = {
    "": 1,
    "B": 1,
    **{f"{p}B": 10 ** (3 * i) for i, p in enumerate("kMGT", 1)},
    **{f"{p}iB": 2 ** (10 * i) for i, p in enumerate("KMGT", 1)},
}


def _size(text: str) -> int:
    number = re.fullmatch(r"(-?[0-9]+)([A-Za-z]*)", text)
    if number is None:
        raise ValueError(text)
    return int(number[1]) * _UNITS[number[2]]


# How each kind of value is parsed, and described in an error.
_KINDS: Mapping[type, tuple[Callable[[str], Any], str]] = {
    bool: ({"true": True, "false": False}.__getitem__, "true or false"),
    int: (_size, "an integer, or bytes such as 64MB or 1GiB"),
    float: (float, "a number"),
    str: (str, "text"),
}


@dataclass(frozen=True)
class Option:
    """A typed option.

    name : str, the keyword-only parameter
    kind : type, bool, int, float or str
    default : value of the parameter; None is written `none`
    choices : tuple of str, the texts that a Literal allows, empty for any
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
        parse, expected = _KINDS[self.kind]
        try:
            return parse(text)
        except (ValueError, KeyError):
            raise UnknownNameError(f"option {self.name}={text}: expected {expected}") from None

    def text(self, value: Any) -> str:
        """Return the one text of a value in a case's name.

        A size has the unit that leaves the smallest number: `1073741824` and `1GiB` are one case, and 16GB
        is not written 15625000KiB.
        """
        if self.kind is int and value and self.name.endswith(("memory", "budget", "bytes")):
            sizes = [(unit, size) for unit, size in _UNITS.items() if len(unit) > 1]
            whole = [(value // size, unit) for unit, size in sizes if value % size == 0]
            if whole:
                return "{}{}".format(*min(whole))
        return str(value).lower() if isinstance(value, bool | None) else str(value)


def options_of(function: Callable[..., Any]) -> tuple[Option, ...]:
    """Return the options of an implementation: its keyword-only parameters.

    Raises TypeError for another kind.
    """
    hints, options = typing.get_type_hints(function), []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is not parameter.KEYWORD_ONLY:
            continue
        kind, choices = hints[parameter.name], ()
        if typing.get_origin(kind) in (typing.Union, UnionType):
            kind = next(each for each in typing.get_args(kind) if each is not type(None))
        if typing.get_origin(kind) is Literal:
            kind, choices = str, typing.get_args(kind)
        if kind not in _KINDS:
            raise TypeError(f"option {parameter.name}: {kind} is none of bool, int, float, str, Literal")
        options.append(Option(parameter.name, kind, parameter.default, choices))
    return tuple(options)
