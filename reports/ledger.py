"""The claim ledger: how every claim of config/claims.yaml stands on a machine, by the figures' own frames.

`ledger` gives the standings; `to_json` writes them as config/schemas/ledger.json has them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import jsonschema

from fillpath.case import Case
from fillpath.errors import ConfigError
from fillpath.paths import CONFIG
from reports.claims import Claim
from reports.figures import Entries
from reports.records import Records
from reports.standings import Standing, Verdict

VERSION = 1
# Stands wherever the ledger is shown.
HARDWARE_DIFFERS = (
    "The papers measured on other hardware (V100, A100 and TITAN X cards, POWER9, Xeon and EPYC processors) "
    "than the machines here: a direction that differs speaks against a claim, a magnitude that differs may "
    "speak of the hardware alone. The two are judged apart."
)
# The cases behind a (paper, figure).
CasesOf = Callable[[str, str], Sequence[Case]]


def ledger(machine: str, records: Records, entries: Entries, cases_of: CasesOf) -> list[Standing]:
    """How every claim stands on that machine, in the order of claims.yaml.

    records : of all machines; only that machine's are looked at.
    """
    raise NotImplementedError


def to_json(machines: Sequence[str], standings: Sequence[Standing]) -> dict[str, Any]:
    """The ledger of these machines as JSON values, checked against its schema. Raises ConfigError."""
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
        "claim": _claim(standing.claim),
        "verdict": None if standing.verdict is None else _verdict(standing.verdict),
        "beside": [_verdict(verdict) for verdict in standing.beside],
    }


def _claim(claim: Claim) -> Mapping[str, Any]:
    return {**asdict(claim), "id": claim.id, "printed": claim.printed}


def _verdict(verdict: Verdict) -> Mapping[str, Any]:
    return {**asdict(verdict), "scope": verdict.scope, "text": verdict.text}
