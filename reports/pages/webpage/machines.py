"""What the page says of each machine: its records, and the facts and ceilings of its folder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from fillpath.errors import InputError
from fillpath.holdings import read_ceilings, read_facts
from fillpath.paths import results

# What a ceiling is called, what it is divided by, and its unit then.
CEILINGS: Mapping[str, tuple[str, float, str]] = {
    "copy_bytes": ("copy", 1e9, "GB/s"),
    "flops_double": ("double precision", 1e9, "GFLOP/s"),
    "flops_single": ("single precision", 1e9, "GFLOP/s"),
    "link_to_device_bytes": ("link to the device", 1e9, "GB/s"),
    "link_to_host_bytes": ("link to the host", 1e9, "GB/s"),
    "page_faults": ("page faults on first touch", 1e3, "thousand per second"),
    "peer_bytes": ("from one to another", 1e9, "GB/s"),
}


@dataclass(frozen=True)
class MachinePart:
    """A machine on the page.

    facts : names and values
    """

    name: str
    facts: list[tuple[str, str]]


def machine_parts(machines: Sequence[str], rows: pd.DataFrame) -> list[MachinePart]:
    """rows : one per case and machine, as the records' frame has them."""
    return [MachinePart(name, _facts(name, rows[rows["machine"] == name])) for name in machines]


def _facts(name: str, rows: pd.DataFrame) -> list[tuple[str, str]]:
    """What the records say of a machine, then what results/<machine>/ says: its facts, and its ceilings."""
    facts: dict[str, Any] = {
        "device": ", ".join(sorted(set(rows["device"].dropna()))),
        "cpu": ", ".join(sorted(set(rows["host_cpu"].dropna()))),
        "cases": f"{int((rows['status'] == 'ok').sum())} ok of {len(rows)}",
        "versions": _versions(rows["versions"].dropna().unique()),
    }
    folder = results() / name
    try:
        facts |= {**_machine_facts(folder), **_ceilings(folder)}
    except InputError as error:
        facts["damaged"] = str(error)
    texts = {key: ", ".join(value) if isinstance(value, list) else value for key, value in facts.items()}
    return [(key.replace("_", " "), str(text)) for key, text in texts.items() if text not in (None, "")]


def _machine_facts(folder: Path) -> Mapping[str, Any]:
    facts = dict(read_facts(folder))
    facts.pop("name", None)
    if memory := facts.get("memory"):
        facts["memory"] = f"{memory / 2**30:.0f} GiB"
    return facts


def _ceilings(folder: Path) -> Mapping[str, str]:
    """What its devices can do at most, as far as it was measured."""
    ceilings = read_ceilings(folder) or {}
    return {
        f"{kind}, {CEILINGS[name][0]}": _ceiling(rate, *CEILINGS[name][1:])
        for kind in ("host", "gpu", "gpus")
        for name, rate in (ceilings.get(kind) or {"rates": {}})["rates"].items()
    }


def _ceiling(rate: Mapping[str, float], scale: float, unit: str) -> str:
    """`4,180 GB/s (4,150 to 4,190)`."""
    middle, low, high = (_digits(rate[name] / scale) for name in ("per_second", "low", "high"))
    return f"{middle} {unit} ({low} to {high})"


def _digits(number: float) -> str:
    """Three digits, and every digit of the integer part."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def _versions(texts: Iterable[str]) -> str:
    """Each library once, with all the versions that the records name."""
    versions: dict[str, set[str]] = {}
    for text in texts:
        for name, version in json.loads(text).items():
            versions.setdefault(name, set()).add(str(version))
    return ", ".join(f"{name} {' and '.join(sorted(versions[name]))}" for name in sorted(versions))
