"""The ledger as JSON, checked against config/schemas/ledger.json."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import jsonschema

from fillpath.errors import ConfigError
from fillpath.paths import CONFIG
from reports.facts.claim import Claim
from reports.facts.standings import Standing, Verdict
from reports.pages.ledger.text import HARDWARE_DIFFERS

VERSION = 2


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
        **asdict(standing),
        "label": standing.label,
        "claim": _claim(standing.claim),
        "verdict": None if standing.verdict is None else _verdict(standing.verdict),
        "beside": [_verdict(verdict) for verdict in standing.beside],
    }


def _claim(claim: Claim) -> Mapping[str, Any]:
    return {**asdict(claim), "id": claim.id, "printed": claim.printed}


def _verdict(verdict: Verdict) -> Mapping[str, Any]:
    plain = asdict(verdict)
    for number in filter(None, (plain["measured"], *((plain["measured"] or {}).get("points", ())))):
        # JSON has no infinity: a bound has no other end.
        number |= {end: number[end] if math.isfinite(number[end]) else None for end in ("low", "high")}
    return {**plain, "word": verdict.word, "text": verdict.text}
