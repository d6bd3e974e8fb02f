"""A pack as an RO-Crate: its files, and how they came about, by the profile of process runs.

An action is a run of one version on the machine: on matrices, with the files of its records as results. One
more drew the figures. A record has no author, and an unknown licence is left out.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from fillpath.holdings import read_facts
from fillpath.paths import results
from fillpath.record import Record
from reports.facts.records import Records

PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
# Terms of the profile that RO-Crate's context lacks.
TERMS = {name: f"https://w3id.org/ro/terms/workflow-run#{name}" for name in ("environment", "sha256")}
# Licences of fillpath with its results, and of the SuiteSparse Matrix Collection as a whole.
OWN, COLLECTION = "https://spdx.org/licenses/BSD-3-Clause", "https://spdx.org/licenses/CC-BY-4.0"
# The crate's names for the fields of machine.json.
FACTS = {"cores": "cores", "memory": "memory in bytes", "os": "operating system", "arch": "architecture"}
Files = Mapping[str, bytes]


def metadata(records: Records, stored: Files, drawn: Files, version: str, site: str) -> bytes:
    """Return the metadata of a machine's pack.

    records : of that machine alone
    stored, drawn : the measured files, and those just drawn from them, by their paths in the pack
    version : of fillpath
    site : of the collection of matrices
    """
    crate = ROCrate(version="1.1")
    crate.metadata.extra_terms.update(TERMS)
    for licence in (OWN, COLLECTION):
        _entity(crate, licence, "CreativeWork", name=licence.rpartition("/")[2], url=licence)
    root = crate.root_dataset
    root["name"] = f"fillpath on {' and '.join(records.machines())}: measurements of sparse factorisation"
    root["description"] = "Records of every measurement with their provenance, and what was drawn from them."
    root["license"] = crate.get(OWN)
    root["author"] = _entity(crate, "#authors", "Organization", name="The fillpath authors")
    root["conformsTo"] = _entity(crate, PROFILE, "CreativeWork", name="Process Run Crate", version="0.5")
    inputs, outputs = ([_file(crate, *item) for item in files.items()] for files in (stored, drawn))
    runs: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in (*records.earlier, *records.rows):
        runs[record.run_id, version_text(record.commit, record.dirty)].append(record)
    actions = [_measured(crate, *key, runs[key], site) for key in sorted(runs)]
    if drawn:
        facts = {"name": "Draw the figures", "instrument": _software(crate, "drawing", version, ())}
        facts |= {"object": inputs, "result": outputs, "endTime": datetime.now(UTC).isoformat()}
        actions.append(_entity(crate, "#drawing", "CreateAction", **facts))
    root["mentions"] = actions
    return json.dumps(crate.metadata.generate(), indent=1, sort_keys=True).encode()


def version_text(commit: str | None, dirty: bool | None) -> str:
    """Return the version of fillpath: the commit, `+dirty` where files differed from it."""
    return f"{commit or 'unknown'}{'+dirty' if dirty else ''}"


def _entity(crate: ROCrate, id: str, type: str, **properties: Any) -> Entity:
    """Add an entity without empty properties; an equal one is replaced."""
    said = {name: value for name, value in properties.items() if value not in (None, [])}
    return crate.add(ContextEntity(crate, id, properties={"@type": type, **said}))


def _file(crate: ROCrate, name: str, data: bytes) -> Entity:
    facts = {"name": name, "contentSize": str(len(data)), "sha256": sha256(data).hexdigest()}
    return crate.add_file(dest_path=name, properties=facts)


def _measured(crate: ROCrate, run: str, version: str, records: Sequence[Record], site: str) -> Entity:
    """Add the action of one run of a version."""
    cases = sorted({record.case for record in records})
    stages = ", ".join(sorted({case.partition(".")[0] for case in cases}))
    ends = [datetime.fromisoformat(r.started_at) + timedelta(seconds=sum(r.seconds)) for r in records]
    inputs = [each for record in records if (each := record.prepared) and "checksum" in each]
    sources = sorted({(each["source"], each["checksum"]) for each in inputs})
    return _entity(
        crate,
        f"#run-{run}-{version}",
        "CreateAction",
        name=f"Measure {stages} on {records[0].machine}",
        description=f"{len(records)} records of {len(cases)} cases; the end is that of the last sample.",
        instrument=_software(crate, run, version, records),
        environment=_environment(crate, records),
        startTime=min(record.started_at for record in records),
        endTime=max(ends).isoformat(),
        object=[_matrix(crate, *source, site) for source in sources],
        result=[file for case in cases if (file := crate.get(quote(f"records/{case}.jsonl")))],
    )


def _software(crate: ROCrate, run: str, version: str, records: Sequence[Record]) -> Entity:
    """Add fillpath of that version, with the libraries that the records of the run name."""
    named = [(*r.versions.items(), ("cuda", r.cuda), ("nvidia-driver", r.driver)) for r in records]
    libraries = [
        _entity(crate, f"#{name}-{number}", "SoftwareApplication", name=name, softwareVersion=number)
        for name, number in sorted({item for each in named for item in each if item[1]})
    ]
    known = {"softwareVersion": version, "license": crate.get(OWN), "softwareRequirements": libraries}
    return _entity(crate, f"#fillpath-{version}-{run}", "SoftwareApplication", name="fillpath", **known)


def _environment(crate: ROCrate, records: Sequence[Record]) -> list[Entity]:
    """Add the machine that these records are of: one property per fact, as its folder and they know it."""
    facts = read_facts(results() / records[0].machine)
    known = [("machine", records[0].machine), *((name, facts.get(key)) for key, name in FACTS.items())]
    for r in records:
        known += [("host", r.host), ("processor", r.host_cpu), ("GPU", r.device)]
    return [
        _entity(crate, "#" + quote(f"{name}-{value}", safe=""), "PropertyValue", name=name, value=str(value))
        for name, value in dict.fromkeys(known)
        if value
    ]


def _matrix(crate: ROCrate, source: str, checksum: str, site: str) -> Entity:
    """Add a matrix of the collection, or of a generator, or a file of somebody's own."""
    if "/" not in source:
        origin = "Generated by fillpath" if ":" in source else "A file whose licence is not known"
        facts = {"sha256": checksum, "description": f"{origin}; the checksum is of its content."}
        return _entity(crate, f"#{source}-{checksum[:12]}", "CreativeWork", name=source, **facts)
    address = f"{site}/MM/{source}.tar.gz"
    collection = _entity(crate, site, "CreativeWork", name="SuiteSparse Matrix Collection", url=site)
    facts = {"name": source, "isPartOf": collection, "license": crate.get(COLLECTION)}
    archive = crate.get(address) or crate.add_file(address, properties=facts)
    if checksum not in archive.get("sha256", ()):
        archive.append_to("sha256", checksum, compact=True)
    return archive
