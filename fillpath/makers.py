"""How the nouns are made that implementations are given: one function of impl/inputs.py for each."""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

Maker = TypeVar("Maker", bound=Callable[..., Any])

_makers: dict[type, Callable[..., Any]] = {}


def maker(function: Maker) -> Maker:
    """Register the function that makes the noun it returns, of the nouns that it takes."""
    _makers[typing.get_type_hints(function)["return"]] = function
    return function


def maker_of(noun: type) -> Callable[..., Any] | None:
    """Return the function that makes a noun; None for one that comes with the prepared matrix."""
    return _makers.get(noun)


def parts_of(function: Callable[..., Any]) -> Mapping[str, type]:
    """Return the nouns that a maker takes, by parameter."""
    return {name: noun for name, noun in typing.get_type_hints(function).items() if name != "return"}


def makers_of(noun: type) -> list[Callable[..., Any]]:
    """Return the functions that make a noun and the nouns that it is made of."""
    function = maker_of(noun)
    if function is None:
        return []
    return [function, *(inner for part in parts_of(function).values() for inner in makers_of(part))]
