"""The files of a figure: its frame as CSV, below comments with its origin, and a note.

The note, `<stem>.drawn`, holds the hash of all that decides a picture's bytes, and that of each file that
was written. A file that was changed or removed is as good as none.
"""

import functools
import importlib.metadata
import itertools
import json
import platform
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fillpath.holdings import digest_of
from fillpath.nouns import content_hash
from fillpath.paths import CONFIG, ROOT

# Records, samples, and columns that the stamp has for all rows.
_HIDDEN = re.compile(
    "rounds.*|.*runs|versions|key|commit|dirty|started_at|current|suspect|verified_(by|method)|series_file"
)


def frame_text(frame: pd.DataFrame) -> str:
    """Return all of a frame: what its CSV leaves out too, such as the samples behind an interval."""
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
        shown = [name for name in frame if not str(name).endswith("runs")]
        values = [[sorted(v) if isinstance(v, set | frozenset) else v for v in frame[name]] for name in shown]
        columns = [f"{n!r} {frame[n].dtype} {own!r}" for n, own in zip(shown, values, strict=True)]
        return "\n".join([repr(frame.index.tolist()), repr(frame.attrs), *columns])


@functools.cache
def code(paper: str) -> str:
    """Return a hash of what makes pictures of that paper's frames: sources, what papers print, libraries."""
    papers = {path.stem for path in (CONFIG / "papers").glob("*.yaml")} - {paper}
    # Modules that write files decide no figure.
    room, outside = ROOT / "reports", {"pages", "site", *papers}
    sources = [path for path in room.rglob("*.py") if outside.isdisjoint(path.relative_to(room).parts)]
    config = [path for path in CONFIG.rglob("*") if path.is_file()]
    files = sorted([*sources, *(ROOT / "fillpath").glob("*.py"), *config])
    versions = map(importlib.metadata.version, ("matplotlib", "numpy", "pandas"))
    names = [str(path.relative_to(ROOT)) for path in files]
    return content_hash(platform.python_version(), *versions, *names, *(path.read_bytes() for path in files))


def is_drawn(note: Path, made_of: str) -> bool:
    """Return whether the files of the note `<stem>.drawn` are of that hash, and unchanged since."""
    try:
        files = [note.with_name(name) for name in json.loads(note.read_text())["files"]]
        return bool(files) and note.read_text() == noted(made_of, files)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def noted(made_of: str, files: Sequence[Path]) -> str:
    """Return the note of a figure's content next to its files."""
    return json.dumps({"files": {path.name: digest_of(path) for path in files}, "made_of": made_of})


def csv_text(frame: pd.DataFrame, items: Sequence[tuple[str, str]]) -> str:
    """Return the frame as CSV under comment lines `# key: value`. Raises ValueError for two of one key.

    A colon in a key becomes a semicolon, so that the line can be taken apart again.
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
    """Return the frame's columns for the CSV, without records, samples and columns of the stamp."""
    return frame[[name for name in frame if not _HIDDEN.fullmatch(str(name))]]


def _number(value: Any) -> str:
    """Return a number as text, a whole one without a point: counts with gaps are floats."""
    number = float(value)
    return f"{number:.0f}" if number.is_integer() and abs(number) < 1e15 else repr(number)


def read_comments(path: Path) -> dict[str, str]:
    """Return the comments of a CSV, whatever became of the frame below them."""
    lines = itertools.takewhile(lambda line: line.startswith("# "), path.read_text().splitlines())
    parts = (line[2:].partition(": ") for line in lines)
    return {key: value for key, _, value in parts}
