"""Whether a folder under results/ can be read as one machine's results: whole, undamaged, of a schema that
this version knows. A folder that somebody else made is checked before it is compared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

from fillpath.case import Case
from fillpath.errors import FillpathError, InputError
from fillpath.paths import CONFIG, results
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
    """What a machine's folder holds, all of it read. Raises InputError as `read`."""
    return read(folder)[0]


def read(folder: Path) -> tuple[Holdings, list[list[Record]]]:
    """All of a machine's folder: what it holds, and the records of each case, the one that stands last.
    Raises InputError that says which file is damaged or missing, and what to do."""
    if not (folder / "records").is_dir():
        raise InputError(
            f"{folder}: partial: it has no records/; ask for the whole folder, or for a `fillpath pack`"
        )
    sums = read_sums(folder / SUMS)
    for name, digest in sums.items():
        _vouched(folder, name, digest)
    read_facts(folder)
    read_ceilings(folder)
    found = [list(_records(folder, path)) for path in sorted((folder / "records").glob("*.jsonl"))]
    older = [is_older for stored in found for _, is_older in stored]
    if not older:
        raise InputError(f"{folder / 'records'}: partial: it holds no record")
    without = tuple(name for name in ("machine.json",) if not (folder / name).is_file())
    held = Holdings(folder.name, len(older), sum(older), len(sums), without)
    return held, [[record for record, _ in stored] for stored in found if stored]


def machines() -> list[str]:
    """The folders of results/ that are a machine's: all but asv's own."""
    found = (path for path in results().glob("*/") if path.name != "asv" and not path.name.startswith("."))
    return sorted(path.name for path in found)


def read_facts(folder: Path) -> Mapping[str, Any]:
    """What machine.json says of a machine, nothing without one. Raises InputError for a damaged one."""
    return _read_json(folder / "machine.json", "remove it, or ask for the folder again") or {}


def read_ceilings(folder: Path) -> Mapping[str, Any] | None:
    """What `fillpath calibrate` wrote for a machine; None where it did not. Raises InputError for a file that
    is damaged or of another schema."""
    path = folder / "ceilings.json"
    found = _read_json(path, "run `fillpath calibrate` there again")
    if found is None:
        return None
    schema = json.loads((CONFIG / "schemas" / "ceilings.json").read_text())
    wrong = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(found))
    if wrong is not None:
        raise InputError(f"{path}: {wrong.json_path}: {wrong.message}; run `fillpath calibrate` there again")
    return found


def _read_json(path: Path, remedy: str) -> Mapping[str, Any] | None:
    """An object that a file holds, None without the file. Raises InputError with the remedy."""
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_text())
    except ValueError as error:
        raise InputError(f"{path}: corrupted: {error}; {remedy}") from error
    if not isinstance(found, dict):
        raise InputError(f"{path}: corrupted: not an object; {remedy}")
    return found


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
        if not line:
            continue
        try:
            data = json.loads(line)
            record = Record.from_json(data)
            Case.parse(record.case)
        except (ValueError, TypeError, AttributeError, FillpathError) as error:
            raise InputError(f"{path}:{number}: corrupted: not a record ({error})") from error
        if record.machine != folder.name:
            raise InputError(
                f"{path}:{number}: is of machine {record.machine!r}: call the folder results/{record.machine}"
            )
        if record.case != path.stem:
            raise InputError(f"{path}:{number}: is of case {record.case}: call the file {record.case}.jsonl")
        yield record, data.get("schema", 0) < SCHEMA_VERSION
