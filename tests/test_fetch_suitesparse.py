"""Matrices of the collection: what is kept, what is refused, and what it says."""

import errno
import fcntl
import gzip
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import pytest

from fetch import download, suitesparse, unpack
from fetch.matrix_id import parse
from fillpath import paths
from fillpath.errors import DiskFullError, TransferError, UnknownNameError
from fillpath.paths import ROOT
from tests.misbehaving import (
    MTX,
    Site,
    answered,
    archive,
    cut,
    held,
    no_length,
    refused,
    regular,
    serving,
    special,
    stalled,
)

AT = "/MM/G/m.tar.gz"
FETCH = "from fetch import suitesparse; print(suitesparse.fetch('G', 'm').message)"


def incompressible(seed: int, size: int) -> bytes:
    """A matrix whose archive has about `size` bytes."""
    comment = random.Random(seed).randbytes(size).hex().encode()
    return MTX.replace(b"\n", b"\n%" + comment + b"\n", 1)


BIG = incompressible(0, 20000)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "BACKOFF", 0.0)


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A mirror that is a folder."""
    folder = tmp_path / "mirror"
    monkeypatch.setenv("FILLPATH_MIRROR", str(folder))
    return folder


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A mirror that is a server and holds the matrix BIG."""
    with serving() as served:
        served.files[AT] = archive(regular("m/m.mtx", BIG))
        monkeypatch.setenv("FILLPATH_MIRROR", served.url)
        yield served


def put(mirror: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    return put_raw(mirror, archive(*members))


def put_raw(mirror: Path, data: bytes) -> Path:
    path = mirror / AT[1:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def left_over() -> list[str]:
    folder = Path(os.environ["FILLPATH_CACHE"]) / "matrices"
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def part() -> Path:
    return Path(os.environ["FILLPATH_CACHE"]) / "matrices" / "G" / "m" / "m.tar.gz.part"


def leave_a_part(site: Site, sent: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an earlier process does that gave up."""
    site.script = [cut(sent)]
    with monkeypatch.context() as once, pytest.raises(TransferError, match="kept for the next try"):
        once.setattr(download, "ATTEMPTS", 1)
        suitesparse.fetch("G", "m")
    assert left_over() == ["failed.json", "m.tar.gz.part", "m.tar.gz.part.json"]
    suitesparse.forget_failure("G", "m")
    site.requests.clear()


def test_only_the_matrix_is_kept_and_used_again(mirror: Path) -> None:
    path = put(mirror, regular("m/m_b.mtx"), regular("m/m.mtx"), regular("m/readme.txt"))
    first = suitesparse.fetch("G", "m")
    assert first.path.read_bytes() == MTX and first.how == "copied"
    assert first.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    path.unlink()
    assert suitesparse.fetch("G", "m").how == "reused"
    assert left_over() == ["m.mtx", "receipt.json"]


def test_a_truncated_matrix_in_the_cache_is_fetched_again(mirror: Path) -> None:
    put(mirror, regular("m/m.mtx"))
    path = suitesparse.fetch("G", "m").path
    path.write_bytes(MTX[:20])
    assert suitesparse.fetch("G", "m").how == "copied"
    assert path.read_bytes() == MTX


def test_it_says_what_it_downloaded_resumed_and_reused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    first = suitesparse.fetch("G", "m")
    assert first.message == f"downloaded {len(site.files[AT]) / 1000:.1f} kB from {site.url}{AT}"
    again = suitesparse.fetch("G", "m")
    assert again.message == f"reused {first.path} from {site.url}{AT}" and again.arrived == 0
    shutil.rmtree(first.path.parent)
    leave_a_part(site, 5000, monkeypatch)
    rest = (len(site.files[AT]) - 5000) / 1000
    assert suitesparse.fetch("G", "m").message == f"resumed {rest:.1f} kB from {site.url}{AT}"


def test_a_cached_matrix_is_used_whatever_mirror_it_came_from(
    site: Site, mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILLPATH_MIRROR", site.url)
    suitesparse.fetch("G", "m")
    monkeypatch.setenv("FILLPATH_MIRROR", str(mirror))
    assert site.url in suitesparse.fetch("G", "m").message


def test_a_download_that_was_cut_leaves_only_the_matrix(site: Site) -> None:
    site.script = [cut(7000), refused(503), cut(100)]
    download = suitesparse.fetch("G", "m")
    assert download.path.read_bytes() == BIG and download.how == "downloaded"
    assert site.ranges == [None, "bytes=7000-", "bytes=7000-", "bytes=7100-"]
    assert left_over() == ["m.mtx", "receipt.json"]


def test_a_missing_matrix_is_not_asked_for_twice(site: Site) -> None:
    with pytest.raises(TransferError, match=r"HTTP 404.*is G/absent spelled right"):
        suitesparse.fetch("G", "absent")
    assert len(site.requests) == 1


def test_a_part_that_turns_out_damaged_is_downloaded_once_more(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_a_part(site, 8000, monkeypatch)
    part().write_bytes(site.files[AT][:4000] + bytes(4000))
    download = suitesparse.fetch("G", "m")
    assert download.path.read_bytes() == BIG and download.how == "downloaded"
    assert site.ranges == ["bytes=8000-", None]


def test_a_rest_of_other_bytes_is_downloaded_once_more(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    size = len(site.files[AT])
    span, rest = f"bytes 8000-{size - 1}/{size}", bytes(size - 8000)
    lies = [cut(8000), answered(206, rest, Content_Range=span, ETag=site.etag)]
    site.script = lies.copy()
    assert suitesparse.fetch("G", "m").path.read_bytes() == BIG and "once more" in caplog.text
    assert site.ranges == [None, "bytes=8000-", None]
    shutil.rmtree(part().parent)
    site.requests.clear()
    site.script = lies * 9
    with pytest.raises(TransferError, match="is not the"):
        suitesparse.fetch("G", "m")
    assert site.ranges == [None, "bytes=8000-"] * 2, "and no more"


@pytest.mark.parametrize("sha256", ["", "0" * 64])
def test_a_part_is_downloaded_once_more_and_no_more(
    site: Site, sha256: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.files[AT] = site.files[AT] if sha256 else site.files[AT][:9000]
    leave_a_part(site, 8000, monkeypatch)
    with pytest.raises(TransferError, match="is not the expected" if sha256 else "a damaged"):
        suitesparse.fetch("G", "m", sha256)
    assert site.ranges == ["bytes=8000-", None] and left_over() == ["failed.json"]


def test_a_matrix_from_a_folder_leaves_no_part_of_a_server(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_a_part(site, 5000, monkeypatch)
    monkeypatch.setenv("FILLPATH_MIRROR", str(tmp_path / "mirror"))
    put(tmp_path / "mirror", regular("m/m.mtx"))
    assert suitesparse.fetch("G", "m").how == "copied" and left_over() == ["m.mtx", "receipt.json"]


def test_a_missing_file_in_a_folder_mirror_says_so(mirror: Path) -> None:
    with pytest.raises(TransferError, match=r"no such file; is G/m spelled right"):
        suitesparse.fetch("G", "m")


def pax(**headers: str) -> tuple[tarfile.TarInfo, bytes]:
    member, data = regular("m/m.mtx")
    member.pax_headers = {name.replace("_", "."): value for name, value in headers.items()}
    return member, data


def tar_of(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    return gzip.decompress(archive(*members))


def chained_headers(count: int) -> bytes:
    """Extended headers that follow one another: tarfile calls itself once for each."""
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 8
    return (header.tobuf(tarfile.USTAR_FORMAT) + b"8 a=bcd\n".ljust(512, b"\0")) * count


def sized(size: int) -> bytes:
    """The archive of a matrix whose header gives that size."""
    member, data = regular("m/m.mtx")
    member.size = size
    return gzip.compress(member.tobuf(tarfile.GNU_FORMAT) + data.ljust(512, b"\0") + bytes(1024))


GOOD = archive(regular("m/m.mtx", BIG))
ZEROS = bytes(1 << 20)
LINKS = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE)
LEAVES, IS_LINK, RENAMES = "leaves its folder", "is a link", "an extended header gives a member another name"
BEYOND, HEADER = "inflates to more than", r"a header of more than 8\.2 kB"
UNSAFE: dict[str, tuple[tuple[tarfile.TarInfo, bytes], str]] = {
    "above": (regular("../m/m.mtx"), LEAVES),
    "above within": (regular("m/../../escape"), LEAVES),
    "absolute": (regular("/tmp/escape"), LEAVES),
    "renamed": (pax(path="../escape"), RENAMES),
    **{f"type {kind.decode()}": (special("m/m.mtx", kind), IS_LINK) for kind in LINKS},
    "sparse": (special("m/m.mtx", tarfile.GNUTYPE_SPARSE), IS_LINK),
    "sparse by a header": (pax(GNU_sparse_map="0,1", GNU_sparse_size="5"), RENAMES),
}
# An archive, and the error.
REFUSED: dict[str, tuple[bytes, str]] = {
    **{f"truncated to {keep}": (GOOD[:keep], "a damaged or unsafe one") for keep in (15000, 40, -30)},
    "a flipped bit": (GOOD[:9000] + bytes([GOOD[9000] ^ 1]) + GOOD[9001:], "damaged or unsafe one: "),
    "a zip": (b"PK\3\4", r"Not a gzipped file \(b'PK'\); not kept; is .*no login page"),
    "nothing": (b"", "there is no member .*; not kept; is .*no login page"),
    "a byte": (b"\x1f", "not kept; is .*no login page"),
    **{name: (archive(member, regular("m/m.mtx")), says) for name, (member, says) in UNSAFE.items()},
    "a bomb": (archive(regular("m/m.mtx", ZEROS)), BEYOND),
    "a bomb before": (archive(regular("m/other", ZEROS), regular("m/m.mtx")), BEYOND),
    "a bomb behind": (gzip.compress(tar_of(regular("m/m.mtx")) + ZEROS), BEYOND),
    **{f"size {size}": (sized(size), BEYOND) for size in (-1, -512, 1 << 62)},
    "a header": (archive(pax(comment="x" * (2 << 20))), HEADER),
    "digits": (archive(pax(comment="1" * 900_000)), HEADER),
    "members": (archive(*[regular(f"m/{i}", b"") for i in range(1100)]), "more than 1000 members"),
    "headers": (gzip.compress(chained_headers(2000) + tar_of(regular("m/m.mtx"))), "more than 1000 members"),
    "no such member": (archive(regular("other/m.mtx")), r"no member m/m\.mtx"),
    "a folder of that name": (archive(special("m/m.mtx", tarfile.DIRTYPE)), r"no member m/m\.mtx"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_archive_is_refused_at_once_and_leaves_nothing(
    site: Site, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    site.files[AT], says = REFUSED[name]
    if says == BEYOND:
        monkeypatch.setattr(unpack, "ALLOWANCE", 20000)
    with pytest.raises(TransferError, match=f"no archive, .*{says}"):
        suitesparse.fetch("G", "m")
    assert len(site.requests) == 1 and left_over() == ["failed.json"]
    assert not Path("/tmp/escape").exists()


def test_a_page_is_refused_at_once(site: Site) -> None:
    site.script = [answered(200, b"<!DOCTYPE html>Log in", Content_Type="text/html")]
    with pytest.raises(TransferError, match=r"an HTML page came instead; not kept; is .*no login page"):
        suitesparse.fetch("G", "m")
    assert len(site.requests) == 1 and left_over() == ["failed.json"]


def test_a_checksum_that_differs_is_refused_at_once(site: Site) -> None:
    with pytest.raises(TransferError, match=r"is not the expected 0000.*\(config/matrices\.csv\); not kept"):
        suitesparse.fetch("G", "m", "0" * 64)
    assert len(site.requests) == 1 and left_over() == ["failed.json"]


def test_an_honest_header_bounds_what_is_inflated(mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack, "ALLOWANCE", 0)
    read: list[int] = []
    inflate = gzip.GzipFile.read
    monkeypatch.setattr(gzip.GzipFile, "read", lambda file, size=-1: read.append(size) or inflate(file, size))
    put(mirror, regular("m/m.mtx", bytes(1 << 20)))
    with pytest.raises(TransferError, match="inflates to more than"):
        suitesparse.fetch("G", "m")
    assert sum(read) < 10000


def test_the_first_checksum_of_an_address_is_kept_though_the_matrix_goes(site: Site) -> None:
    first = suitesparse.fetch("G", "m")
    shutil.rmtree(first.path.parent)
    site.files[AT] = archive(regular("m/m.mtx"))
    with pytest.raises(TransferError, match=rf"is not the {first.sha256} that .*fetch --trust G/m` accepts"):
        suitesparse.fetch("G", "m")
    assert left_over() == ["failed.json"] and len(site.requests) == 2
    suitesparse.forget_failure("G", "m")
    changed = suitesparse.fetch("G", "m", trust_change=True)
    assert changed.path.read_bytes() == MTX
    shutil.rmtree(first.path.parent)
    assert suitesparse.fetch("G", "m").sha256 == changed.sha256


def test_the_catalogues_checksum_beats_the_first_one(site: Site) -> None:
    shutil.rmtree(suitesparse.fetch("G", "m").path.parent)
    site.files[AT] = archive(regular("m/m.mtx"))
    sha256 = hashlib.sha256(site.files[AT]).hexdigest()
    assert suitesparse.fetch("G", "m", sha256).path.read_bytes() == MTX


def test_a_record_of_checksums_that_is_none_is_no_reason_to_trust(site: Site) -> None:
    path = suitesparse.fetch("G", "m").path
    shutil.rmtree(path.parent)
    (paths.cache() / "trust.json").write_text('{"a": {"sha256": 1}}')
    with pytest.raises(TransferError, match=r"trust\.json: not the record.*correct it, or remove it"):
        suitesparse.fetch("G", "m")
    assert len(site.requests) == 1


def test_what_failed_a_moment_ago_is_not_tried_again(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.script = [refused(503)] * download.ATTEMPTS
    with pytest.raises(TransferError, match=r"^http.*failed 4 times"):
        suitesparse.fetch("G", "m")
    asked = len(site.requests)
    with pytest.raises(TransferError, match=r"^http.*failed 4 times.*; not tried again for 600 s unless by"):
        suitesparse.fetch("G", "m")
    assert len(site.requests) == asked
    with monkeypatch.context() as elsewhere, pytest.raises(TransferError, match="no such file"):
        elsewhere.setenv("FILLPATH_MIRROR", "/nowhere")
        suitesparse.fetch("G", "m")
    monkeypatch.setattr(suitesparse, "RETRY_AFTER", 0.0)
    assert suitesparse.fetch("G", "m").how == "downloaded"
    assert left_over() == ["m.mtx", "receipt.json"]


def test_a_failure_that_is_forgotten_is_tried_again(site: Site) -> None:
    site.script = [refused(404)]
    with pytest.raises(TransferError, match="HTTP 404"):
        suitesparse.fetch("G", "m")
    suitesparse.forget_failure("G", "m")
    assert suitesparse.fetch("G", "m").how == "downloaded"


def test_a_full_disk_under_the_lock_is_told_as_such(monkeypatch: pytest.MonkeyPatch, mirror: Path) -> None:
    def full(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(fcntl, "flock", full)
    with pytest.raises(DiskFullError, match=r"/cache: the disk is full"):
        suitesparse.fetch("G", "m")


def test_offline_asks_nobody_notes_nothing_and_reuses(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILLPATH_OFFLINE", "1")
    with pytest.raises(TransferError, match=r"^offline: G/m is not in the cache; unset FILLPATH_OFFLINE, or"):
        suitesparse.fetch("G", "m")
    assert site.requests == [] and left_over() == []
    monkeypatch.delenv("FILLPATH_OFFLINE")
    suitesparse.fetch("G", "m")
    assert suitesparse.fetch("G", "m", offline=True).how == "reused"


def test_a_kill_after_the_receipt_leaves_no_part(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    write_json = suitesparse.write_json

    def killed(path: Path, note: object) -> None:
        write_json(path, note)
        if path.name == "receipt.json":
            raise KeyboardInterrupt

    monkeypatch.setattr(suitesparse, "write_json", killed)
    with pytest.raises(KeyboardInterrupt):
        suitesparse.fetch("G", "m")
    assert set(left_over()) - {"m.tar.gz.part.json"} == {"m.mtx", "receipt.json"}


@pytest.mark.parametrize("text", ["../m", "..+m", "G/../m", "G+../m", "G+", "G/H/m", ".hidden/m", "G/.m"])
def test_a_name_that_leaves_the_cache_is_no_matrix(mirror: Path, text: str) -> None:
    with pytest.raises(UnknownNameError, match="is not in the catalogue"):
        parse(text)


def test_only_http_is_spoken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILLPATH_MIRROR", "ftp://127.0.0.1")
    with pytest.raises(TransferError, match="folder or an http"):
        suitesparse.fetch("G", "m")


def test_several_at_once_agree(site: Site) -> None:
    together = threading.Barrier(8)

    def fetch_and_read(_: int) -> bytes:
        together.wait(60)
        return suitesparse.fetch("G", "m").path.read_bytes()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(fetch_and_read, range(8))) == {BIG}
    assert left_over() == ["m.mtx", "receipt.json"] and len(site.requests) == 1


def start() -> subprocess.Popen[str]:
    command = [sys.executable, "-c", FETCH]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def arrived(process: subprocess.Popen[str]) -> None:
    """Wait until the process has what comes before the server stalls."""
    deadline = time.monotonic() + 60
    while not part().is_file() or part().stat().st_size < 12000:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)


def test_two_processes_at_once_ask_once(site: Site) -> None:
    waits = threading.Event()
    site.script = [held(12000, waits)]
    first = start()
    arrived(first)
    second = start()
    assert second.stderr is not None
    assert any("waiting for G+m.lock, held by process" in line for line in second.stderr)
    waits.set()
    said = [process.communicate(timeout=60) for process in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), said
    assert [out.split()[0] for out, _ in said] == ["downloaded", "reused"]
    assert site.ranges == [None, "bytes=12000-"]
    assert part().with_name("m.mtx").read_bytes() == BIG


def test_a_killed_download_is_resumed(site: Site) -> None:
    site.script = [stalled(12000, 30.0)]
    process = start()
    arrived(process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (part().parent / ".m.mtx.orphan.tmp").write_bytes(b"what a kill leaves")
    site.requests.clear()
    download = suitesparse.fetch("G", "m")
    assert (download.how, site.ranges) == ("resumed", ["bytes=12000-"])
    assert download.arrived == len(site.files[AT]) - 12000
    assert download.path.read_bytes() == BIG and left_over() == ["m.mtx", "receipt.json"]


def test_a_matrix_that_does_not_fit_is_refused_and_its_archive_kept(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.script = [no_length]
    full = Mock(side_effect=DiskFullError("free some space"))
    with monkeypatch.context() as patch, pytest.raises(DiskFullError, match="free some space"):
        patch.setattr(unpack, "require_space", full)
        suitesparse.fetch("G", "m")
    assert full.call_args.args[1] == len(BIG) and left_over() == ["m.tar.gz.part", "m.tar.gz.part.json"]
    assert suitesparse.fetch("G", "m").how == "resumed" and site.ranges == [None]


def test_a_full_disk_leaves_everything_finished_intact(site: Site, tmp_path: Path) -> None:
    site.files["/MM/G/large.tar.gz"] = archive(regular("large/large.mtx", incompressible(2, 3 << 20)))
    site.script = [no_length, no_length]
    folder = tmp_path / "small"
    folder.mkdir()
    code = (
        "from fetch import suitesparse; from fillpath import errors, paths; paths.RESERVE = 0\n"
        "first = suitesparse.fetch('G', 'm').path.read_bytes()\n"
        "try: suitesparse.fetch('G', 'large')\n"
        "except errors.DiskFullError as problem: print(problem)\n"
        "part = paths.cache() / 'matrices' / 'G' / 'large' / 'large.tar.gz.part'\n"
        "print(part.stat().st_size > 1 << 20, suitesparse.fetch('G', 'm').path.read_bytes() == first)"
    )
    mount = f'mount -t tmpfs -o size=2m none "{folder}" && exec "$0" -c "$1"'
    command = ["unshare", "-rm", "sh", "-c", mount, sys.executable, code]
    if subprocess.run([*command[:4], mount.partition("&&")[0]], capture_output=True).returncode:
        pytest.skip("this system lets nobody mount a file system of 2 MB in a namespace of its own")
    own = {**os.environ, "FILLPATH_CACHE": str(folder)}
    done = subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert "the disk is full; what has arrived is kept" in lines[0], done.stderr
    assert lines[1:] == ["True True"]


def test_a_real_matrix_comes_through_a_real_server(suitesparse: Path, site: Site) -> None:
    from fetch.suitesparse import fetch

    site.files["/MM/HB/west0067.tar.gz"] = (suitesparse / "MM" / "HB" / "west0067.tar.gz").read_bytes()
    download = fetch("HB", "west0067")
    assert " from http://" in download.message and fetch("HB", "west0067").how == "reused"


def test_the_bound_on_inflating_is_far_above_what_the_collection_needs(suitesparse: Path) -> None:
    ratios = []
    for path in sorted(suitesparse.glob("MM/*/*.tar.gz"))[:40]:
        with gzip.open(path) as raw:
            ratios.append(len(raw.read()) / path.stat().st_size)
    assert ratios and max(ratios) * 3 < unpack.RATIO


def test_a_receipt_says_where_the_matrix_came_from(site: Site) -> None:
    download = suitesparse.fetch("G", "m")
    assert json.loads(download.path.with_name("receipt.json").read_text()) == {
        "bytes": len(BIG), "sha256": download.sha256, "source": site.url + AT
    }  # fmt: skip


def test_a_cache_that_cannot_be_written_to_still_gives_what_it_holds(
    mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(mirror, regular("m/m.mtx"))
    suitesparse.fetch("G", "m")

    def refused(path: Path, missing_ok: bool = False) -> None:
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    monkeypatch.setattr(Path, "unlink", refused)
    suitesparse.forget_failure("G", "m")
    assert suitesparse.fetch("G", "m").how == "reused"


def test_a_cache_that_holds_a_file_for_a_folder_is_a_failure_of_one_transfer(
    mirror: Path, tmp_path: Path
) -> None:
    put(mirror, regular("m/m.mtx"))
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "matrices").write_text("")
    with pytest.raises(TransferError, match="are FILLPATH_CACHE, FILLPATH_MIRROR and their disks right"):
        suitesparse.fetch("G", "m")


def test_a_kill_between_matrix_and_receipt_leaves_no_receipt_that_lies(
    mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(mirror, regular("m/m.mtx"))
    first = suitesparse.fetch("G", "m")
    put(mirror, regular("m/m.mtx", MTX.replace(b"2 2 1.0", b"2 2 7.0")))

    def killed(path: Path, note: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr(suitesparse, "write_json", killed)
        with pytest.raises(KeyboardInterrupt):
            suitesparse.fetch("G", "m", trust_change=True)
    again = suitesparse.fetch("G", "m", trust_change=True)
    assert again.sha256 != first.sha256 and b"7.0" in again.path.read_bytes()
    assert suitesparse.cached("G", "m", first.sha256) is None


def test_a_bad_archive_of_a_folder_is_read_once_beside_a_part_of_a_server(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    leave_a_part(site, 5000, monkeypatch)
    monkeypatch.setenv("FILLPATH_MIRROR", str(tmp_path / "mirror"))
    put_raw(tmp_path / "mirror", b"no archive")
    with pytest.raises(TransferError, match="Not a gzipped file"):
        suitesparse.fetch("G", "m")
    assert "once more" not in caplog.text


def test_trust_downloads_again(mirror: Path) -> None:
    put(mirror, regular("m/m.mtx"))
    suitesparse.fetch("G", "m")
    put(mirror, regular("m/m.mtx", MTX.replace(b"2 2 1.0", b"2 2 7.0")))
    assert suitesparse.fetch("G", "m").how == "reused"
    assert b"7.0" in suitesparse.fetch("G", "m", trust_change=True).path.read_bytes()


def test_a_name_that_the_index_nearly_holds_is_suggested(mirror: Path) -> None:
    (mirror / "files").mkdir(parents=True)
    line = "HB,bcsstk18,11948,11948,149090,1,0,0,1,1.0,1.0,unknown,149090"
    (mirror / "files" / "ssstats.csv").write_text(f"1\n08-Oct-2020\n{line}\n")
    with pytest.raises(TransferError, match=r"did you mean HB/bcsstk18\?"):
        suitesparse.fetch("Hb", "bcsstk18")
    with pytest.raises(TransferError, match=r"holds HB/bcsstk18: does FILLPATH_MIRROR\?"):
        suitesparse.fetch("HB", "bcsstk18")
