"""The reference of a prepared matrix: made by fill1_pruned, checked by gilbert_peierls, then cached."""

from __future__ import annotations

import contextlib
import json
import zipfile
from pathlib import Path

import numpy as np

from benchmarks.checks.rows import row_hashes, verify_symbolic
from fillpath.errors import FillpathError
from fillpath.nouns import Counts, Pattern, Prepared, Reference
from fillpath.paths import atomic_write, cache
from impl.symbolic.fill1_pruned import fill1_pruned
from impl.symbolic.gilbert_peierls import gilbert_peierls

# A change of what a reference holds, or of how its hashes are made, is another version. Before the first
# version a hash of sources stood in its place; the references of the last such hash are adopted.
VERSION = "v1"
_ADOPTED = "367e35ff07db1d89"


def reference_path(prepared_hash: str) -> Path:
    """Where the reference of a prepared matrix is cached; one under its earlier name gets this one."""
    path = cache() / "references" / f"{VERSION}-{prepared_hash}.npz"
    earlier = path.with_name(f"{_ADOPTED}-{prepared_hash}.npz")
    if earlier.is_file() and not path.exists():
        # Another process may have done so in between.
        with contextlib.suppress(FileNotFoundError):
            earlier.rename(path)
    return path


def reference(prepared: Prepared) -> Reference:
    """The reference of a prepared matrix, from the cache or made now."""
    path = reference_path(prepared.hash)
    cached = load_reference(path)
    if cached is not None:
        return cached
    new = make_reference(prepared.pattern)
    _save(path, new)
    return new


def make_reference(pattern: Pattern) -> Reference:
    """Factorise with fill1_pruned and hold gilbert_peierls, which shares no code with it, against it.

    Raises FillpathError where they differ.
    """
    filled, _ = fill1_pruned(pattern)
    makers = {"made_by": "fill1_pruned", "checked_by": "gilbert_peierls"}
    reference = Reference(filled.counts(), row_hashes(filled), **makers)
    check, _ = gilbert_peierls(pattern)
    verdict = verify_symbolic(check, reference)
    if not verdict.passes:
        raise FillpathError(
            f"reference: gilbert_peierls and fill1_pruned differ in {verdict.value:.0f} rows; report this"
        )
    return reference


def load_reference(path: Path) -> Reference | None:
    """The cached reference, or None where it is absent or damaged."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            made_by, checked_by = json.loads(str(stored["provenance"]))
            counts = Counts(stored["lower"], stored["upper"])
            return Reference(counts, stored["row_hashes"], made_by, checked_by)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def _save(path: Path, reference: Reference) -> None:
    with atomic_write(path, "wb") as handle:
        np.savez(
            handle,  # type: ignore[arg-type]
            lower=reference.counts.lower,
            upper=reference.counts.upper,
            row_hashes=reference.row_hashes,
            provenance=np.array(json.dumps([reference.made_by, reference.checked_by])),
        )
