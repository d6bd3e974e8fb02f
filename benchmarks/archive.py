"""`pack` and `unpack`: a machine's results as one file. Merging keeps both runs of a key."""

from __future__ import annotations

import tarfile
import tempfile
from pathlib import Path, PurePosixPath
from typing import IO, cast

from fillpath.errors import InputError
from fillpath.paths import atomic_write, results
from fillpath.record import Record, read_records, write_records

_MEMBER_BYTES = 2**30


def pack(machine: str, target: Path) -> int:
    """Write results/<machine>/ to a .tar.gz. Returns the number of files. Raises InputError without any."""
    folder = results() / machine
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    if not files:
        raise InputError(f"nothing to pack: {folder} holds no results; `fillpath doctor` names this machine")
    with (
        tempfile.NamedTemporaryFile(dir=target.parent, suffix=".tmp", delete=False) as temporary,
        tarfile.open(fileobj=temporary, mode="w:gz") as archive,
    ):
        for path in files:
            archive.add(path, arcname=str(PurePosixPath(machine, *path.relative_to(folder).parts)))
    Path(temporary.name).chmod(0o644)
    Path(temporary.name).replace(target)
    return len(files)


def unpack(source: Path, machine: str) -> tuple[str, int]:
    """Merge a packed machine into results/. Returns (its name, records added).

    machine : this one's name, whose folder is only ever written by measuring. Raises InputError for what is
    no pack, for members outside one folder, and for a pack of this very machine.
    """
    try:
        with tarfile.open(source, "r:gz") as archive:
            members = [_checked(member, source) for member in archive.getmembers()]
            packed = {PurePosixPath(member.name).parts[0] for member in members}
            if len(packed) != 1:
                raise InputError(f"{source}: holds {len(packed)} machines, expected one")
            name = packed.pop()
            if name == machine:
                raise InputError(
                    f"{source}: is of this machine ({machine}), whose results are only measured here"
                )
            # Records come first: which of two series is kept follows the record that stands.
            members.sort(key=lambda member: not member.name.endswith(".jsonl"))
            return name, sum(_merge(archive, member) for member in members)
    except (tarfile.TarError, EOFError, OSError) as error:
        raise InputError(f"{source}: not a readable pack ({error})") from error


def _checked(member: tarfile.TarInfo, source: Path) -> tarfile.TarInfo:
    path = PurePosixPath(member.name)
    if not member.isfile() or path.is_absolute() or ".." in path.parts or len(path.parts) < 2:
        raise InputError(f"{source}: refused member {member.name!r}: not a plain file inside one folder")
    if member.size > _MEMBER_BYTES:
        raise InputError(f"{source}: refused member {member.name!r}: {member.size} bytes")
    return member


def _merge(archive: tarfile.TarFile, member: tarfile.TarInfo) -> int:
    """Bring in one file; returns how many records it added."""
    target = results() / member.name
    data = _content(archive, member.name)
    if target.suffix == ".npz" and target.is_file() and not _stands(archive, member.name):
        return 0
    if target.suffix != ".jsonl":
        with atomic_write(target, "wb") as handle:
            cast(IO[bytes], handle).write(data)
        return 0
    return _merge_records(target, _packed_records(data))


def _stands(archive: tarfile.TarFile, series: str) -> bool:
    """Whether the record that stands for a series' case, now that records are merged, came with the pack."""
    path = PurePosixPath(series)
    records = str(path.parent.parent / "records" / f"{path.stem}.jsonl")
    if records not in archive.getnames():
        return False
    return read_records(results() / records)[-1:] == _packed_records(_content(archive, records))[-1:]


def _content(archive: tarfile.TarFile, name: str) -> bytes:
    extracted = archive.extractfile(name)
    assert extracted is not None
    return extracted.read()


def _packed_records(data: bytes) -> list[Record]:
    with tempfile.TemporaryDirectory() as folder:
        arriving = Path(folder) / "records.jsonl"
        arriving.write_bytes(data)
        return read_records(arriving)


def _merge_records(target: Path, arriving: list[Record]) -> int:
    """Keep both runs of a key; of the two records that stand, the younger goes on standing."""
    present = read_records(target)
    new = [record for record in arriving if record not in present]
    tails = [records[-1] for records in (present, arriving) if records]
    standing = max(tails, key=lambda record: record.started_at)
    others = [record for record in [*present, *new] if record != standing]
    write_records(target, [*sorted(others, key=lambda record: record.started_at), standing])
    return len(new)
