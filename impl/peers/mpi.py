"""Libraries that are linked with MPI, in a process where mpi4py has loaded an MPI already."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import Any

from fillpath.errors import UnavailableError
from fillpath.peers import Peer


def import_mpi() -> Any:
    """Return mpi4py's module. Raises UnavailableError where it finds no library."""
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise UnavailableError(f"no MPI library: {' '.join(str(error).split())}") from error
    return MPI


def load(peer: Peer, mode: int = ctypes.DEFAULT_MODE) -> Any:
    """Return a peer's library. Raises UnavailableError where there is none, or it cannot be loaded.

    A library that is linked with another MPI than mpi4py raises it too, since communicators differ.
    """
    place = peer.library()
    if peer.is_packaged:
        # MPI's library is in the environment, where mpi4py looks and the loader does not.
        import_mpi()
    try:
        library = ctypes.CDLL(str(place), mode=mode)
    except OSError as error:
        raise UnavailableError(f"{place} cannot be loaded: {error}") from error
    refuse_two(_libraries(), peer.title)
    return library


def refuse_two(libraries: set[str], title: str) -> None:
    """Raise UnavailableError for more than one of MPI's libraries."""
    if len(libraries) > 1:
        both = " and ".join(sorted(libraries))
        how = f"have mpi4py take that of {title} by MPI4PY_LIBMPI, for Open MPI libmpi.so.40"
        raise UnavailableError(f"two MPI libraries in one process, {both}: {how}")


def _libraries() -> set[str]:
    """Return the names of the MPI libraries that this process has loaded, where the system lists them."""
    maps = Path("/proc/self/maps")
    return set(re.findall(r"libmpi\.so[.\d]*$", maps.read_text(), re.MULTILINE)) if maps.exists() else set()
