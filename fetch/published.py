"""A matrix that the authors of a paper published in the order in which they ran it, as three text files.

For each column `colbeg` and `colend` hold where its rows begin and end in `csr`, whose first two numbers are
the entries and the order. Here they become a pattern in one .mtx file:

    write(path, wanted, sha256)    (the checksum, "downloaded", bytes that came now)
"""

import hashlib
from pathlib import Path

import numpy as np

from fetch.collection import address
from fetch.transfer import Wanted, is_remote, transfer
from fillpath.entry import Entry
from fillpath.errors import TransferError
from fillpath.paths import atomic_write, write_bytes

FILES = ("colbeg", "colend", "csr")
NAME = "{}"  # In an address, in place of a file's name.


def wanted(entry: Entry) -> Wanted:
    """Return the files, `{}` in place of their names: in the folder FILLPATH_MIRROR if it has them."""
    here = address(f"{entry.group}/{Path(entry.address).name}")
    location = here if Path(here.replace(NAME, FILES[0])).is_file() else entry.address
    return Wanted(f"{entry.group}/{entry.name}", location, "are all three there? is FILLPATH_MIRROR right?")


def write(path: Path, wanted: Wanted, expected: str) -> tuple[str, str, int]:
    """Write the pattern to `path`. Returns the checksum, how the files came, and the bytes that came now.

    expected : SHA-256 of the files, one after the other

    Raises TransferError and DiskFullError; a later call keeps the files that have arrived.
    """
    files = [path.with_name(name) for name in FILES]
    arrived = sum(_fetch(wanted, file) for file in files if not file.is_file())
    contents = [file.read_bytes() for file in files]
    sha256 = hashlib.sha256(b"".join(contents)).hexdigest()
    if sha256 != expected:
        for file in files:
            file.unlink()
        advice = "(config/matrices.csv); not kept; is FILLPATH_MIRROR right, or did the authors change them?"
        raise TransferError(f"{wanted.location}: sha256 {sha256} is not the expected {expected} {advice}")
    begin, end, stored = (np.array(content.split(), np.int64) for content in contents)
    lengths, order = end - begin, stored[1]
    places = np.arange(lengths.sum()) + np.repeat(begin - np.cumsum(lengths) + lengths, lengths)
    entries = np.column_stack((stored[2:][places], np.repeat(np.arange(order), lengths))) + 1
    with atomic_write(path) as handle:
        handle.write(f"%%MatrixMarket matrix coordinate pattern general\n{order} {order} {len(entries)}\n")
        np.savetxt(handle, entries, "%d")
    for file in files:
        file.unlink()
    return sha256, "downloaded" if is_remote(wanted.location) else "copied", arrived


def _fetch(wanted: Wanted, file: Path) -> int:
    """Fetch one of the files. Returns the bytes that came now."""
    one = wanted._replace(location=wanted.location.replace(NAME, file.name))
    part = file.with_name(f"{file.name}.part")
    return transfer(one, part, lambda arrived: write_bytes(file, arrived.read_bytes()))[2]
