"""The CSV beside a picture: its frame, below comments that say where it comes from."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

_HIDDEN = (
    "runs", "versions", "key", "commit", "dirty", "started_at", "current", "suspect", "verified_by",
    "verified_method", "series_file",
)  # fmt: skip


def csv_text(frame: pd.DataFrame, items: Sequence[tuple[str, str]]) -> str:
    """The frame as CSV under comment lines `# key: value`. A colon in a key becomes a semicolon, so that the
    line can be taken apart again. Raises ValueError for two comments of one key.

    items : key and value of each comment.
    """
    keys = Counter(_comment_key(key) for key, _ in items)
    if twice := [key for key, count in keys.items() if count > 1]:
        raise ValueError(f"two comments of a CSV are called {twice[0]!r}")
    comments = "".join(f"# {_comment_key(key)}: {' '.join(value.split())}\n" for key, value in items)
    return comments + bare_text(cells(frame))


def bare_text(frame: pd.DataFrame) -> str:
    """Return a frame as CSV without comments."""
    return frame.to_csv(index=False, lineterminator="\n", float_format=_number)


def cells(frame: pd.DataFrame) -> pd.DataFrame:
    """Return what the CSV has of a frame: not records, samples, or what the stamp says of all rows."""
    hidden = [name for name in frame if name in _HIDDEN or re.match(r"rounds|.*runs$", str(name))]
    return frame.drop(columns=hidden)


def _number(value: Any) -> str:
    """Return a number as text, a whole one without a point: counts with gaps are floats."""
    number = float(value)
    return f"{number:.0f}" if number.is_integer() and abs(number) < 1e15 else repr(number)


def _comment_key(key: str) -> str:
    return " ".join(key.replace(": ", "; ").split())


def read_csv(path: Path) -> tuple[dict[str, str], pd.DataFrame]:
    """The comments and the frame of a CSV that `style.save` wrote."""
    comments = _comment_lines(path)
    return _comments(comments), pd.read_csv(path, skiprows=len(comments))


def read_comments(path: Path) -> dict[str, str]:
    """The comments alone: whatever became of the frame below them."""
    return _comments(_comment_lines(path))


def _comments(lines: Sequence[str]) -> dict[str, str]:
    parts = (line[2:].partition(": ") for line in lines)
    return {key: value for key, _, value in parts}


def _comment_lines(path: Path) -> list[str]:
    lines = path.read_text().splitlines()
    return list(itertools.takewhile(lambda line: line.startswith("# "), lines))
