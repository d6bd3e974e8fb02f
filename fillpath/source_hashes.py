"""A cache of the hashes of implementations' sources: following all of the code takes seconds.

Each hash is a file below .fillpath/sources/<state>/. The state hashes every file that a source hash may
follow, so an edit makes another state. The cache can be removed at any time.
"""

import contextlib
import functools
import inspect
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fillpath import source, syntax
from fillpath.nouns import content_hash
from fillpath.paths import ROOT, WORK, write_text

_ROOM = ROOT / syntax.ROOM
# Modules that decide how code is followed and written down.
_FOLLOWED_BY = (Path(__file__), Path(source.__file__), Path(syntax.__file__))
_HASH = re.compile("[0-9a-f]{64}")


def source_hash(
    function: Callable[..., Any], takes: type, kernels: tuple[str, ...], library: Sequence[str]
) -> str:
    """Return the hash of `source.texts` and of a peer's version, cached where all code lies in impl/."""
    files = (Path(inspect.getfile(each)) for each in (function, *source.makers_of(takes)))
    if not all(_ROOM in file.parents for file in files):
        return content_hash(*library, *source.texts(function, takes, kernels))
    return _kept(function, takes, kernels, tuple(library), state())


@functools.cache
def state() -> str:
    """Return a hash of every file that decides a hash of sources."""
    python = sorted(_ROOM.rglob("*.py"))
    cuda = sorted(path for kind in ("*.cu", "*.cuh") for path in _ROOM.rglob(kind))
    names = [str(path.relative_to(ROOT)) for path in (*python, *cuda, *_FOLLOWED_BY)]
    return content_hash(
        *names, *map(syntax.source_of, python), *(path.read_bytes() for path in (*cuda, *_FOLLOWED_BY))
    )


@functools.cache
def _kept(
    function: Callable[..., Any], takes: type, kernels: tuple[str, ...], library: tuple[str, ...], state: str
) -> str:
    words = (function.__module__, function.__qualname__, takes.__name__, *kernels)
    path = WORK / "sources" / state / content_hash("\n".join(words), *library)
    with contextlib.suppress(OSError):
        if _HASH.fullmatch(kept := path.read_text()):
            return kept
    made = content_hash(*library, *source.texts(function, takes, kernels))
    # A hash that cannot be kept is made again.
    with contextlib.suppress(OSError):
        if not path.parent.is_dir():
            # The first hash of this state: those of other states are stale.
            shutil.rmtree(path.parents[1], ignore_errors=True)
        write_text(path, made)
    return made
