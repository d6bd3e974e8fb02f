"""The ledger as JSON, checked against config/schemas/ledger.json."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import jsonschema

from fillpath.dicts import dicts
from fillpath.errors import ConfigError
from fillpath.paths import CONFIG
from reports.claims.standing import Standing
from reports.claims.verdict import Verdict
from reports.facts.claim import Claim
from reports.pages.ledger.text import HARDWARE_DIFFERS

VERSION = 2
# What the JSON says of a number behind a verdict.
_POINT = (
    "label", "abbr", "value", "low", "high", "printed", "stands_for", "processes", "at", "matrix", "bounded",
    "bound",
)  # fmt: skip


def to_json(machines: Sequence[str], standings: Sequence[Standing]) -> dict[str, Any]:
    """The ledger of these machines as JSON values. Raises ConfigError where they break the schema."""
    data = {
        "schema": VERSION,
        "hardware_differs": HARDWARE_DIFFERS,
        "machines": list(machines),
        "standings": [_standing(standing) for standing in standings],
    }
    plain: dict[str, Any] = json.loads(json.dumps(data, allow_nan=False))
    schema = json.loads((CONFIG / "schemas" / "ledger.json").read_text())
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(plain))
    if error is not None:
        raise ConfigError(f"claim ledger: {error.json_path}: {error.message}")
    return plain


def _standing(standing: Standing) -> Mapping[str, Any]:
    return {
        **vars(standing),
        "label": standing.label,
        "claim": _claim(standing.claim),
        "missing": [asdict(lack) for lack in standing.missing],
        "verdict": None if standing.verdict is None else verdict_json(standing.verdict),
        "beside": [verdict_json(verdict) for verdict in standing.beside],
    }


def _claim(claim: Claim) -> Mapping[str, Any]:
    data = {**asdict(claim), "id": claim.id, "printed": claim.printed}
    del data["held"]
    return data


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """Return the verdict as JSON values, with the numbers behind it."""
    names = ("claim", "basis", "machine", "scope", "doubt", "outcome", "direction")
    return {
        **{name: getattr(verdict, name) for name in names},
        "magnitude": verdict.size,
        "factor": verdict.factor,
        "numbers": verdict.numbers,
        "measured": _measured(verdict) if verdict.n else None,
        "excluded": [{"label": label, "reason": reason} for label, reason in verdict.left_out],
        **{name: getattr(verdict, name) for name in ("why", "word", "text")},
    }


def _measured(verdict: Verdict) -> Mapping[str, Any]:
    ends = {name: _finite(getattr(verdict, name)) for name in ("value", "low", "high", "printed")}
    counts = {name: getattr(verdict, name) for name in ("n", "distinct", "matrices", "of")}
    rows = dicts(verdict.points.rename(columns={"near": "stands_for"})[list(_POINT)])
    points = [{name: _finite(value) for name, value in row.items()} for row in rows]
    processes = min(point["processes"] for point in points)
    return {**ends, **counts, "processes": processes, "points": points}


def _finite(value: Any) -> Any:
    """The value, None for what JSON has no number for: a bound has no other end."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
