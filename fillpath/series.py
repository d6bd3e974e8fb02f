"""Series of a result, one value per source or level, binned: results/<machine>/series/<case>.npz.

The file holds `n` (sources, or levels) and what figures show of at most 2000 bins of them, a row per number:

    frontier             mean, least and largest of each bin, rounded to 10 bits.
    edges                the sum over each bin.
    columns, subcolumns  by level: sum, least and largest of each bin

Fills are left out: those of a source are the same for every right code. A file of an older version holds
`first` (the first source of each bin), and `<name>_mean`, `_min` and `_max` of every series, not rounded.
"""

import zipfile
from pathlib import Path

import numpy as np

from fillpath.errors import InputError
from fillpath.nouns import Array, LevelSeries, Series
from fillpath.paths import atomic_write, results

MOST_BINS = 2000
_BITS = 10


def series_path(machine: str, case: str) -> Path:
    """Return the file of a case's series."""
    return results() / machine / "series" / f"{case}.npz"


def write_series(path: Path, series: Series | LevelSeries | None, n: int) -> str | None:
    """Replace the file by this series. Returns its name as a record gives it, None without any that is kept.

    n : int, sources

    Raises InputError unless each series has one value per source, or per level.
    """
    present = {name: values for name, values in vars(series or Series()).items() if values is not None}
    if isinstance(series, LevelSeries):
        n = len(series.columns)
    for name, values in present.items():
        if values.shape != (n,):
            raise InputError(f"its series {name} has the shape {values.shape}, expected ({n},)")
    present.pop("fills", None)
    if not present:
        return None
    arrays = {"n": np.array(n)} | {name: _binned(name, values) for name, values in present.items()}
    with atomic_write(path, "wb") as handle, zipfile.ZipFile(handle, "w", zipfile.ZIP_LZMA) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    return f"{path.parent.name}/{path.name}"


def read_bins(path: Path) -> tuple[int, dict[str, Array]]:
    """Read a file of this version or an older one: n, and the numbers of each bin by name.

    The names are `first`, for its first source or level, and `<series>_mean`, `_min`, `_max`.
    Raises KeyError for a file without a series, and what numpy, zipfile and lzma do for a damaged one.
    """
    with np.load(path, allow_pickle=False) as stored:
        arrays = dict(stored)
    n = int(arrays.pop("n"))
    if "first" in arrays:
        return n, arrays
    if not arrays:
        raise KeyError("no series")
    bins = {"first": _first(n)}
    for name, (middle, *ends) in arrays.items():
        bins[f"{name}_mean"] = middle.astype(float) if name == "frontier" else middle / _widths(n)
        bins |= {f"{name}_{end}": values for end, values in zip(("min", "max"), ends, strict=False)}
    return n, bins


def _binned(name: str, values: Array) -> Array:
    """Return the rows that are stored of a series."""
    first = _first(len(values))
    sums = np.add.reduceat(values, first)
    if name == "edges":
        rows = sums[None]
    else:
        ends = np.minimum.reduceat(values, first), np.maximum.reduceat(values, first)
        rows = np.stack([sums / _widths(len(values)) if name == "frontier" else sums, *ends])
    if name != "frontier":
        return rows.astype(np.min_scalar_type(rows.max()))
    # So few bits compress well.
    mantissas, exponents = np.frexp(rows)
    rounded: Array = np.ldexp(np.round(mantissas * 2**_BITS), exponents - _BITS).astype(np.float32)
    return rounded


def _first(n: int) -> Array:
    """Return the first source or level of each bin."""
    return np.arange(min(n, MOST_BINS)) * n // min(n, MOST_BINS)


def _widths(n: int) -> Array:
    return np.diff(_first(n), append=n)
