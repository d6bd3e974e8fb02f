"""A machine's results as one file, with checksums; and its superseded records apart, compressed.

Merging keeps both runs of a key, and both of any two files that differ: nothing is overwritten.

Longer than two screens: what is packed, what is refused and what is merged are one format.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import logging
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import IO, cast

from fillpath import earlier, regated
from fillpath.errors import ConfigError, InputError
from fillpath.holdings import SUMS, parse_sums, sums_text
from fillpath.host import is_own, share
from fillpath.lock import exclusive
from fillpath.paths import atomic_write, results
from fillpath.processes import of_run
from fillpath.record import Record, line_of, parse_records, read_records, write_records

_MEMBER_BYTES = 2**30
# Folder below a machine's for copies that another one has replaced.
ASIDE = "superseded"
# Made of the results, and left out by `unpack`: a folder for people, and the metadata of an RO-Crate.
REPORT, METADATA = "report", "ro-crate-metadata.json"


def contents(machine: str) -> dict[str, Path]:
    """Return the files of results/<machine>/ that are packed, by their paths there.

    Raises InputError without any.
    """
    folder = results() / machine
    visible = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    stored = {path.relative_to(folder).as_posix(): path for path in sorted(visible)}
    kept = {name: path for name, path in stored.items() if name != SUMS and not _is_made(name)}
    if not kept:
        raise InputError(f"nothing to pack: {folder} holds no results; `fillpath doctor` names this machine")
    return kept


def pack(machine: str, target: Path, made: Mapping[str, bytes] | None = None) -> int:
    """Write results/<machine>/ to a .tar.gz, with the checksum of each file: same files, same bytes.

    Returns the number of files. Raises InputError without any.

    made : files below REPORT, and METADATA
    """
    stored = contents(machine)
    sums: dict[str, str] = {}
    with atomic_write(target, "wb") as handle, _tar(cast(IO[bytes], handle)) as archive:

        def add(name: str, data: bytes) -> None:
            _add(archive, str(PurePosixPath(machine, name)), data)
            sums[name] = hashlib.sha256(data).hexdigest()

        for name, path in sorted(stored.items()):
            add(name, path.read_bytes())
        for name, data in sorted((made or {}).items()):
            add(name, data)
        _add(archive, str(PurePosixPath(machine, SUMS)), sums_text(sums).encode())
    return len(sums)


def set_aside(machine: str) -> int:
    """Move the records that are not one with their case's last into the machine's archive.

    Returns how many it did not hold before.

    A kill between the two writes leaves records in both places, where they count once.
    """
    folder = results() / machine
    with exclusive(folder / ".lock"):
        superseded: dict[Path, list[Record]] = {}
        for path in sorted((folder / "records").glob("*.jsonl")):
            records = read_records(path)
            last = of_run(records) if records else ()
            superseded[path] = [record for record in records if record not in last]
        lines = [line_of(record) for records in superseded.values() for record in records]
        added = earlier.add(folder / earlier.NAME, lines)
        for path, records in superseded.items():
            here = parse_records(path.read_bytes(), str(path))
            if any(record in records for record in here):
                write_records(path, [record for record in here if record not in records])
    return added


@contextlib.contextmanager
def _tar(handle: IO[bytes]) -> Iterator[tarfile.TarFile]:
    """Return a .tar.gz to write into, without the time and the name that gzip would note."""
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=handle, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        yield archive


def unpack(source: Path) -> tuple[str, int]:
    """Merge a packed machine into results/. Returns (its name, records added).

    A folder that is this host's alone is only ever written by measuring. The checksums of what is made of
    the results are compared too, and it is not merged. Raises InputError for what is no
    pack, for members outside one folder, for a pack of that folder's name, and, before anything is written,
    for a member that is missing, differs from its checksum or is no record. A pack of an older
    version has no checksums: a warning says so.
    """
    try:
        with tarfile.open(source, "r:gz") as archive:
            members = [_plain_member(member, source) for member in archive.getmembers()]
            packed = {PurePosixPath(member.name).parts[0] for member in members}
            if len(packed) != 1:
                raise InputError(f"{source}: holds {len(packed)} machines, expected one")
            name = packed.pop()
            if is_own(name):
                raise InputError(
                    f"{source}: results/{name} is this host's own, and only measured here; if the pack is of "
                    f"another host that is called {name} too, unpack it in another checkout"
                )
            members = [m for m in _verified(archive, members, source) if not _is_made(_name(m))]
            # The sums of another folder do not hold for the merged one.
            (results() / name / SUMS).unlink(missing_ok=True)
            # Records come first: which of two series is kept follows the record that stands.
            members.sort(key=lambda member: not member.name.endswith(".jsonl"))
            added = sum(_merge(archive, member) for member in members)
            share(name)
            return name, added
    except (tarfile.TarError, EOFError, OSError) as error:
        raise InputError(f"{source}: not a readable pack ({error})") from error


def _plain_member(member: tarfile.TarInfo, source: Path) -> tarfile.TarInfo:
    path = PurePosixPath(member.name)
    if not member.isfile() or path.is_absolute() or ".." in path.parts or len(path.parts) < 2:
        raise InputError(f"{source}: refused member {member.name!r}: not a plain file inside one folder")
    if member.size > _MEMBER_BYTES:
        raise InputError(f"{source}: refused member {member.name!r}: {member.size} bytes")
    return member


def _verified(
    archive: tarfile.TarFile, members: list[tarfile.TarInfo], source: Path
) -> list[tarfile.TarInfo]:
    """Return the members but the checksums.

    Raises InputError unless each has its checksum and its records can be read.
    """
    by_name = {_name(member): member for member in members}
    listed = by_name.pop(SUMS, None)
    if listed is None:
        logging.getLogger("fillpath").warning(
            "%s: has no checksums: an older fillpath packed it; only its records are checked", source
        )
        if not any(name.endswith(".jsonl") for name in by_name):
            raise InputError(f"{source}: partial: it holds no records; ask for a whole pack")
    else:
        sums = parse_sums(_content(archive, listed.name).decode(errors="replace"), f"{source}: {SUMS}")
        for name in sorted({*sums, *by_name}):
            _same(archive, by_name.get(name), sums.get(name), name, source)
    for name, member in by_name.items():
        if name == earlier.NAME or name.endswith(".jsonl"):
            _readable(archive, member, name, source)
        if name == regated.NAME:
            _verdicts(archive, member.name)
    return list(by_name.values())


def _same(
    archive: tarfile.TarFile, member: tarfile.TarInfo | None, digest: str | None, name: str, source: Path
) -> None:
    if member is None:
        raise InputError(f"{source}: partial: {name} is in its checksums and not in it; pack again")
    if digest is None:
        raise InputError(f"{source}: {name} is not in its checksums; pack again")
    if hashlib.sha256(_content(archive, member.name)).hexdigest() != digest:
        raise InputError(f"{source}: corrupted: {name} is not what its checksum says; copy or pack it again")


def _readable(archive: tarfile.TarFile, member: tarfile.TarInfo, name: str, source: Path) -> None:
    machine = _machine(member)
    try:
        records = _packed_records(archive, member.name)
    except ConfigError as error:
        raise InputError(f"{source}: corrupted: {str(error).partition('; mend')[0]}") from error
    strangers = {record.machine for record in records} - {machine}
    if strangers:
        raise InputError(f"{source}: {name} is of {', '.join(sorted(strangers))}, in the folder of {machine}")


def _machine(member: tarfile.TarInfo) -> str:
    return PurePosixPath(member.name).parts[0]


def _name(member: tarfile.TarInfo) -> str:
    """Return its path below the machine's folder."""
    return member.name.partition("/")[2]


def _is_made(name: str) -> bool:
    return name == METADATA or name.startswith(f"{REPORT}/")


def _merge(archive: tarfile.TarFile, member: tarfile.TarInfo) -> int:
    """Merge one file.

    Returns the number of records added. Of two files that differ, the one of the standing record stays in
    place, without such a record the one that is here; the other is set aside.
    """
    target = results() / member.name
    data = _content(archive, member.name)
    if _name(member) == earlier.NAME:
        return earlier.add(target, earlier.unpacked(data, member.name))
    if target.suffix == ".jsonl":
        return _merge_records(target, _packed_records(archive, member.name))
    if _name(member) == regated.NAME:
        regated.merge(target, _verdicts(archive, member.name))
    elif not target.is_file():
        _write(target, data)
    elif target.read_bytes() != data:
        arriving = _of_a_case(member.name) and _stands(archive, member.name)
        other = target.read_bytes() if arriving else data
        _write(_aside(target, other), other)
        if arriving:
            _write(target, data)
    return 0


def _aside(target: Path, data: bytes) -> Path:
    """Return where a replaced copy goes: named by its content, so that none overwrites another."""
    machine, *parts = target.relative_to(results()).parts
    return results() / machine / ASIDE / hashlib.sha256(data).hexdigest()[:12] / Path(*parts)


def _of_a_case(name: str) -> bool:
    return PurePosixPath(name).parts[1] in ("series", "counters", "faults", "durations")


def _write(target: Path, data: bytes) -> None:
    with atomic_write(target, "wb") as handle:
        cast(IO[bytes], handle).write(data)


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    """Add a file without an owner and a time."""
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(data), 0o644
    archive.addfile(member, io.BytesIO(data))


def _stands(archive: tarfile.TarFile, name: str) -> bool:
    """Return whether the record that stands for that file's case, now that records are merged, came with
    the pack."""
    path = PurePosixPath(name)
    records = str(path.parent.parent / "records" / f"{path.stem}.jsonl")
    if records not in archive.getnames():
        return False
    return read_records(results() / records)[-1:] == _packed_records(archive, records)[-1:]


def _content(archive: tarfile.TarFile, name: str) -> bytes:
    extracted = archive.extractfile(name)
    assert extracted is not None
    return extracted.read()


def _packed_records(archive: tarfile.TarFile, name: str) -> list[Record]:
    """Return the records of a member. Raises ConfigError where it is damaged."""
    data = _content(archive, name)
    where = name.partition("/")[2]
    if where == earlier.NAME:
        data = "\n".join(earlier.unpacked(data, where)).encode()
    return parse_records(data, where)


def _verdicts(archive: tarfile.TarFile, name: str) -> regated.Rows:
    """Return the verdicts of a member. Raises InputError where it is damaged."""
    return regated.parse(_content(archive, name).decode(errors="replace"), name)


def _merge_records(target: Path, arriving: list[Record]) -> int:
    """Keep both runs of a key; the younger of the two standing records stands."""
    present = read_records(target)
    new = [record for record in arriving if record not in present]
    tails = [records[-1] for records in (present, arriving) if records]
    standing = max(tails, key=lambda record: record.started_at)
    others = [record for record in [*present, *new] if record != standing]
    if new or standing != present[-1]:
        write_records(target, [*sorted(others, key=lambda record: record.started_at), standing])
    return len(new)
