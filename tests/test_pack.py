"""A pack: every member has a checksum, its RO-Crate is whole by the validator of its profile and says nothing
that no record says, and `unpack` takes records."""

import errno
import io
import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from urllib.parse import unquote

import pytest
from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from urllib3 import HTTPResponse

from benchmarks.engine.machine import git_state
from benchmarks.runs import archive
from commands import main
from fetch import collection
from fillpath.errors import DiskFullError, InputError
from fillpath.holdings import SUMS, digest_of
from fillpath.paths import results
from fillpath.record import Record, Status, read_records
from reports import figures
from reports.facts.claims import claims
from reports.figures import exhibits
from reports.pages import crate, drawing
from reports.shapes.files import read_comments
from tests.reports_fakes import measured
from tests.serial import Serial
from tests.test_compare import on, put, put_ceilings, repack

SUMMARY = "report/summary.txt"
CONTEXT = "https://w3id.org/ro/crate/1.1/context"
CHECKSUM = "c" * 64
Graph = dict[str, dict[str, Any]]


def of_source(name: str, source: str, **changes: Any) -> Record:
    made = measured(name, 2.0, **changes)
    return replace(made, prepared={**(made.prepared or {}), "source": source, "checksum": CHECKSUM})


VERSIONS = {"numpy": "2.0", "python": "3.11.7"}
# A machine of which one case took too long, another one, and one of several sources.
MACHINES = (
    *on("far", 2.0, 1.0, 3.0, 2.5),
    measured("fill1", 1.0, machine="far", status=Status.TIMEOUT, reason="60 s", seconds=[]),
    *on("near", 1.0, 1.0),
    of_source("gsofa", "HB/bcsstk18", driver="580.1", cuda="13.2", versions=VERSIONS),
    of_source("fill2_gpu", "grid2d:60"),
    of_source("fill1", "mine-0123456789ab.mtx", run_id="run-2", device=None, dirty=True),
)


@contextmanager
def one_figure(folder: Path) -> Iterator[pytest.MonkeyPatch]:
    """One figure is drawn, and the claims that it decides are judged, for all of them take a minute."""
    shown = {"fig14": exhibits("gsofa")["fig14"]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FILLPATH_RESULTS", str(folder / "results"))
        patch.setenv("FILLPATH_MACHINE", "near")
        patch.setattr("commands.pack.adopt", lambda: None)
        patch.setattr("commands.pack.begin_part", lambda: None)
        patch.setattr(figures, "exhibits", lambda paper: shown)
        patch.setattr(drawing, "paper_names", lambda: ["gsofa"])
        patch.setattr(figures, "available_figures", lambda: [("gsofa", "fig14")])
        yield patch


def pack(target: Path, *options: str) -> int:
    return main(["pack", "--machine", "far", *options, str(target)])


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with results/ of several machines, and packs of two of them, one of each taken apart too."""
    folder = tmp_path_factory.mktemp("packed")
    with one_figure(folder) as patch:
        patch.setattr(drawing, "workers", Serial)
        put(*MACHINES)
        put_ceilings("far")
        (results() / "h200" / "machine.json").write_text('{"cores": 16, "memory": 99, "os": "Linux 6"}')
        assert pack(folder / "figures.tar.gz", "--figures") == 0
        assert pack(folder / "pack.tar.gz", "--figures", "--crate") == 0
        assert main(["pack", "--machine", "h200", "--crate", str(folder / "h200.tar.gz")]) == 0
    for name in ("pack", "h200"):
        subprocess.run(["tar", "xzf", folder / f"{name}.tar.gz", "-C", folder], check=True)
    return folder


def test_every_member_has_a_checksum_and_figures_are_of_that_machine_alone(packed: Path) -> None:
    sums = ["sha256sum", "--check", "--strict", "--quiet", SUMS]
    subprocess.run(sums, cwd=packed / "far", check=True)
    listed = {line.split("  ")[1] for line in (packed / "far" / SUMS).read_text().splitlines()}
    with tarfile.open(packed / "pack.tar.gz") as whole:
        names = {name.removeprefix("far/") for name in whole.getnames()}
    assert names == {*listed, SUMS}
    pictures = {f"report/figures/{name}" for name in ("gsofa_fig14.csv", "gsofa_fig14.svg", "rooflines.svg")}
    made = {name for name in names if name.startswith(archive.REPORT)}
    assert {"ceilings.json", archive.METADATA} < names and made == {SUMMARY, *pictures}
    assert read_comments(packed / "far/report/figures/gsofa_fig14.csv")["machine"] == "far"


def graph_of(folder: Path) -> Graph:
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
    asked = {"rocrate_uri": str(folder), "profile_identifier": "process-run-crate-0.5", "no_cache": True}
    asked |= {"requirement_severity": "REQUIRED", "cache_max_age": 0, "skip_availability_check": True}
    return [f"{issue.check.identifier}: {issue.message}" for issue in services.validate(asked).get_issues()]


def test_it_is_a_process_run_crate_and_the_validator_finds_what_is_wrong(
    packed: Path, tmp_path: Path, offline: None
) -> None:
    assert issues(packed / "far") == issues(packed / "h200") == []
    folder = shutil.copytree(packed / "far", tmp_path / "far")
    graph = graph_of(folder)
    del graph["#drawing"]["instrument"], graph["./"]["conformsTo"]
    graph["./"]["hue"] = "blue"
    data = json.loads((folder / archive.METADATA).read_text())
    (folder / archive.METADATA).write_text(json.dumps({**data, "@graph": list(graph.values())}))
    found = "\n".join(issues(folder))
    for message in ("MUST have an instrument", "versioned permalink of the profile", "hue"):
        assert message in found


def test_an_action_is_a_run_of_a_version_on_matrices(packed: Path) -> None:
    """A matrix has its checksum, and a licence where it is known."""
    graph = graph_of(packed / "h200")
    runs = ["#run-run-1-0123456789abcdef", "#run-run-2-0123456789abcdef+dirty"]
    assert ids(graph["./"]["mentions"]) == runs
    action = graph[runs[0]]
    assert action["startTime"] == "2030-01-01T00:00:01Z"
    assert action["endTime"].startswith("2030-01-01T00:00:07.200"), "2 s three times, and a little"
    assert len(ids(action["result"])) == 2 and set(ids(action["result"])) < set(graph)
    ours, theirs = f"#grid2d:60-{CHECKSUM[:12]}", f"{collection.SITE}/MM/HB/bcsstk18.tar.gz"
    assert ids(action["object"]) == [theirs, ours]
    licence = ["https://spdx.org/licenses/CC-BY-4.0"]
    assert ids(graph[theirs]["license"]) == licence and graph[theirs]["sha256"] == CHECKSUM
    for id, words in ((ours, "Generated"), (f"#mine-0123456789ab.mtx-{CHECKSUM[:12]}", "not known")):
        entity = graph[id]
        assert entity["sha256"] == CHECKSUM and words in entity["description"] and "license" not in entity
    (software,) = ids(action["instrument"])
    assert graph[software]["softwareVersion"] == "0123456789abcdef"
    used = [graph[id] for id in ids(graph[software]["softwareRequirements"])]
    libraries = {each["name"]: each["softwareVersion"] for each in used}
    assert libraries == {**VERSIONS, "cuda": "13.2", "numba": "0.61", "nvidia-driver": "580.1"}
    facts, others = (
        {graph[id]["name"]: graph[id]["value"] for id in ids(graph[run]["environment"])} for run in runs
    )
    assert {"GPU": "NVIDIA H200", "cores": "16", "machine": "h200"}.items() <= facts.items()
    assert "GPU" not in others


def test_the_crate_describes_every_file_by_its_checksum_and_what_was_drawn(packed: Path) -> None:
    folder = packed / "far"
    graph = graph_of(folder)
    described = {unquote(id): each["sha256"] for id, each in graph.items() if each["@type"] == "File"}
    present = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    del present[archive.METADATA], present[SUMS]
    assert described == {name: digest_of(path) for name, path in present.items()}
    drawing = graph["#drawing"]
    made = {name for name in present if name.startswith(archive.REPORT)}
    assert {unquote(id) for id in ids(drawing["result"])} == made
    assert {unquote(id) for id in ids(drawing["object"])} == present.keys() - made
    assert graph[ids(drawing["instrument"])[0]]["softwareVersion"] == crate.version_text(*git_state())
    assert datetime.fromisoformat(drawing["endTime"]).tzinfo


def test_two_calls_give_the_same_bytes(packed: Path, tmp_path: Path) -> None:
    """In several processes in place of one: another order."""
    with one_figure(packed):
        assert pack(tmp_path / "again.tar.gz", "--figures") == 0
    assert (tmp_path / "again.tar.gz").read_bytes() == (packed / "figures.tar.gz").read_bytes()


def test_the_summary_says_what_was_measured_how_claims_stand_and_which_figure_failed(
    packed: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lines = (packed / "far" / SUMMARY).read_text().splitlines()
    assert lines[0] == "fillpath on far"
    facts = dict(line.split("  ", 1) for line in lines if "  " in line)
    told = "4 ok of 5; 4 with older sources, of 2030-01-01, to measure again"
    assert facts["device"].strip() == "NVIDIA H200" and facts["cases"].strip() == told
    counts = [int(value) for name, value in facts.items() if ": " in name]
    assert sum(counts) == sum(claim.paper == "gsofa" for claim in claims().values())
    with one_figure(packed) as patch:
        patch.setattr(drawing, "workers", Serial)
        patch.setattr(drawing, "draw", Mock(side_effect=ValueError("torn")))
        assert pack(tmp_path / "torn.tar.gz", "--figures") == 1
    subprocess.run(["tar", "xzf", tmp_path / "torn.tar.gz", "-C", tmp_path], check=True)
    reason = "not drawn: ValueError: torn"
    assert f"gsofa.fig14 {reason}" in caplog.text and reason in (tmp_path / "far" / SUMMARY).read_text()


def test_what_was_made_of_records_is_neither_unpacked_nor_packed_again(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path / "ours"))
    assert main(["unpack", str(packed / "pack.tar.gz")]) == 0
    sent, taken = (
        {path.name: read_records(path) for path in (folder / "far" / "records").iterdir()}
        for folder in (packed / "results", results())
    )
    assert taken == sent
    assert {path.name for path in (results() / "far").iterdir()} == {"records", "ceilings.json"}
    for folder, name in ((packed, "by-hand"), (packed / "results", "plain")):
        monkeypatch.setenv("FILLPATH_RESULTS", str(folder))
        archive.pack("far", tmp_path / name)
    assert (tmp_path / "by-hand").read_bytes() == (tmp_path / "plain").read_bytes()


@pytest.mark.parametrize(
    "name", [SUMMARY, archive.METADATA, "records/symbolic.fill2_gpu@bcsstk18.metis.jsonl"]
)
@pytest.mark.parametrize(("kept", "message"), [(-1, "corrupted"), (None, "partial")])
def test_a_pack_that_was_changed_on_its_way_is_refused(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: int | None, message: str, name: str
) -> None:
    def change(member: str, data: bytes) -> bytes | None:
        return data if not member.endswith(name) else data[:kept] if kept else None

    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path / "ours"))
    with pytest.raises(InputError, match=f"{name}: {message}"):
        archive.unpack(repack(packed / "pack.tar.gz", tmp_path / "changed.tar.gz", change))
    assert not (tmp_path / "ours").exists()


@pytest.mark.parametrize("place", ["free_space", "tarfile.copyfileobj", "write_bytes"])
def test_a_full_disk_is_no_fault_of_the_pack(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Before the pack is extracted, on the way, and in results/."""
    error = OSError(errno.ENOSPC, "No space left on device")
    full = Mock(return_value=9) if place == "free_space" else Mock(side_effect=error)
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path / "ours"))
    monkeypatch.setattr(archive, "free_space", lambda folder: 10**9)
    with monkeypatch.context() as patch:
        patch.setattr(f"benchmarks.runs.archive.{place}", full)
        with pytest.raises(DiskFullError, match=r"pack\.tar\.gz: too little room .* TMPDIR or"):
            archive.unpack(packed / "pack.tar.gz")
    archive.unpack(packed / "pack.tar.gz")


@pytest.mark.parametrize("option", ["--figures", "--crate"])
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("emty", "did you mean empty?"),
        ("../results/empty", "only letters"),
        ("empty", "partial: it has no records"),
    ],
)
def test_no_machine_and_no_records_are_said_in_a_line(
    capsys: pytest.CaptureFixture[str], option: str, name: str, message: str
) -> None:
    (results() / "empty").mkdir(parents=True)
    assert main(["pack", "--machine", name, option]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
