"""A machine's results as one file, with checksums; and its superseded records in a compressed archive.

Merging keeps both runs of a key, the gate's verdicts of both, and both of any two other files that differ.

    pack("h200", Path("h200.tar.gz"))
    machine, added = unpack(Path("h200.tar.gz"))
"""

import errno
import gzip
import hashlib
import io
import tarfile
from collections.abc import Mapping
from operator import attrgetter, itemgetter
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory, gettempdir

import pandas as pd

from benchmarks.engine.current import is_outweighed
from fillpath import LOG, earlier, gate_verdicts, holdings
from fillpath.errors import DiskFullError, InputError
from fillpath.host import is_own, share
from fillpath.lock import exclusive
from fillpath.paths import atomic_write, free_space, results, write_bytes, write_text
from fillpath.processes import of_run
from fillpath.record import (
    UNTRIED,
    Record,
    Status,
    line_of,
    read_records,
    record_path,
    records_in,
    write_records,
)

_MEMBER_BYTES = 2**30
# Folder below a machine's for copies that another one has replaced.
ASIDE = "superseded"
# Folders below a machine's with files of cases.
_OF_CASES = ("series", "counters", "faults", "durations")
# Made of the results, and left out by `unpack`: a folder for people, and the metadata of an RO-Crate.
REPORT, METADATA = "report", "ro-crate-metadata.json"


def contents(machine: str) -> dict[str, bytes]:
    """Return the packed files of results/<machine>/ by their paths there. Raises InputError for none."""
    folder = results() / machine
    kept = {name: path.read_bytes() for name, path in _results_of(folder).items()}
    if not kept:
        raise InputError(f"nothing to pack: {folder} holds no results; `fillpath doctor` names this machine")
    return kept


def pack(machine: str, target: Path, made: Mapping[str, bytes] | None = None) -> int:
    """Write results/<machine>/ to a .tar.gz, with the checksum of each file: same files, same bytes.

    Returns the number of files. Raises InputError for none.

    made : files below REPORT, and METADATA
    """
    files = {**contents(machine), **(made or {})}
    lines = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items())]
    with (
        atomic_write(target, "wb") as handle,
        # The time and the name that gzip would note differ between packs.
        gzip.GzipFile(filename="", mode="wb", fileobj=handle, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for name, data in [*sorted(files.items()), (holdings.SUMS, "".join(lines).encode())]:
            # A member has no owner and no time.
            member = tarfile.TarInfo(str(PurePosixPath(machine, name)))
            member.size, member.mode = len(data), 0o644
            archive.addfile(member, io.BytesIO(data))
    return len(files)


def set_aside(machine: str) -> int:
    """Move superseded records into the machine's archive. Returns how many it did not hold before.

    A record with the run and key of its case's last stays. A kill between the two writes leaves records in
    both places, where they count once.
    """
    folder = results() / machine
    with exclusive(folder / ".lock"):
        kept, lines = {}, []
        for path in sorted((folder / "records").glob("*.jsonl")):
            records = records_in(path)
            last = of_run(records) if records else ()
            lines += [line_of(record) for record in records if record not in last]
            if len(last) < len(records):
                kept[path] = [record for record in records if record in last]
        added = earlier.add(folder / earlier.NAME, lines)
        for path, stay in kept.items():
            write_records(path, stay)
    return added


def unpack(source: Path) -> tuple[str, int]:
    """Merge a packed machine into results/. Returns (its name, records added).

    Raises InputError, before anything is written, for members outside one folder, and as `holdings.read`. It
    refuses a machine that is this host alone, whose folder only measuring writes. Raises DiskFullError.
    """
    try:
        with TemporaryDirectory() as folder, tarfile.open(source, "r:gz") as archive:
            packed = _extracted(archive, Path(folder), source)
            _require_whole(packed, source)
            name = packed.name
            # The checksums of another folder do not hold for the merged one.
            (results() / name / holdings.SUMS).unlink(missing_ok=True)
            # Records come first: the newer current record decides between two series.
            arrived = sorted(_results_of(packed).values(), key=lambda path: path.suffix != ".jsonl")
            added = sum(_merge(path, packed) for path in arrived)
            share(name)
            return name, added
    except (tarfile.TarError, EOFError, OSError) as error:
        if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFullError(
                f"{source}: too little room to unpack it, in {gettempdir()} or {results()}; free some space, "
                "or point TMPDIR or FILLPATH_RESULTS elsewhere"
            ) from error
        raise InputError(f"{source}: not a readable pack ({error})") from error


def _extracted(archive: tarfile.TarFile, folder: Path, source: Path) -> Path:
    """Write the members below a folder. Returns the machine's folder there."""
    members = [_plain_member(member, source) for member in archive.getmembers()]
    names = {PurePosixPath(member.name).parts[0] for member in members}
    if len(names) != 1:
        raise InputError(f"{source}: holds {len(names)} machines, expected one")
    name = names.pop()
    if is_own(name):
        raise InputError(
            f"{source}: results/{name} is this host's own, and only measured here; if the pack is of "
            f"another host that is called {name} too, unpack it in another checkout"
        )
    if sum(member.size for member in members) > free_space(folder):
        raise OSError(errno.ENOSPC, "too little room", str(folder))
    # Each is a plain file, so none is written outside the folder.
    archive.extractall(folder, members)
    return folder / name


def _plain_member(member: tarfile.TarInfo, source: Path) -> tarfile.TarInfo:
    path = PurePosixPath(member.name)
    if not member.isfile() or path.is_absolute() or ".." in path.parts or len(path.parts) < 2:
        raise InputError(f"{source}: refused member {member.name!r}: not a plain file inside one folder")
    if member.size > _MEMBER_BYTES:
        raise InputError(f"{source}: refused member {member.name!r}: {member.size} bytes")
    member.mode, member.mtime = 0o644, 0
    return member


def _require_whole(packed: Path, source: Path) -> None:
    """Raise InputError unless the results can be read and each file has its checksum."""
    try:
        holdings.read(packed)
    except InputError as error:
        raise InputError(f"{source}: {str(error).replace(f'{packed}/', '')}") from error
    if sums := holdings.read_sums(packed / holdings.SUMS):
        for name in sorted(_files(packed).keys() - sums.keys() - {holdings.SUMS}):
            raise InputError(f"{source}: {name} is not in its checksums; pack again")
    else:
        LOG.warning("%s: has no checksums: an older fillpath packed it; only its records are checked", source)


def _files(folder: Path) -> dict[str, Path]:
    """Return the files below a folder by their paths there."""
    return {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}


def _results_of(folder: Path) -> dict[str, Path]:
    """Return the files that are neither hidden, such as locks, nor checksums, nor made of the results."""
    files = {name: path for name, path in _files(folder).items() if not path.name.startswith(".")}
    made = {holdings.SUMS, METADATA, *(name for name in files if name.startswith(f"{REPORT}/"))}
    return {name: path for name, path in files.items() if name not in made}


def _merge(arrived: Path, packed: Path) -> int:
    """Merge one file of a pack. Returns the number of records added.

    The gate's verdicts are joined. If two other files differ, one is set aside. The file of the
    current record stays in place; without such a record, the file that is here.
    """
    target, data = results() / arrived.relative_to(packed.parent), arrived.read_bytes()
    if arrived.name == earlier.NAME:
        return earlier.add(target, earlier.lines_of(arrived))
    if arrived.suffix == ".jsonl":
        return _merge_records(target, records_in(arrived))
    if not target.is_file():
        write_bytes(target, data)
    elif arrived.name == gate_verdicts.NAME:
        _merge_verdicts(target, gate_verdicts.read(arrived))
    elif target.read_bytes() != data:
        arriving = arrived.parent.name in _OF_CASES and _is_current(packed, arrived.stem)
        other = target.read_bytes() if arriving else data
        # Named by its content, so that no copy overwrites another.
        place = Path(ASIDE, hashlib.sha256(other).hexdigest()[:12], arrived.relative_to(packed))
        write_bytes(results() / packed.name / place, other)
        if arriving:
            write_bytes(target, data)
    return 0


def _merge_verdicts(target: Path, arriving: gate_verdicts.Rows) -> None:
    """Keep the rows of both. If both have a key, a row that is not ok stays, else the row here."""
    here = gate_verdicts.read(target)
    failed = {key: row for rows in (arriving, here) for key, row in rows.items() if row.status != Status.OK}
    rows = {**arriving, **here, **failed}
    if rows != here:
        ordered = sorted(rows.values(), key=lambda row: (row.case, row.key))
        write_text(target, pd.DataFrame(ordered).to_csv(index=False, lineterminator="\n"))


def _is_current(packed: Path, case: str) -> bool:
    """Return whether the case's current record, now that records are merged, came with the pack."""
    arrived = read_records(packed / "records" / f"{case}.jsonl")
    return arrived != [] and arrived[-1] == read_records(record_path(packed.name, case))[-1]


def _merge_records(target: Path, arriving: list[Record]) -> int:
    """Keep both runs of a key. The younger of the two current records becomes current.

    One that measured nothing gives way. With the same key a limit or a kill gives way to a result, and fewer
    ok processes to more; a younger failure stays.
    """
    present = read_records(target)
    new = [record for record in arriving if record not in present]
    runs = [(records[-1], len(of_run(records))) for records in (present, arriving) if records]
    tried = [(last, count) for last, count in runs if last.status not in UNTRIED] or runs
    youngest = max((last for last, _ in tried), key=attrgetter("started_at"))
    weighed = [
        (not is_outweighed(last), last.status is youngest.status, count, last.started_at, last)
        for last, count in tried
        if last.key == youngest.key
    ]
    current = max(weighed, key=itemgetter(slice(4)))[4]
    others = [record for record in [*present, *new] if record != current]
    if new or current != present[-1]:
        write_records(target, [*sorted(others, key=attrgetter("started_at")), current])
    return len(new)
