"""Whether a folder under results/ can be read as one machine's results: whole, undamaged, of a schema that
this version knows. A folder that somebody else made is checked before it is compared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fillpath.errors import ConfigError, InputError
from fillpath.record import SCHEMA_VERSION, Record

# The checksums of a pack, as `sha256sum -c` reads them, beside records/.
SUMS = "SHA256SUMS"
_BLOCK = 2**20


@dataclass(frozen=True)
class Holdings:
    """What a machine's folder holds. records : that can be read. upgraded : of these, of an older schema.
    checked : files that a checksum vouches for, 0 where the folder brings none. without : facts that it lacks
    and that nothing needs."""

    machine: str
    records: int
    upgraded: int
    checked: int
    without: tuple[str, ...]

    @property
    def text(self) -> str:
        """One line: `far: 12 records, 3 of an older schema, 14 files checked; without machine.json`."""
        read = f" of an older schema read as version {SCHEMA_VERSION}"
        older = f", {self.upgraded}{read}" if self.upgraded else ""
        sums = f", {self.checked} files checked" if self.checked else ", no checksums"
        lacks = f"; without {', '.join(self.without)}" if self.without else ""
        return f"{self.machine}: {self.records} records{older}{sums}{lacks}"


def holdings(folder: Path) -> Holdings:
    """Read all of a machine's folder. Raises InputError that says which file is damaged or missing, and what
    to do."""
    if not (folder / "records").is_dir():
        raise InputError(
            f"{folder}: partial: it has no records/; ask for the whole folder, or for a `fillpath pack`"
        )
    sums = read_sums(folder / SUMS)
    for name, digest in sums.items():
        _vouched(folder, name, digest)
    found = [item for path in sorted((folder / "records").glob("*.jsonl")) for item in _records(folder, path)]
    if not found:
        raise InputError(f"{folder / 'records'}: partial: it holds no record")
    without = tuple(name for name in ("machine.json",) if not (folder / name).is_file())
    return Holdings(folder.name, len(found), sum(older for _, older in found), len(sums), without)


def digest_of(path: Path) -> str:
    """SHA-256 of a file, 64 hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as handle:
        while block := handle.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def sums_text(sums: Mapping[str, str]) -> str:
    """Checksums by path as a file of them says it."""
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(sums.items()))


def read_sums(path: Path) -> dict[str, str]:
    """The checksums of a file of them by path; none where there is no such file. Raises InputError."""
    return parse_sums(path.read_text(), str(path)) if path.is_file() else {}


def parse_sums(text: str, where: str) -> dict[str, str]:
    """Checksums by path. where : names the file in the error. Raises InputError."""
    found = {}
    for number, line in enumerate(text.splitlines(), start=1):
        digest, two_spaces, name = line.partition("  ")
        if len(digest) != 64 or not two_spaces or not name:
            raise InputError(f"{where}:{number}: no checksum; ask for the pack again")
        found[name] = digest
    return found


def _vouched(folder: Path, name: str, digest: str) -> None:
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{folder / SUMS}: {name} lies outside; ask for the pack again")
    if not path.is_file():
        raise InputError(f"{path}: partial: {SUMS} names it and it is missing; ask for the pack again")
    if digest_of(path) != digest:
        raise InputError(
            f"{path}: corrupted: its checksum is not that of {SUMS}; ask for the pack again, or remove "
            f"{SUMS} where the file was changed on purpose"
        )


def _records(folder: Path, path: Path) -> Iterator[tuple[Record, bool]]:
    """Each record of a file, and whether it is of an older schema."""
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1):
        try:
            data = json.loads(line)
            record = Record.from_json(data)
        except (ValueError, TypeError, AttributeError, ConfigError) as error:
            raise InputError(f"{path}:{number}: corrupted: not a record ({error})") from error
        if record.machine != folder.name:
            raise InputError(
                f"{path}:{number}: is of machine {record.machine!r}: call the folder results/{record.machine}"
            )
        if record.case != path.stem:
            raise InputError(f"{path}:{number}: is of case {record.case}: call the file {record.case}.jsonl")
        yield record, data.get("schema", 0) < SCHEMA_VERSION
