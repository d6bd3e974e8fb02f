"""The size of an archive of the collection, before it is downloaded."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import requests

from fetch.collection import address
from fetch.download import HEADERS
from fetch.transfer import is_remote
from fillpath.errors import TransferError
from fillpath.settings import settings

TIMEOUT = 5.0  # seconds: a plan with a guess is better than one that waits
AT_ONCE = 4


def archive_sizes(matrices: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int | TransferError | None]:
    """Return `archive_bytes` of each (group, name). A server that fails to answer once is not asked again."""
    silent = threading.Event()

    def ask(matrix: tuple[str, str]) -> int | TransferError | None:
        try:
            size = None if silent.is_set() else archive_bytes(*matrix)
        except TransferError as problem:
            return problem
        if size is None:
            silent.set()
        return size

    wanted = list(dict.fromkeys(matrices))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(wanted, pool.map(ask, wanted), strict=True))


def archive_bytes(group: str, name: str) -> int | None:
    """Return the bytes of an archive in `$FILLPATH_MIRROR` or on the site.

    Returns None if no server answers or may be asked. Raises TransferError for an archive known to be absent.
    """
    location = address(f"MM/{group}/{name}.tar.gz")
    try:
        return _announced(location) if is_remote(location) else Path(location).stat().st_size
    except requests.RequestException:  # Before OSError, of which it is one.
        return None
    except OSError as problem:
        raise TransferError(f"{location}: {problem.strerror}") from None


def _announced(location: str) -> int | None:
    if settings().offline:
        return None
    answer = requests.head(location, headers=HEADERS, timeout=TIMEOUT, allow_redirects=True)
    if answer.status_code in (404, 410):
        raise TransferError(f"{location}: not there (HTTP {answer.status_code})")
    length = answer.headers.get("Content-Length", "")
    return int(length) if answer.ok and re.fullmatch("[0-9]{1,18}", length) else None
