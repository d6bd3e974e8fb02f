"""Reading a folder under results/ as one machine's results: whole, undamaged, of a known schema.

A folder from somebody else is checked before it is compared.

    line, cases = read(results() / "h200")
    print(line)   # h200: 2748 records, no checksums
"""

import hashlib
import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fillpath import earlier, gate_verdicts
from fillpath.config import violation
from fillpath.errors import InputError
from fillpath.paths import results
from fillpath.record import Record, records_in

# The file with a pack's checksums, in the format of `sha256sum -c`.
SUMS = "SHA256SUMS"
# The file with the facts of a machine.
FACTS = "machine.json"


def read(folder: Path) -> tuple[str, list[list[Record]]]:
    """Read all of a machine's folder: a line on it, and the records of each case, the current one last.

    The line reads `far: 12 records, 14 files checked; without machine.json`.

    Raises InputError naming the damaged or missing file and the remedy.
    """
    sums = read_sums(folder / SUMS)
    for name, digest in sums.items():
        _check_sum(folder, name, digest)
    read_facts(folder)
    read_ceilings(folder)
    archive = folder / earlier.NAME
    archived: dict[str, list[Record]] = {}
    for record in _read_file(archive, folder) if archive.is_file() else ():
        archived.setdefault(record.case, []).append(record)
    cases = []
    for path in sorted((folder / "records").glob("*.jsonl")):
        if here := _read_file(path, folder):
            cases.append([*(each for each in archived.get(path.stem, ()) if each not in here), *here])
    if not cases:
        remedy = "ask for the whole folder, or for a `fillpath pack`"
        raise InputError(f"{folder}: partial: it has no records in records/; {remedy}")
    gate_verdicts.require_known(folder / gate_verdicts.NAME, itertools.chain.from_iterable(cases))
    checked = f"{len(sums)} files checked" if sums else "readable; packs alone have checksums"
    without = "" if (folder / FACTS).is_file() else f"; without {FACTS}"
    return f"{folder.name}: {sum(map(len, cases))} records, {checked}{without}", cases


def machines() -> list[str]:
    """Return the folders of results/ that belong to machines: all but `asv`, of earlier versions."""
    folders = (path for path in results().glob("*/") if path.name != "asv" and not path.name.startswith("."))
    return sorted(path.name for path in folders)


def read_facts(folder: Path) -> Mapping[str, Any]:
    """Return the content of machine.json, empty without one. Raises InputError if it is damaged."""
    remedy = "correct it or remove it"
    facts = _read_json(folder / FACTS, remedy)
    cpu, cores, gpus = (facts.get(name) for name in ("cpu", "cores", "gpus"))
    names = gpus is None or (isinstance(gpus, list) and all(isinstance(name, str) for name in gpus))
    if not (names and isinstance(cpu, str | None) and isinstance(cores, int | None)):
        raise InputError(f"{folder / FACTS}: corrupted: not a machine's facts; {remedy}")
    return facts


def read_ceilings(folder: Path) -> Mapping[str, Any]:
    """Return the ceilings that `fillpath calibrate` wrote for a machine, empty without any.

    Raises InputError for a file that is damaged or of another schema.
    """
    path, remedy = folder / "ceilings.json", "run `fillpath calibrate` there again"
    ceilings = _read_json(path, remedy)
    if path.is_file() and (mistake := violation(ceilings, "ceilings")):
        raise InputError(f"{path}: {mistake}; {remedy}")
    return ceilings


def _read_json(path: Path, remedy: str) -> Mapping[str, Any]:
    """Return the object in a file, empty without the file. Raises InputError with the remedy."""
    if not path.is_file():
        return {}
    try:
        value = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: corrupted: {error}; {remedy}") from error
    if not isinstance(value, dict):
        raise InputError(f"{path}: corrupted: not an object; {remedy}")
    return value


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, 64 hexadecimal digits."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def read_sums(path: Path) -> dict[str, str]:
    """Return the checksums in a file, by path; empty if there is no such file. Raises InputError."""
    sums = {}
    for number, line in enumerate(path.read_text().splitlines() if path.is_file() else (), start=1):
        digest, two_spaces, name = line.partition("  ")
        if len(digest) != 64 or not two_spaces or not name:
            raise InputError(f"{path}:{number}: no checksum; ask for the pack again")
        sums[name] = digest
    return sums


def _check_sum(folder: Path, name: str, digest: str) -> None:
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


def _read_file(path: Path, folder: Path) -> list[Record]:
    """Return the records of a case's file, or of the archive. Raises InputError for a record of another."""
    records = records_in(path)
    for number, record in enumerate(records, 1):
        of, case = record.machine, record.case
        if of != folder.name:
            raise InputError(f"{path}:{number}: is of machine {of!r}: call the folder results/{of}")
        if case != path.stem and path.name != earlier.NAME:
            raise InputError(f"{path}:{number}: is of case {case}: call the file {case}.jsonl")
    return records
