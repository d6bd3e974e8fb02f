"""Series of a result, one value per source or level, binned: results/<machine>/series/<case>.npz.

The file holds `n` (sources, or levels), `first` (the first one of each bin), and `<name>_mean`, `_min` and
`_max` over each bin for every series that the implementation counted: frontier, edges and fills of a source;
columns and subcolumns of a level.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import IO, cast

import numpy as np

from fillpath.errors import InputError
from fillpath.nouns import Array, LevelSeries, Series
from fillpath.paths import atomic_write, results

MOST_BINS = 2000


def series_path(machine: str, case: str) -> Path:
    """Where the series of a case stands."""
    return results() / machine / "series" / f"{case}.npz"


def write_series(path: Path, series: Series | LevelSeries | None, n: int) -> str | None:
    """Replace the file by this series. Returns its name as a record gives it, None without any series.

    n : sources.

    Raises InputError unless each series has one value per source, or per level.
    """
    present = {f.name: getattr(series, f.name) for f in fields(series)} if series is not None else {}
    present = {name: values for name, values in present.items() if values is not None}
    if not present:
        return None
    if isinstance(series, LevelSeries):
        n = len(series.columns)
    first = np.arange(min(n, MOST_BINS)) * n // min(n, MOST_BINS)
    arrays = {"n": np.array(n), "first": first}
    for name, values in present.items():
        if values.shape != (n,):
            raise InputError(f"its series {name} has the shape {values.shape}, expected ({n},)")
        arrays |= {f"{name}_{kind}": binned for kind, binned in _binned(values, first).items()}
    with atomic_write(path, "wb") as handle:
        np.savez_compressed(cast(IO[bytes], handle), allow_pickle=False, **arrays)
    return f"{path.parent.name}/{path.name}"


def _binned(values: Array, first: Array) -> dict[str, Array]:
    widths = np.diff(np.append(first, len(values)))
    return {
        "mean": np.add.reduceat(values, first) / widths,
        "min": np.minimum.reduceat(values, first),
        "max": np.maximum.reduceat(values, first),
    }
