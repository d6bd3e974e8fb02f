"""The CSV beside a picture: its frame, below comments that say where it comes from."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

# Records, samples, and what the stamp says of all rows.
_HIDDEN = re.compile(
    "rounds.*|.*runs|versions|key|commit|dirty|started_at|current|suspect|verified_(by|method)|series_file"
)


def csv_text(frame: pd.DataFrame, items: Sequence[tuple[str, str]]) -> str:
    """Return the frame as CSV under comment lines `# key: value`. Raises ValueError for two of one key.

    A colon in a key becomes a semicolon, so that the line can be taken apart again.

    items : key and value of each comment.
    """
    keys = [" ".join(key.replace(": ", "; ").split()) for key, _ in items]
    if twice := [key for key, count in Counter(keys).items() if count > 1]:
        raise ValueError(f"two comments of a CSV are called {twice[0]!r}")
    comments = [f"# {key}: {' '.join(value.split())}\n" for key, (_, value) in zip(keys, items, strict=True)]
    return "".join(comments) + bare_text(cells(frame))


def bare_text(frame: pd.DataFrame) -> str:
    """Return a frame as CSV without comments."""
    return frame.to_csv(index=False, lineterminator="\n", float_format=_number)


def cells(frame: pd.DataFrame) -> pd.DataFrame:
    """Return what the CSV has of a frame: not records, samples, or what the stamp says of all rows."""
    return frame[[name for name in frame if not _HIDDEN.fullmatch(str(name))]]


def _number(value: Any) -> str:
    """Return a number as text, a whole one without a point: counts with gaps are floats."""
    number = float(value)
    return f"{number:.0f}" if number.is_integer() and abs(number) < 1e15 else repr(number)


def read_csv(path: Path) -> tuple[dict[str, str], pd.DataFrame]:
    """Return the comments and the frame of a CSV that `style.save` wrote."""
    comments = read_comments(path)
    return comments, pd.read_csv(path, skiprows=len(comments))


def read_comments(path: Path) -> dict[str, str]:
    """Return the comments alone, whatever became of the frame below them."""
    lines = itertools.takewhile(lambda line: line.startswith("# "), path.read_text().splitlines())
    parts = (line[2:].partition(": ") for line in lines)
    return {key: value for key, _, value in parts}
