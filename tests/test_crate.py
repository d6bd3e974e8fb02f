"""A pack's RO-Crate: whole by the validator of its profile, and nothing in it that no record says."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from urllib3 import HTTPResponse

from benchmarks.runs import archive
from fillpath.paths import results
from fillpath.record import Record, record_path, write_records
from reports.facts.records import Records
from reports.pages import crate
from tests.reports_fakes import measured

SITE = "https://collection.example"
CONTEXT = "https://w3id.org/ro/crate/1.1/context"
CHECKSUM = "c" * 64
Graph = dict[str, dict[str, Any]]


def record(name: str, source: str, **changes: Any) -> Record:
    made = measured(name, 2.0, **changes)
    return replace(made, prepared={**(made.prepared or {}), "source": source, "checksum": CHECKSUM})


RECORDS = (
    record(
        "gsofa", "HB/bcsstk18", driver="580.1", cuda="13.2", versions={"numpy": "2.0", "python": "3.11.7"}
    ),
    record("fill2_gpu", "grid2d:60"),
    record("fill1", "mine-0123456789ab.mtx", run_id="run-2", device=None, dirty=True),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A pack that was taken out."""
    for each in RECORDS:
        write_records(record_path(each.machine, each.case), [each])
    (results() / "h200" / "machine.json").write_text('{"cores": 16, "memory": 99, "os": "Linux 6"}')
    stored = {name: path.read_bytes() for name, path in archive.contents("h200").items()}
    drawn = {"report/figures/gsofa_fig14.svg": b"<svg/>"}
    written = {archive.METADATA: crate.metadata(Records(RECORDS), stored, drawn, "abc", SITE)}
    for name, data in {**stored, **drawn, **written}.items():
        path = tmp_path / "h200" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return tmp_path / "h200"


@pytest.fixture
def graph(folder: Path) -> Graph:
    return {entity["@id"]: entity for entity in json.loads((folder / archive.METADATA).read_text())["@graph"]}


def ids(value: Any) -> list[str]:
    return [each["@id"] for each in (value if isinstance(value, list) else [value])]


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No address is reached. RO-Crate's context is that of 1.3, which rocrate brings along: of the terms of
    1.1 it changes five, of workflows and citations, none of which is written here."""
    context = (files("rocrate") / "data" / "ro-crate.jsonld").read_bytes()

    def send(adapter: HTTPAdapter, request: PreparedRequest, **_: Any) -> Response:
        if request.url != CONTEXT:
            raise OSError(f"no network here: {request.url}")
        raw = HTTPResponse(
            io.BytesIO(context), {"Content-Type": "application/ld+json"}, 200, preload_content=False
        )
        return adapter.build_response(request, raw)

    monkeypatch.setattr(HTTPAdapter, "send", send)


def issues(folder: Path) -> list[str]:
    """What the validator says against the crate."""
    services = pytest.importorskip("rocrate_validator.services", reason="roc-validator is not installed")
    result = services.validate(
        {
            "rocrate_uri": str(folder),
            "profile_identifier": "process-run-crate-0.5",
            "requirement_severity": "REQUIRED",
            "no_cache": True,
            "cache_max_age": 0,
            "skip_availability_check": True,
        }
    )
    return [f"{issue.check.identifier}: {issue.message}" for issue in result.get_issues()]


def test_it_is_a_process_run_crate(folder: Path, offline: None) -> None:
    assert issues(folder) == []


def test_the_validator_finds_what_is_wrong(folder: Path, graph: Graph, offline: None) -> None:
    del graph["#drawing"]["instrument"], graph["./"]["conformsTo"]
    graph["./"]["hue"] = "blue"
    data = json.loads((folder / archive.METADATA).read_text())
    (folder / archive.METADATA).write_text(json.dumps({**data, "@graph": list(graph.values())}))
    found = "\n".join(issues(folder))
    for message in ("MUST have an instrument", "versioned permalink of the profile", "hue"):
        assert message in found


def test_a_licence_is_said_where_it_is_known(graph: Graph) -> None:
    found = graph[f"{SITE}/MM/HB/bcsstk18.tar.gz"]
    assert ids(found["license"]) == ["https://spdx.org/licenses/CC-BY-4.0"] and found["sha256"] == CHECKSUM
    for source, words in (("grid2d:60", "Generated"), ("mine-0123456789ab.mtx", "not known")):
        entity = graph[f"#{source}-{CHECKSUM[:12]}"]
        assert entity["sha256"] == CHECKSUM and words in entity["description"] and "license" not in entity


def test_an_action_is_a_run_of_a_version(graph: Graph) -> None:
    assert ids(graph["./"]["mentions"]) == [
        "#run-run-1-0123456789abcdef", "#run-run-2-0123456789abcdef+dirty", "#drawing",
    ]  # fmt: skip
    action = graph["#run-run-1-0123456789abcdef"]
    assert action["startTime"] == "2030-01-01T00:00:01Z"
    assert action["endTime"].startswith("2030-01-01T00:00:07.200"), "2 s three times, and a little"
    assert len(ids(action["result"])) == 2 and set(ids(action["result"])) < set(graph)
    assert ids(action["object"]) == [f"{SITE}/MM/HB/bcsstk18.tar.gz", f"#grid2d:60-{CHECKSUM[:12]}"]
    (software,) = ids(action["instrument"])
    assert graph[software]["softwareVersion"] == "0123456789abcdef"
    libraries = {
        graph[id]["name"]: graph[id]["softwareVersion"] for id in ids(graph[software]["softwareRequirements"])
    }
    assert libraries == {
        "cuda": "13.2",
        "numba": "0.61",
        "numpy": "2.0",
        "nvidia-driver": "580.1",
        "python": "3.11.7",
    }
    facts = {graph[id]["name"]: graph[id]["value"] for id in ids(action["environment"])}
    assert facts["GPU"] == "NVIDIA H200" and facts["cores"] == "16" and facts["machine"] == "h200"
    other = graph["#run-run-2-0123456789abcdef+dirty"]
    assert "GPU" not in {graph[id]["name"] for id in ids(other["environment"])}


def test_figures_are_drawn_from_the_results(graph: Graph) -> None:
    drawing = graph["#drawing"]
    assert len(ids(drawing["object"])) == 1 + len(RECORDS) and set(ids(drawing["object"])) < set(graph)
    assert ids(drawing["result"]) == ["report/figures/gsofa_fig14.svg"]
    assert graph[ids(drawing["instrument"])[0]]["softwareVersion"] == "abc"
    assert datetime.fromisoformat(drawing["endTime"]).tzinfo
