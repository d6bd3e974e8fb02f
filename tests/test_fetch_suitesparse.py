"""Transfers: what is kept, what is refused, and what it says."""

from __future__ import annotations

import functools
import hashlib
import http.server
import io
import os
import tarfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fetch import suitesparse
from fillpath.errors import InputError, TransferError
from fillpath.paths import ROOT

HELD = Path(os.environ.get("FILLPATH_MIRROR") or ROOT.parent / "shared" / "suitesparse")
MTX = b"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n2 2 1.0\n"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder; the first `failures` requests end in 503, `short` cuts every body in half."""

    failures = 0
    short = False
    requests = 0

    def do_GET(self) -> None:
        type(self).requests += 1
        if self.requests <= self.failures:
            self.send_error(503)
        elif self.short:
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"x" * 500)
        else:
            super().do_GET()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILLPATH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(suitesparse, "BACKOFF", 0.0)


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "mirror"
    monkeypatch.setenv("FILLPATH_MIRROR", str(folder))
    return folder


@pytest.fixture
def handler() -> type[Quiet]:
    return type("Handler", (Quiet,), {"requests": 0})


@pytest.fixture
def site(mirror: Path, handler: type[Quiet], monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    served = functools.partial(handler, directory=str(mirror))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), served)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("FILLPATH_MIRROR", url)
    yield url
    server.shutdown()
    server.server_close()


def put(mirror: Path, members: list[tuple[tarfile.TarInfo, bytes]]) -> Path:
    path = mirror / "MM" / "G" / "m.tar.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as tar:
        for member, data in members:
            tar.addfile(member, io.BytesIO(data))
    return path


def regular(name: str, data: bytes = MTX) -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    return member, data


def left_over() -> list[str]:
    folder = Path(os.environ["FILLPATH_CACHE"])
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_only_the_matrix_is_kept_and_used_again(mirror: Path) -> None:
    archive = put(mirror, [regular("m/m_b.mtx"), regular("m/m.mtx"), regular("m/readme.txt")])
    first = suitesparse.fetch("G", "m")
    assert first.path.read_bytes() == MTX and not first.reused
    assert first.sha256 == hashlib.sha256(archive.read_bytes()).hexdigest()
    archive.unlink()
    assert suitesparse.fetch("G", "m").reused
    assert left_over() == ["m.mtx", "receipt.json"]


def test_a_truncated_matrix_in_the_cache_is_fetched_again(mirror: Path) -> None:
    put(mirror, [regular("m/m.mtx")])
    path = suitesparse.fetch("G", "m").path
    path.write_bytes(MTX[:20])
    assert not suitesparse.fetch("G", "m").reused
    assert path.read_bytes() == MTX


def test_a_server_that_fails_twice_is_asked_again(site: str, handler: type[Quiet], mirror: Path) -> None:
    put(mirror, [regular("m/m.mtx")])
    handler.failures = 2
    assert suitesparse.fetch("G", "m").path.read_bytes() == MTX
    assert handler.requests == 3


def test_a_server_that_keeps_failing_is_given_up(site: str, handler: type[Quiet], mirror: Path) -> None:
    handler.failures = 99
    with pytest.raises(TransferError, match="failed 4 times, last: HTTP 503"):
        suitesparse.fetch("G", "m")
    assert handler.requests == suitesparse.ATTEMPTS and left_over() == []


def test_a_missing_matrix_is_not_asked_for_twice(site: str, handler: type[Quiet], mirror: Path) -> None:
    mirror.mkdir()
    with pytest.raises(TransferError, match=r"HTTP 404.*is G/absent spelled right"):
        suitesparse.fetch("G", "absent")
    assert handler.requests == 1


def test_a_connection_that_closes_early_is_noticed(site: str, handler: type[Quiet], mirror: Path) -> None:
    handler.short = True
    with pytest.raises(TransferError, match=r"500 (of|bytes)"):
        suitesparse.fetch("G", "m")
    assert left_over() == []


def test_a_missing_file_in_a_folder_mirror_says_so(mirror: Path) -> None:
    with pytest.raises(TransferError, match="no such file"):
        suitesparse.fetch("G", "m")


@pytest.mark.parametrize("keep", [0, 40, -30])
def test_a_truncated_archive_leaves_nothing(mirror: Path, keep: int) -> None:
    data = os.urandom(30000).hex().encode()
    archive = put(mirror, [regular("m/m.mtx", data)])
    archive.write_bytes(archive.read_bytes()[: keep or 15000])
    with pytest.raises(TransferError, match="truncated or damaged"):
        suitesparse.fetch("G", "m")
    assert left_over() == []


def link(name: str, kind: bytes, target: str = "/etc/passwd") -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member, b""


@pytest.mark.parametrize(
    "member",
    [
        regular("../m/m.mtx"),
        regular("m/../../escape"),
        regular("/tmp/escape"),
        link("m/m.mtx", tarfile.SYMTYPE),
        link("m/m.mtx", tarfile.LNKTYPE),
        link("m/m.mtx", tarfile.CHRTYPE),
        link("m/m.mtx", tarfile.FIFOTYPE),
    ],
    ids=lambda member: f"{member[0].name}-{member[0].type.decode()}",
)
def test_an_unsafe_archive_is_refused_and_leaves_nothing(
    mirror: Path, member: tuple[tarfile.TarInfo, bytes]
) -> None:
    put(mirror, [member, regular("m/m.mtx")])
    with pytest.raises(TransferError, match="unsafe archive"):
        suitesparse.fetch("G", "m")
    assert left_over() == []


def test_an_archive_without_the_matrix_or_above_the_bound_is_refused(
    mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(mirror, [regular("other/m.mtx")])
    with pytest.raises(TransferError, match=r"no member m/m\.mtx"):
        suitesparse.fetch("G", "m")
    put(mirror, [regular("m/m.mtx")])
    monkeypatch.setattr(suitesparse, "MAX_MATRIX", 10)
    with pytest.raises(TransferError, match="below 10 bytes"):
        suitesparse.fetch("G", "m")


def test_a_checksum_that_differs_is_refused(mirror: Path) -> None:
    put(mirror, [regular("m/m.mtx")])
    with pytest.raises(TransferError, match="is not the expected"):
        suitesparse.fetch("G", "m", "0" * 64)
    assert left_over() == []


@pytest.mark.parametrize(
    ("group", "name"), [("..", "m"), ("G", "../m"), ("G", ""), ("G/H", "m"), (".hidden", "m")]
)
def test_a_name_that_leaves_the_cache_is_refused(mirror: Path, group: str, name: str) -> None:
    with pytest.raises(InputError, match="is no name of the collection"):
        suitesparse.fetch(group, name)


def test_only_http_is_spoken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILLPATH_MIRROR", "ftp://127.0.0.1")
    with pytest.raises(TransferError, match="folder or an http"):
        suitesparse.fetch("G", "m")


def test_several_at_once_agree(mirror: Path) -> None:
    put(mirror, [regular("m/m.mtx")])
    together = threading.Barrier(8)

    def fetch_and_read(_: int) -> bytes:
        together.wait(10)
        return suitesparse.fetch("G", "m").path.read_bytes()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(fetch_and_read, range(8))) == {MTX}
    assert left_over() == ["m.mtx", "receipt.json"]


@pytest.mark.skipif(not (HELD / "MM").is_dir(), reason="no mirror: set FILLPATH_MIRROR to a folder")
def test_a_real_matrix_comes_through_a_real_server(
    site: str, mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror.symlink_to(HELD)
    download = suitesparse.fetch("HB", "west0067")
    assert download.source.startswith("http://") and download.path.stat().st_size == download.bytes
