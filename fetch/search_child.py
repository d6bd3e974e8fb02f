"""ssgetpy's search as a process: `python -m fetch.search_child HOME`, started by `fetch/search.py`.

HOME is an existing folder, where ssgetpy keeps its database. Each line of the standard input is a search, the
arguments of ssgetpy.search as JSON; each line of the standard output is its answer, a list of matrices as the
fields of `Listed`.

Only the index is asked for, and only at FILLPATH_MIRROR or the collection's site; matrices are downloaded by
`fetch/transfer.py`.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import requests

from fetch import collection
from fetch.search import LIMIT
from fetch.transfer import USER_AGENT
from fillpath.errors import FillpathError, TransferError


def main(home: str) -> None:
    """Answer every line. Exits with status 1 and one line if the index cannot be had."""
    os.environ["HOME"] = home
    # ssgetpy asks by this, while it is imported, and for one address alone.
    requests.get = _index  # type: ignore[assignment]
    try:
        from ssgetpy import search
    except FillpathError as error:
        sys.exit(str(error))
    for line in sys.stdin:
        matrices = sorted(search(**json.loads(line)), key=lambda matrix: matrix.id)
        print(json.dumps([_fields(matrix) for matrix in matrices]), flush=True)


def _index(_: str) -> requests.Response:
    """The answer of the server that FILLPATH_MIRROR names, in place of the one that ssgetpy would ask, which
    it reads whatever it holds. The index is kept for searches without a server."""
    address = collection.address(collection.INDEX)
    try:
        answer = requests.request("GET", address, headers={"User-Agent": USER_AGENT}, timeout=LIMIT)
    except requests.RequestException as problem:
        raise TransferError(f"{address}: {type(problem).__name__}") from None
    if answer.status_code != 200:
        raise TransferError(f"{address}: HTTP {answer.status_code}")
    collection.adopt(answer.content)
    return answer


def _fields(matrix: Any) -> list[Any]:
    """As in `Listed`. matrix : of ssgetpy."""
    size = [matrix.group, matrix.name, matrix.rows, matrix.cols, matrix.nnz]
    return [*size, matrix.kind, matrix.psym, matrix.nsym]


if __name__ == "__main__":
    main(sys.argv[1])
