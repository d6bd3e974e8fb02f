"""The ledger as JSON, by config/schemas/ledger.json."""

import functools
import json
import math
from collections.abc import Sequence
from typing import Any

from fillpath.config import violation
from fillpath.errors import ConfigError
from fillpath.paths import CONFIG
from reports.claims.verdict import Standing, Verdict
from reports.pages.ledger.text import HARDWARE_DIFFERS


def to_json(machines: Sequence[str], standings: Sequence[Standing]) -> dict[str, Any]:
    """Return the ledger of these machines as JSON values. Raises ConfigError where they break the schema."""
    head = {"schema": 3, "hardware_differs": HARDWARE_DIFFERS, "machines": machines}
    text = json.dumps({**head, "standings": standings}, allow_nan=False, default=_plain)
    plain: dict[str, Any] = json.loads(text)
    if mistake := violation(plain, "ledger"):
        raise ConfigError(f"claim ledger: {mistake}")
    return plain


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """Return the verdict with the numbers behind it as JSON values."""
    points = [_asked("point", row) for row in verdict.points.itertuples()]
    least = min((point["processes"] for point in points), default=None)
    measured = {**_asked("measured", verdict), "processes": least, "points": points}
    excluded = [{"label": label, "reason": reason} for label, reason in verdict.left_out]
    return {**_asked("verdict", verdict), "measured": measured if points else None, "excluded": excluded}


def _plain(noun: Any) -> dict[str, Any]:
    if isinstance(noun, Verdict):
        return verdict_json(noun)
    name = type(noun).__name__.lower()
    return _asked(name, noun) if name in _nouns() else vars(noun)


def _asked(name: str, noun: object) -> dict[str, Any]:
    """Return what the schema asks for under that name, as far as the noun has it; None for an open end."""
    said = {each: getattr(noun, each) for each in _nouns()[name]["required"] if hasattr(noun, each)}
    endless = {each for each, value in said.items() if isinstance(value, float) and not math.isfinite(value)}
    return {**said, **dict.fromkeys(endless)}


@functools.cache
def _nouns() -> dict[str, Any]:
    """Return the schema's definitions, which an installed copy lacks."""
    found: dict[str, Any] = json.loads((CONFIG / "schemas" / "ledger.json").read_text())["$defs"]
    return found
