"""`fillpath fetch` and `fillpath list --search` as a user meets them."""

import base64
import shutil
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import benchmarks.engine.run
from benchmarks.engine.measure import measure
from commands import main
from commands.workflow.summary import summary
from fetch import catalogue, download, suitesparse
from fillpath import paths
from fillpath.case import Case
from fillpath.record import Status
from reports.facts.records import Records
from tests.misbehaving import MTX, Site, archive, cut, noting, refused, regular, serving, well
from tests.test_fetch_collection import AT as INDEX_AT
from tests.test_fetch_collection import INDEX


@pytest.fixture(autouse=True)
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(download, "BACKOFF", 0.0)
    with serving() as served:
        for name in ("a", "b"):
            served.files[f"/MM/G/{name}.tar.gz"] = archive(regular(f"{name}/{name}.mtx"))
        served.files[INDEX_AT] = INDEX.encode()
        monkeypatch.setenv("FILLPATH_MIRROR", served.url)
        yield served


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], str]:
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out.splitlines(), captured.err


def test_each_matrix_gets_a_line_and_one_that_fails_stops_none(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = run(capsys, "fetch", "G/a", "G/absent", "poisson3d:9", "G/b", "G/a")
    assert status == 1
    assert out[0].startswith("G+a: downloaded ") and out[0].endswith(f"from {site.url}/MM/G/a.tar.gz")
    assert out[1].startswith("G+absent: failed: http") and "spelled right" in out[1]
    assert out[2] == "poisson3d,9: generated: nothing to fetch"
    assert out[3].startswith("G+b: downloaded ")
    moved = paths.bytes_text(sum(len(site.files[f"/MM/G/{name}.tar.gz"]) for name in "ab"))
    assert out[4:] == [f"4 matrices: 2 downloaded, 1 failed, 1 generated; {moved} arrived"]
    status, out, _ = run(capsys, "fetch", "G/a")
    assert status == 0 and out[0].startswith("G+a: reused /")
    assert out[1] == "1 matrix: 1 reused; 0 bytes arrived"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["G/a", "bcsstk81"], "did you mean bcsstk18"),
        (["smal"], "'smal' is neither a matrix nor a suite; did you mean small?"),
        ([], "name a matrix, or one of embedded, small, papers"),
        (["G/a", "./absent.mtx"], "absent.mtx"),
    ],
)
def test_a_name_that_is_none_is_refused_before_anything_is_asked_for(
    site: Site, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    status, out, error = run(capsys, "fetch", *arguments)
    assert (status, out, site.requests) == (2, [], [])
    assert error.startswith("fillpath: ") and message in error


def test_a_wrong_setting_is_refused_before_anything_is_asked_for(
    site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILLPATH_OFFLINE", "yes")
    assert run(capsys, "fetch", "G/a")[0] == 2 and site.requests == []


def test_a_suite_is_all_its_matrices(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "fetch", "embedded")
    embedded = [entry.id for entry in catalogue.entries() if entry.suite == "embedded"]
    assert status == 0 and [line.partition(": ")[0] for line in out[:-1]] == embedded
    assert out[-1].endswith(f"{len(embedded)} generated; 0 bytes arrived") and site.requests == []


def test_what_cannot_be_had_fails_only_if_it_was_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = tuple(entry for entry in catalogue.entries() if entry.id == "spe16m")
    monkeypatch.setattr(catalogue, "entries", lambda: entries)
    status, out, _ = run(capsys, "fetch", entries[0].suite)
    assert status == 0 and out[0].startswith("spe16m: cannot be obtained")
    assert run(capsys, "fetch", "spe16m")[0] == 1


def test_offline_says_what_is_missing(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "fetch", "G/a")
    asked = len(site.requests)
    status, out, _ = run(capsys, "fetch", "--offline", "G/a", "G/b")
    assert status == 1 and "reused" in out[0]
    assert out[1].startswith("G+b: failed: offline: G/b is not in the cache; drop --offline")
    assert len(site.requests) == asked


def test_a_changed_archive_needs_trust(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "fetch", "G/a")
    (paths.cache() / "matrices" / "G" / "a" / "receipt.json").unlink()
    site.files["/MM/G/a.tar.gz"] = archive(regular("a/a.mtx", MTX + b"\n"))
    status, out, _ = run(capsys, "fetch", "G/a")
    assert status == 1 and "`fillpath fetch --trust G/a` accepts it" in out[0]
    status, out, _ = run(capsys, "fetch", "--trust", "G/a")
    assert status == 0 and "downloaded" in out[0]


def test_asking_again_tries_again(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.script = [refused(404)]
    assert run(capsys, "fetch", "G/a")[0] == 1
    assert run(capsys, "fetch", "G/a")[0] == 0


def test_steps_of_a_workflow_do_not_try_again_what_just_failed(
    site: Site,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(benchmarks.engine.run, "current", lambda: None)
    site.script = [refused(503)] * 8
    assert run(capsys, "workflow", "prepare", "--fetch", "G+a.auto+natural")[0] == 0
    assert len(site.requests) == 4
    run(capsys, "workflow", "prepare", "G+a.auto+natural")
    assert (
        len(site.requests) == 4 and "not tried again for 600 s unless by `fillpath fetch G/a`" in caplog.text
    )
    run(capsys, "workflow", "prepare", "--fetch", "G+a.auto+natural")
    assert len(site.requests) == 8


def test_a_matrix_that_is_missing_in_two_orders_is_named_once_at_the_end_of_a_run(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.script = [refused(503)] * 8
    cases = [Case.parse(f"symbolic.fill1_pruned@G+a.{ordering}") for ordering in ("natural", "nnz", "random")]
    records, started = [], time.time()
    for case in cases:
        records.append(measure(case))
        monkeypatch.setattr(suitesparse.time, "time", lambda: started + 10 * len(records))
    text = summary([], cases, Records(tuple(records)), catalogue.entries())
    assert f"\nnot_run: 3 cases of fill1_pruned: {site.url}/MM/G/a.tar.gz: failed 4 times" in text
    assert text.count("a.tar.gz") == 1 and len(site.requests) == 4


def test_a_mirrors_user_and_password_are_sent_to_it_and_shown_nowhere(
    site: Site,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(benchmarks.engine.run, "current", lambda: None)
    sent: list[str | None] = []
    noted = partial(noting, sent)
    elsewhere = site.url.replace("127.0.0.1", "localhost")
    monkeypatch.setenv("FILLPATH_MIRROR", site.url.replace("://", "://me:hush@%2Fhush@"))
    site.script = [noted(well), *[noted(refused(503))] * 4, noted(refused(302, Location=f"{elsewhere}/x"))]
    site.script += [noted(refused(404)), noted(refused(404)), noted(cut(100)), *[noted(refused(503))] * 3]
    shown = [run(capsys, "fetch", "G/a") for _ in range(2)]
    assert [status for status, *_ in shown] == [0, 0] and site.url in shown[1][1][0], "reused"
    for words in ("G/b", "G/redirected", "G/absent", "--offline G/b", "G/b"):
        shown.append(run(capsys, "fetch", *words.split()))
    assert [status for status, *_ in shown[2:]] == [1] * 5
    shown += [run(capsys, "workflow", "prepare", "G+b.natural"), run(capsys, "doctor")]
    record = measure("symbolic.fill1_pruned@G+b.natural")
    assert record.status is Status.NOT_RUN and record.reason.startswith(site.url)
    login = f"Basic {base64.b64encode(b'me:hush@/hush').decode()}"
    assert sent == [login] * 6 + [None] + [login] * 5
    kept = [path.read_text(errors="replace") for path in paths.cache().rglob("*") if path.is_file()]
    assert all(site.url in "".join(kept) for kept in (kept, caplog.text, str(shown)))
    assert "hush" not in "".join([*kept, caplog.text, str(shown), str(record)])


def test_a_password_that_an_earlier_version_stored_is_not_shown(
    site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(capsys, "fetch", "G/a")[0] == 0
    for path in (paths.cache() / "trust.json", paths.cache() / "matrices" / "G" / "a" / "receipt.json"):
        path.write_text(path.read_text().replace("://", "://me:hush@"))
    _, (line, _), _ = run(capsys, "fetch", "G/a")
    assert line.startswith("G+a: reused ") and line.endswith(f" from {site.url}/MM/G/a.tar.gz")
    shutil.rmtree(paths.cache() / "matrices")
    site.files["/MM/G/a.tar.gz"] = archive(regular("a/a.mtx", MTX.replace(b"1.0", b"2.0")))
    assert "that this address gave on" in run(capsys, "fetch", "G/a")[1][0], "trust outlives it"


def test_a_full_disk_stops_the_rest(
    site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(capsys, "fetch", "G/a")
    monkeypatch.setattr(paths, "RESERVE", 2**62)
    status, out, _ = run(capsys, "fetch", "G/a", "G/b", "G/c")
    assert status == 1 and "reused" in out[0]
    assert "have to be" in out[1] and "free some space" in out[1]
    assert out[2] == "G+c: not tried: the disk is full"
    assert out[3] == "3 matrices: 1 reused, 1 failed, 1 not tried; 0 bytes arrived"


def test_the_collection_is_searched(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "list", "--matrices", "--search", "twin")
    assert status == 0
    assert [line.split()[:3] for line in out] == [
        ["id", "order", "entries"], ["HB+twin", "10", "10"], ["Pothen+twin", "10x12", "10"]
    ]  # fmt: skip
    assert run(capsys, "list", "--search", "west")[1][1].startswith("HB+west0001")
    assert len(site.requests) == 1
    assert run(capsys, "list", "--search", "nonsense")[0] == 2
    status, out, _ = run(capsys, "fetch", "--index")
    assert (status, out, len(site.requests)) == (0, ["index: 3 matrices"], 2)


def test_matrices_and_implementations_are_still_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert any(line.startswith("bcsstk18 ") for line in run(capsys, "list", "--matrices")[1])
    assert any("fill2_cpu" in line for line in run(capsys, "list")[1])


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_nothing_stays_open(capsys: pytest.CaptureFixture[str]) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    run(capsys, "fetch", "G/a", "G/absent")
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 2
