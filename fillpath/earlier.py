"""Records that later ones of their case have superseded: results/<machine>/earlier.jsonl.xz, one per line.

`read_records` returns them before those of the case's own file, where every new record goes.
"""

import functools
import lzma
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from fillpath import LOG
from fillpath.errors import InputError
from fillpath.paths import write_bytes

NAME = "earlier.jsonl.xz"
_CASE = re.compile(r'"case": ?"([^"]*)"')


def lines_of(path: Path) -> list[str]:
    """Return the lines of a case's file, or of an archive. Raises InputError for a damaged archive."""
    try:
        data = path.read_bytes()
        text = lzma.decompress(data) if path.name == NAME else data
    except (lzma.LZMAError, EOFError) as error:
        raise InputError(f"{path}: not an archive of records ({error}); restore or remove it") from error
    except OSError as error:
        # Opening names the file, reading does not.
        raise OSError(error.errno, error.strerror, str(path)) from error
    # Bytes that are not text make a line that is not a record.
    return text.decode(errors="replace").splitlines()


@functools.lru_cache(maxsize=8)
def by_case(archive: Path) -> Mapping[str, Sequence[tuple[int, str]]]:
    """Return the lines of each case with their numbers, the last one superseded last.

    An archive that is damaged has none, with a warning: it stops no measurement. Lines that another process
    adds later are not seen.
    """
    try:
        lines = lines_of(archive) if archive.is_file() else []
    except InputError as error:
        LOG.warning("%s", error)
        return {}
    found: dict[str, list[tuple[int, str]]] = {}
    for number, line in enumerate(lines, start=1):
        case = _CASE.search(line)
        found.setdefault(case[1] if case else "", []).append((number, line))
    return found


def add(archive: Path, lines: Iterable[str]) -> int:
    """Add lines that the archive lacks. Returns how many. Raises InputError if the archive is damaged."""
    present = lines_of(archive) if archive.is_file() else []
    every = list(dict.fromkeys([*present, *lines]))
    if len(every) > len(present):
        text = "".join(f"{line}\n" for line in every)
        write_bytes(archive, lzma.compress(text.encode(), preset=9))
        by_case.cache_clear()
    return len(every) - len(present)
