"""Twins: available matrices like a paper's unavailable matrix, config/twins.csv.

A finished search found them (docs/twins.md): a row holds the nearest matrix that was tried, with its
distances.
"""

import csv
import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

from fillpath.errors import ConfigError
from fillpath.paths import CONFIG

# The beginning of a twin's label in figures.
TWIN_OF = "twin of "
FILE = CONFIG / "twins.csv"


@functools.cache
def originals(path: Path = FILE) -> Mapping[str, Sequence[str]]:
    """Return the papers' matrices by their twin's id in a case's name.

    Raises ConfigError for a file without the columns.
    """
    found: dict[str, list[str]] = {}
    with path.open(newline="") as handle:
        reader = csv.DictReader(handle)
        for row in reader:
            if not row.get("matrix") or "nearest" not in row or row.get("within") not in ("true", "false"):
                where = f"{path}:{reader.line_num}"
                raise ConfigError(f"{where}: expected `matrix`, `nearest`, and true or false under `within`")
            if row["within"] == "true":
                found.setdefault(row["nearest"], []).append(row["matrix"])
    return found
