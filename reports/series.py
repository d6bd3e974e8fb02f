"""Files next to a machine's records: series along sources or levels, and counts of probes."""

import json
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fillpath.dicts import Row, dicts
from fillpath.paths import results
from fillpath.series import read_bins


def read_probe(kind: str, machine: str, case: str, key: str) -> Mapping[str, Any] | None:
    """Return what `fillpath counters`, `faults` or `durations` keeps of a case, as `facts` and more.

    None where it was not run, for a record of another key, and with a warning for a file that is damaged.
    """
    path = results() / machine / kind / f"{case}.json"
    try:
        counts: Mapping[str, Any] = json.loads(path.read_text())
        return counts if counts["facts"] is not None and counts.get("key") == key else None
    except FileNotFoundError:
        return None
    except Exception as error:  # A damaged file may raise any.
        logging.getLogger("fillpath").warning("%s: no %s: %s", path, kind, error)
        return None


def probes(kind: str, rows: pd.DataFrame) -> list[Mapping[str, Any]]:
    """Return `read_probe` of each row of the table, nothing of one that is not ok."""
    asked = zip(rows["machine"], rows["case"], rows["key"], rows["status"] == "ok", strict=True)
    return [(is_ok and read_probe(kind, *about)) or {} for *about, is_ok in asked]


def read_series(machine: str, name: str) -> pd.DataFrame | None:
    """Return the rows of a series file, or None, with a warning, if it cannot be read.

    A row is a bin of sources from `first` to `last`, with `<series>_mean`, `_min` and `_max`.
    """
    path = results() / machine / "series" / Path(name).name
    try:
        n, numbers = read_bins(path)
        bins = pd.DataFrame(numbers)
    except Exception as error:  # A damaged file may raise any.
        logging.getLogger("fillpath").warning("%s: no series: %s", path, error)
        return None
    bins.insert(1, "last", [*(bins["first"].iloc[1:] - 1), n - 1])
    return bins


def per_case(rows: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return one row per bin of each case's series, with the columns of its case.

    A case without the series is one row without numbers, with a `reason`.

    names : columns of the bins
    """
    parts = [_bins(row, names) for row in dicts(rows[["machine", "status", "reason", "series_file"]])]
    indices = np.repeat(rows.index, [len(part) for part in parts])
    bins = pd.concat([pd.DataFrame(columns=[*names, "why"]), *parts], ignore_index=True)
    whole = rows.loc[indices].reset_index(drop=True)
    reason = bins.pop("why").astype("object").fillna(whole["reason"])
    return whole.assign(reason=reason).join(bins.astype("float64"))


def _bins(row: Row, names: Sequence[str]) -> pd.DataFrame:
    """Return the bins of a row's series, or one row of no numbers and why."""
    why, file = None, row["series_file"]
    if row["status"] == "ok":
        bins = read_series(row["machine"], file) if isinstance(file, str) else None
        if bins is not None and set(names) <= set(bins):
            return bins[list(names)].assign(why=None)
        named = isinstance(file, str)
        why = f"no {', '.join(names)} in {file}" if named else "its record names no series"
    return pd.DataFrame([dict.fromkeys([*names, "why"])]).assign(why=why)
