"""The artefact as an RO-Crate: its files, and how each came about, in ro-crate-metadata.json.

By the profile of process runs: an action is a run of fillpath on a machine, on matrices, with the files of
its records as results; one more has drawn the figures and written the appendix. No record says who ran it.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from fillpath.holdings import digest_of
from fillpath.paths import results
from fillpath.record import Record
from reports.facts.records import Records
from reports.pages.crate_entities import (
    LICENSES,
    OWN_LICENSE,
    compact,
    entity,
    environment,
    license_of,
    matrices,
    software,
    version_of,
)

VERSION = "1.1"
PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
# Of the profile's own vocabulary, which RO-Crate's context has not.
TERMS = {name: f"https://w3id.org/ro/terms/workflow-run#{name}" for name in ("environment", "sha256")}
FORMATS = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".md": "text/markdown",
    ".npz": "application/zip",
    ".svg": "image/svg+xml",
    ".xz": "application/x-xz",
}
# Folders of the crate, written anew each time.
RESULTS, FIGURES = "results", "figures"


@dataclass(frozen=True)
class Drawing:
    """How the figures and the appendix came about.

    figures : their files, to copy
    version : of fillpath
    """

    figures: Sequence[Path]
    version: str
    started: datetime
    ended: datetime


def write(
    folder: Path,
    documents: Sequence[Path],
    files: Sequence[Path],
    records: Records,
    drawing: Drawing,
    site: str,
) -> Path:
    """Copy results and figures into the artefact's folder, and describe all of it. Returns the metadata's
    path.

    folder : of the artefact
    documents : in it already
    files : below results/
    site : of the collection of matrices
    """
    for name in (RESULTS, FIGURES):
        shutil.rmtree(folder / name, ignore_errors=True)
    crate = ROCrate(version=VERSION)
    crate.metadata.extra_terms.update(TERMS)
    _describe(crate)
    written = [_add(crate, path, path.name) for path in documents]
    stored = {
        path: _add(crate, path, f"{RESULTS}/{path.relative_to(results()).as_posix()}") for path in files
    }
    folders = _folders(crate, stored)
    runs: dict[tuple[str, str, str], list[Record]] = defaultdict(list)
    for record in (*records.earlier, *records.rows):
        runs[record.machine, record.run_id, version_of(record)].append(record)
    actions = [_measured(crate, *key, runs[key], stored, site) for key in sorted(runs)]
    written += [_add(crate, path, f"{FIGURES}/{path.name}") for path in drawing.figures]
    actions.append(_drawn(crate, drawing, folders, written))
    crate.root_dataset["mentions"] = compact(actions)
    crate.write(folder)
    return folder / str(crate.metadata.id)


def _describe(crate: ROCrate) -> None:
    root = crate.root_dataset
    authors = entity(crate, "#authors", "Organization", name="The fillpath authors")
    profile = entity(crate, PROFILE, "CreativeWork", name="Process Run Crate", version=PROFILE[-3:])
    for id in LICENSES:
        license_of(crate, id)
    root["name"] = "fillpath: measurements of sparse factorisation, and the verdicts that they give"
    root["description"] = (
        "Records of every measurement with their provenance, the figures drawn from them, and the appendix "
        "of an artefact evaluation. The checksums of all results are in SHA256SUMS."
    )
    root["license"] = license_of(crate, OWN_LICENSE)
    root["author"] = authors
    root["conformsTo"] = profile


def _add(crate: ROCrate, path: Path, name: str) -> Entity:
    """Add a file under that name, with its checksum."""
    facts = {"name": path.name, "contentSize": str(path.stat().st_size), "sha256": digest_of(path)}
    facts["encodingFormat"] = FORMATS.get(path.suffix, "text/plain")
    return crate.add_file(path, name, properties=facts)


def _folders(crate: ROCrate, stored: Mapping[Path, Entity]) -> list[Entity]:
    """One dataset per machine, of its files."""
    parts: dict[str, list[Entity]] = defaultdict(list)
    for path, added in stored.items():
        parts[path.relative_to(results()).parts[0]].append(added)
    return [
        crate.add_dataset(
            dest_path=f"{RESULTS}/{machine}",
            properties={
                "name": f"Results of {machine}", "hasPart": compact(files),
                "description": f"What was measured on {machine}, and the facts of that machine.",
            },
        )
        for machine, files in parts.items()
    ]  # fmt: skip


def _measured(
    crate: ROCrate, machine: str, run: str, version: str, records: Sequence[Record],
    stored: Mapping[Path, Entity], site: str,
) -> Entity:  # fmt: skip
    """The action of one run of a version on a machine."""
    cases = sorted({record.case for record in records})
    files = [results() / machine / "records" / f"{case}.jsonl" for case in cases]
    stages = sorted({case.partition(".")[0] for case in cases})
    begun = [datetime.fromisoformat(record.started_at) for record in records]
    ends = [start + timedelta(seconds=sum(r.seconds)) for start, r in zip(begun, records, strict=True)]
    return entity(
        crate, f"#run-{run}-{machine}-{version}", "CreateAction",
        name=f"Measure {', '.join(stages)} on {machine}",
        description=f"Run {run}: {len(records)} records of {len(cases)} cases. The end is that of the last "
        "record's samples; that of the process is not recorded.",
        instrument=software(crate, machine, version, records),
        environment=environment(crate, machine, records),
        startTime=_time(min(begun)), endTime=_time(max(ends)),
        object=matrices(crate, records, site),
        result=[stored[path] for path in files if path in stored],
    )  # fmt: skip


def _drawn(crate: ROCrate, drawing: Drawing, folders: Sequence[Entity], written: Sequence[Entity]) -> Entity:
    """The action that drew the figures and wrote the appendix."""
    return entity(
        crate, "#drawing", "CreateAction",
        name="Draw the figures and write the appendix",
        description="Of every figure that any machine has a record of, and of every claim.",
        instrument=software(crate, "figures", drawing.version, ()),
        startTime=_time(drawing.started), endTime=_time(drawing.ended),
        object=list(folders), result=list(written),
    )  # fmt: skip


def _time(when: datetime) -> str:
    return when.astimezone(UTC).isoformat(timespec="milliseconds")
