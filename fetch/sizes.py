"""The size of an archive of the collection, before it is downloaded."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import requests

from fetch.collection import address
from fetch.download import Session
from fetch.transfer import announced, is_remote
from fillpath.errors import TransferError
from fillpath.settings import settings

TIMEOUT = 5.0  # seconds: a plan with a guess is better than one that waits
AT_ONCE = 4


def archive_sizes(matrices: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int | TransferError | None]:
    """Return the bytes of the archive of each (group, name), in `$FILLPATH_MIRROR` or on the site.

    The bytes are None if no server answers or may be asked, and an error for an archive known to be absent. A
    server that fails to answer once is not asked again.
    """
    silent = threading.Event()

    def ask(matrix: tuple[str, str]) -> int | TransferError | None:
        location = address("MM/{}/{}.tar.gz".format(*matrix))
        try:
            if not is_remote(location):
                return Path(location).stat().st_size
            if silent.is_set() or settings().offline:
                return None
            with Session() as session:
                answer = session.head(location, timeout=TIMEOUT, allow_redirects=True)
        except requests.RequestException:  # Before OSError, of which it is one.
            silent.set()
            return None
        except OSError as problem:
            return TransferError(f"{location}: {problem.strerror}")
        if answer.status_code in (404, 410):
            return TransferError(f"{location}: not there (HTTP {answer.status_code})")
        size = announced(answer.headers) if answer.ok else None
        if size is None:
            silent.set()
        return size

    wanted = list(dict.fromkeys(matrices))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(wanted, pool.map(ask, wanted), strict=True))
