"""Implementations as tests call them: on host nouns, whatever device they work on."""

from collections.abc import Callable
from typing import Any

import pytest

from fillpath import registry
from impl.cuda.transfer import on_device, on_host


def hosted(entry: registry.Implementation) -> Callable[..., Any]:
    """The implementation's function, from and to the host. Skips the test where it is not available."""
    available, why_not = entry.available()
    if not available:
        pytest.skip(why_not)
    if entry.device == "cpu":
        return entry.function

    def function(noun: Any, **options: Any) -> Any:
        result, work = entry.function(on_device(noun), **options)
        return on_host(result), on_host(work)

    return function
