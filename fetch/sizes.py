"""The size of an archive of the collection, before it is downloaded."""

from __future__ import annotations

import http.client
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fetch.collection import address
from fetch.transfer import USER_AGENT, Wanted, is_remote, refuse_offline
from fillpath.errors import TransferError

TIMEOUT = 5.0  # seconds: a plan with a guess is better than one that waits
AT_ONCE = 4


def archive_sizes(matrices: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int | TransferError | None]:
    """`archive_bytes` of each (group, name). A server that fails to answer once is not asked again."""
    silent = threading.Event()

    def ask(matrix: tuple[str, str]) -> int | TransferError | None:
        if silent.is_set():
            return None
        try:
            size = archive_bytes(*matrix)
        except TransferError as problem:
            return problem
        if size is None:
            silent.set()
        return size

    wanted = list(dict.fromkeys(matrices))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(wanted, pool.map(ask, wanted), strict=True))


def archive_bytes(group: str, name: str) -> int | None:
    """Bytes of the archive of Group/name in `$FILLPATH_MIRROR` or on the site; None if no server answers, or
    none may be asked (FILLPATH_OFFLINE=1). Raises TransferError if the archive is known not to be there."""
    label = f"{group}/{name}"
    location = address(f"MM/{label}.tar.gz")
    if is_remote(location):
        return _announced(location, label)
    try:
        return Path(location).stat().st_size
    except OSError as problem:
        raise TransferError(f"{location}: {problem.strerror}") from None


def _announced(location: str, label: str) -> int | None:
    try:
        refuse_offline(Wanted(label, location, ""))
    except TransferError:
        return None
    request = urllib.request.Request(location, headers={"User-Agent": USER_AGENT}, method="HEAD")
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            length = answer.headers.get("Content-Length", "")
    except urllib.error.HTTPError as problem:
        problem.close()
        if problem.code in (404, 410):
            raise TransferError(f"{location}: not there (HTTP {problem.code})") from None
        return None
    except (OSError, http.client.HTTPException, ValueError):
        return None
    return int(length) if re.fullmatch("[0-9]{1,18}", length) else None
