"""Parameters of which a few run every day, and the rest in `make thorough`."""

from collections.abc import Iterable
from typing import Any

import pytest


def daily(parameters: Iterable[Any], *chosen: Any) -> list[Any]:
    """Mark all parameters as thorough but the chosen ones; a tuple holds the values of several names."""
    every = list(parameters)
    assert all(each in every for each in chosen), chosen
    return [each if each in chosen else thorough(each) for each in every]


def thorough(parameter: Any) -> Any:
    """Mark a parameter as thorough."""
    values = parameter if isinstance(parameter, tuple) else (parameter,)
    return pytest.param(*values, marks=pytest.mark.thorough)
