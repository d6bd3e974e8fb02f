"""The page's facts of each machine: its records, and the facts and ceilings of its folder."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from fillpath.errors import InputError
from fillpath.holdings import read_ceilings, read_facts
from fillpath.paths import results
from reports.facts.records import Records
from reports.shapes.style import stamp

# The name of a ceiling, its divisor, and its unit after the division.
CEILINGS: Mapping[str, tuple[str, float, str]] = {
    "copy_bytes": ("copy", 1e9, "GB/s"),
    "flops_double": ("double precision", 1e9, "GFLOP/s"),
    "flops_single": ("single precision", 1e9, "GFLOP/s"),
    "link_to_device_bytes": ("link to the device", 1e9, "GB/s"),
    "link_to_host_bytes": ("link to the host", 1e9, "GB/s"),
    "page_faults": ("page faults on first touch", 1e3, "thousand per second"),
    "peer_bytes": ("from one to another", 1e9, "GB/s"),
}


def machine_facts(name: str, rows: pd.DataFrame, records: Records) -> list[tuple[str, str]]:
    """Return names and values of a machine's facts: from the records, then from results/<machine>/.

    rows : of the table, one per case and machine
    """
    rows = rows[rows["machine"] == name]
    versions = pd.DataFrame(list(map(json.loads, rows["versions"].dropna().unique()))).sort_index(axis=1)
    named = {library: sorted(set(column.dropna().astype(str))) for library, column in versions.items()}
    older = rows[(rows["status"] == "ok") & rows["current"].eq(False)]
    again = f"; {len(older)} with older sources, of {stamp(older)['measured']}, to measure again"
    facts: dict[str, Any] = {
        "device": sorted(set(rows["device"].dropna())),
        "cpu": sorted(set(rows["host_cpu"].dropna())),
        "cases": f"{int((rows['status'] == 'ok').sum())} ok of {len(rows)}{again if len(older) else ''}",
        "versions": [f"{library} {' and '.join(found)}" for library, found in named.items()],
    }
    try:
        facts |= _folder_facts(results() / name)
    except InputError as error:
        facts["damaged"] = str(error)
    facts["hosts"] = records.of_machine(name).hosts_text()
    texts = {key: ", ".join(value) if isinstance(value, list) else value for key, value in facts.items()}
    return [(key.replace("_", " "), str(text)) for key, text in texts.items() if text not in (None, "")]


def _folder_facts(folder: Path) -> dict[str, Any]:
    """Return facts of the machine and, as far as measured, the ceilings of its devices."""
    facts = {key: value for key, value in read_facts(folder).items() if key != "name"}
    if memory := facts.get("memory"):
        facts["memory"] = f"{memory / 2**30:.0f} GiB"
    ceilings = read_ceilings(folder)
    for kind in ("host", "gpu", "gpus"):
        for name, rate in (ceilings.get(kind) or {"rates": {}})["rates"].items():
            title, scale, unit = CEILINGS[name]
            rates = [rate[end] / scale for end in ("per_second", "low", "high")]
            middle, low, high = (f"{each:,.0f}" if each >= 100 else f"{each:.3g}" for each in rates)
            facts[f"{kind}, {title}"] = f"{middle} {unit} ({low} to {high})"
    return facts
