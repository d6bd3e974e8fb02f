"""Whether a picture is that of today's frame: what went into it is kept beside it, as one hash.

`<stem>.drawn` holds the hash of all that decides a picture's bytes, and that of each file that was written.
A file that was changed or removed is as good as none.
"""

from __future__ import annotations

import functools
import importlib.metadata
import json
import platform
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fillpath.holdings import digest_of
from fillpath.nouns import content_hash
from fillpath.paths import CONFIG, ROOT, write_text

_LIBRARIES = ("matplotlib", "numpy", "pandas")
_ROOM = ROOT / "reports"
# What is written of figures, and decides none.
_OUTSIDE = ("pages", "site")


def frame_text(frame: pd.DataFrame) -> str:
    """All of a frame: what its CSV leaves out too, such as the samples behind an interval."""
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
        shown = [name for name in frame if not str(name).endswith("runs")]
        columns = [f"{name!r} {frame[name].dtype} {_values(frame[name])}" for name in shown]
        return "\n".join([repr(frame.index.tolist()), repr(frame.attrs), *columns])


@functools.cache
def code(paper: str) -> str:
    """A hash of what makes a picture of that paper's frames: sources, what the papers print, libraries."""
    packages = {path.parent.name for path in _ROOM.glob("*/__init__.py")}
    papers = {path.stem for path in (CONFIG / "papers").glob("*.yaml")} - {paper}
    shared = [name for name in sorted(packages) if name not in (*_OUTSIDE, *papers)]
    files = [*_ROOM.glob("*.py"), *(path for name in shared for path in (_ROOM / name).rglob("*.py"))]
    files += [*(ROOT / "fillpath").glob("*.py"), *(p for p in CONFIG.rglob("*") if p.is_file())]
    versions = [f"{name} {importlib.metadata.version(name)}" for name in _LIBRARIES]
    names = [str(path.relative_to(ROOT)) for path in sorted(files)]
    return content_hash(
        platform.python_version(), *versions, *names, *(path.read_bytes() for path in sorted(files))
    )


def is_drawn(note: Path, made_of: str) -> bool:
    """Whether the files that the note names are of what that hash stands for, and unchanged since.

    note : `<stem>.drawn`.
    """
    try:
        files = json.loads(note.read_text())["files"]
        whole = note.read_text() == _text(made_of, files)
        return whole and all(digest_of(note.with_name(name)) == sum_ for name, sum_ in files.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def keep(note: Path, made_of: str, files: Sequence[Path]) -> None:
    """Note what the files, which lie beside the note, are of."""
    digests = {path.name: digest_of(path) for path in files}
    write_text(note, _text(made_of, digests))


def _text(made_of: str, digests: Mapping[str, str]) -> str:
    """A note with a hash of itself: of a damaged one nothing is believed."""
    whole = content_hash(made_of, *(f"{name} {digest}" for name, digest in sorted(digests.items())))
    return json.dumps({"files": digests, "made_of": made_of, "whole": whole}, sort_keys=True)


def _values(column: pd.Series[Any]) -> str:
    return repr([sorted(each) if isinstance(each, set | frozenset) else each for each in column])
