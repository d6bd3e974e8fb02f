"""Transfers from a server that misbehaves: what is asked for, what is kept, what is said."""

import errno
import io
import os
import random
import re
import socket
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import requests

from fetch import download, transfer
from fetch.transfer import Part, Wanted
from fillpath import __version__, paths
from fillpath.errors import ConfigError, DiskFullError, TransferError
from tests.misbehaving import (
    Behaviour,
    Handler,
    Site,
    answered,
    cut,
    dripping,
    no_length,
    no_range,
    noting,
    refused,
    serving,
    stalled,
    well,
)

DATA = random.Random(0).randbytes(3002)
AT = "/file.gz"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "BACKOFF", 0.0)
    monkeypatch.setattr(download, "TIMEOUT", 0.4)


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as served:
        served.files[AT] = DATA
        yield served


@pytest.fixture
def part(tmp_path: Path) -> Path:
    return tmp_path / "there" / "file.gz.part"


def wanted(site: Site) -> Wanted:
    return Wanted("the file", site.url + AT, "is it spelled right?")


def brought(asked: Wanted, path: Path) -> Part:
    """As a transfer downloads: within a lock."""
    with transfer.locked("file"):
        part = Part(path, asked.location)
        download.download(asked, part)
    return part


def get(site: Site, path: Path) -> Part:
    part = brought(wanted(site), path)
    assert path.read_bytes() == DATA
    return part


def left(part: Path) -> list[str]:
    return sorted(path.name for path in part.parent.glob("*"))


def leave_a_part(site: Site, part: Path, sent: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an earlier process does that gave up."""
    site.script = [cut(sent)]
    with monkeypatch.context() as once, pytest.raises(TransferError):
        once.setattr(download, "ATTEMPTS", 1)
        brought(wanted(site), part)
    assert part.stat().st_size == sent
    site.requests.clear()


def test_a_good_server_is_asked_once_and_politely(site: Site, part: Path) -> None:
    arrived = get(site, part)
    assert arrived.inherited == 0 and site.ranges == [None]
    assert site.requests[0].agent.startswith(f"fillpath/{__version__} (")


def test_no_password_of_the_user_is_sent(
    site: Site, part: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("default login me password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("FILLPATH_MIRROR", "http://me:secret@mirror.invalid")
    sent: list[str | None] = []
    noted = partial(noting, sent)
    site.script = [noted(refused(302, Location=AT)), *[noted(well)] * 2]
    get(site, part)
    requests.get(site.url + AT, timeout=10)
    assert sent[:2] == [None] * 2 and str(sent[2]).startswith("Basic "), "the last one without a care"


def test_a_proxy_is_asked_also_after_a_redirect(
    site: Site, part: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", site.url)
    there = "http://there.invalid/file.gz"
    site.files[there] = DATA
    site.script = [refused(302, Location=there)]
    brought(Wanted("the file", "http://here.invalid/", ""), part)
    assert [request.path for request in site.requests] == ["http://here.invalid/", there]


def part_of(span: str, etag: str = '"1"', first: int = 1000) -> Behaviour:
    return answered(206, DATA[first:], Content_Range=span, ETag=etag)


def silent(handler: Handler, body: bytes | None) -> None:
    """A part comes without a length, then nothing for longer than a download waits."""
    handler.begin(200, handler.validators())
    handler.wfile.write(DATA[:1000])
    handler.wfile.flush()
    time.sleep(2)


RIGHT = f"bytes 1000-3001/{len(DATA)}"
SPANS = ("bytes 999-3001/3002", "bytes 1000-3001/4000", "bytes 1000-3001/*", "", "bytes 0-3001/3002", "junk")
ANSWERS: dict[str, tuple[list[Behaviour], list[str | None]]] = {
    "cut twice": ([cut(1000), cut(500)], [None, "bytes=1000-", "bytes=1500-"]),
    "cut before the first byte": ([cut(0), cut(1)], [None, None, "bytes=1-"]),
    "the right range": ([cut(1000), part_of(RIGHT)], [None, "bytes=1000-"]),
    "ranges are ignored": ([cut(1000), no_range], [None, "bytes=1000-"]),
    **{f"range {span}": ([cut(1000), part_of(span)], [None, "bytes=1000-", None]) for span in SPANS},
    "no ETag": ([cut(1000), part_of(RIGHT, "")], [None, "bytes=1000-", None]),
    "another file": ([cut(1000), part_of(RIGHT, '"2"')], [None, "bytes=1000-", None]),
    "a range that nobody asked for": ([part_of("bytes 5-3001/3002", first=5)], [None, None]),
    "no length": ([no_length], [None]),
    "no length, and silent": ([silent], [None, None]),
    "a range that nobody proved": (
        [answered(200, DATA[:1000], Content_Length=str(len(DATA))), part_of(RIGHT, "")],
        [None, None, None],
    ),
    "no validator, and cut": ([answered(200, DATA[:1000], Content_Length=str(len(DATA)))], [None, None]),
    **{f"HTTP {status}": ([refused(status)] * 2, [None] * 3) for status in (416, 500, 502, 503, 408, 429)},
}


@pytest.mark.parametrize("name", ANSWERS)
def test_what_is_asked_for_after_an_answer(site: Site, part: Path, name: str) -> None:
    """Only what a server proves to be the rest of the same file goes on; all else starts over."""
    site.script, ranges = list(ANSWERS[name][0]), ANSWERS[name][1]
    get(site, part)
    assert site.ranges == ranges
    sent = ['"1"' if each else None for each in ranges]
    assert [request.if_range for request in site.requests] == sent


FINAL: dict[str, tuple[Behaviour | str, str]] = {
    "404": (refused(404), "HTTP 404 brings no file; is it spelled right"),
    "410": (refused(410), "HTTP 410 brings no file; is it spelled right"),
    "403": (refused(403), "HTTP 403 brings no file; is FILLPATH_MIRROR right"),
    "204": (refused(204), "HTTP 204 brings no file"),
    "circles": (refused(302, Location=AT), "redirects"),
    "no http": ("ftp://127.0.0.1/x", "is FILLPATH_MIRROR a folder or an"),
    "no port": ("http://127.0.0.1:port/x", "is FILLPATH_MIRROR a folder or an"),
    "no name": ("http://a..b/x", "is FILLPATH_MIRROR a folder or an"),
    "no host": ("http://[/x", "is FILLPATH_MIRROR a folder or an"),
    "no certificates": ("https://127.0.0.1:1/x", "cannot be asked for: .*/absent"),
}


@pytest.mark.parametrize("name", FINAL)
def test_what_no_retry_helps_is_refused_at_once(
    site: Site, part: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    answer, says = FINAL[name]
    if isinstance(answer, str):
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/absent")
    site.script = [] if isinstance(answer, str) else [answer] * 40
    asked = Wanted("x", answer, "") if isinstance(answer, str) else wanted(site)
    with pytest.raises(TransferError, match=says):
        brought(asked, part)
    assert left(part) == [] and len(site.requests) == {"circles": 31}.get(name, int(name.isdecimal()))


def test_a_part_from_an_earlier_process_is_resumed(
    site: Site, part: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_a_part(site, part, 1200, monkeypatch)
    arrived = get(site, part)
    assert (arrived.inherited, site.ranges) == (1200, ["bytes=1200-"])


@pytest.mark.parametrize("behaviour", [well, no_length])
def test_a_whole_part_is_taken_without_a_request(site: Site, part: Path, behaviour: Behaviour) -> None:
    site.script = [behaviour]
    get(site, part)
    site.requests.clear()
    assert get(site, part).inherited == len(DATA) and site.ranges == []


def test_a_file_that_changed_meanwhile_starts_over(
    site: Site, part: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.files[AT] = DATA[::-1]
    leave_a_part(site, part, 1200, monkeypatch)
    site.files[AT], site.etag = DATA, '"2"'
    arrived = get(site, part)
    assert (arrived.inherited, site.ranges) == (0, ["bytes=1200-"])


def test_a_part_of_another_address_is_not_gone_on_with(
    site: Site, part: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_a_part(site, part, 1200, monkeypatch)
    site.files["/other"] = DATA[:100]
    arrived = brought(Wanted("other", f"{site.url}/other", ""), part)
    assert (arrived.path.read_bytes(), arrived.inherited, site.ranges) == (DATA[:100], 0, [None])


@pytest.mark.parametrize("note", ["", "{}", "[]", '{"location": 1, "etag": 2}'])
def test_a_part_without_its_note_starts_over(
    site: Site, part: Path, monkeypatch: pytest.MonkeyPatch, note: str
) -> None:
    leave_a_part(site, part, 1200, monkeypatch)
    part.with_name(f"{part.name}.json").write_text(note)
    assert get(site, part).inherited == 0 and site.ranges == [None]


def test_the_rest_of_a_file_may_come_without_its_time_of_change(site: Site, part: Path) -> None:
    changed = "Wed, 21 Oct 2015 07:28:00 GMT"
    begun = answered(200, DATA[:1000], Content_Length=str(len(DATA)), Last_Modified=changed)
    site.script = [begun, answered(206, DATA[1000:], Content_Range=RIGHT)]
    get(site, part)
    assert site.ranges == [None, "bytes=1000-"] and site.requests[1].if_range == changed


def test_weak_validators_are_not_relied_on(site: Site, part: Path) -> None:
    site.etag = 'W/"1"'
    site.script = [cut(1000)]
    get(site, part)
    assert site.ranges == [None, None]


def test_a_part_that_is_longer_than_the_file_starts_over(site: Site, part: Path) -> None:
    part.write_bytes(get(site, part).path.read_bytes() + b"more")
    assert get(site, part).inherited == 0 and site.ranges == [None, None]


def test_a_stalled_connection_is_cut_and_gone_on_with(site: Site, part: Path) -> None:
    site.script = [stalled(1000, 20.0)]
    start = time.monotonic()
    get(site, part)
    assert site.ranges == [None, "bytes=1000-"] and time.monotonic() - start < 15


def test_a_stall_says_how_long_nothing_came(site: Site, part: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "ATTEMPTS", 1)
    site.script = [stalled(1000, 2.0)]
    with pytest.raises(TransferError, match=r"no byte for 0\.4 s; 1\.0 kB are kept for the next try"):
        get(site, part)


def test_a_connection_that_drips_is_cut_and_gone_on_with(
    site: Site, part: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "SLOWEST", 2000)
    site.script = [dripping(20, 0.1)]
    start = time.monotonic()
    get(site, part)
    assert time.monotonic() - start < 3
    assert site.ranges[1] is not None and 20 < int(site.ranges[1][6:-1]) < 400


def test_a_slow_connection_that_is_fast_enough_is_left_alone(
    site: Site, part: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "TIMEOUT", 0.2)
    site.script = [dripping(300, 0.05)]
    get(site, part)
    assert site.ranges == [None]


def test_a_server_that_keeps_failing_is_given_up(site: Site, part: Path) -> None:
    site.script = [refused(500)] * 9
    with pytest.raises(
        TransferError,
        match=r"failed 4 times, last: HTTP 500; is this machine online\? if so, try again later",
    ):
        get(site, part)
    assert len(site.requests) == download.ATTEMPTS and left(part) == []


def test_nobody_listening_is_given_up(part: Path) -> None:
    with serving() as site:
        pass
    with pytest.raises(TransferError, match=r"failed 4 times, last: .*refused"):
        brought(wanted(site), part)


@pytest.mark.parametrize("errno", [socket.EAI_NONAME, socket.EAI_AGAIN])
def test_a_name_that_cannot_be_looked_up_is_given_up_early_and_loses_nothing(
    site: Site, part: Path, monkeypatch: pytest.MonkeyPatch, errno: int
) -> None:
    naps: list[float] = []
    monkeypatch.setattr(time, "sleep", naps.append)
    monkeypatch.setattr(download, "BACKOFF", 0.5)
    leave_a_part(site, part, 1200, monkeypatch)
    asked = Mock(side_effect=socket.gaierror(errno, "no such name"))
    says = r"failed 3 times, last: .*no such name; 1\.2 kB are kept .*; is this machine online\?"
    with monkeypatch.context() as offline, pytest.raises(TransferError, match=says):
        offline.setattr(socket, "getaddrinfo", asked)
        get(site, part)
    assert asked.call_count == download.LOOKUPS < download.ATTEMPTS and naps == [1.0]
    assert get(site, part).inherited == 1200


def test_attempts_that_gain_something_do_not_count(
    site: Site, part: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "GAIN", 300)
    site.script = [cut(300)] * 9
    get(site, part)
    assert len(site.requests) == 10


def test_attempts_are_bounded_though_each_begins_anew(
    site: Site, part: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "GAIN", 300)
    site.etag = ""
    half = answered(200, DATA[:1500], Content_Length="3002")
    site.script = [half] * 9
    with pytest.raises(TransferError, match="1500 bytes read, 1502 more expected"):
        get(site, part)
    assert len(site.requests) == 1 + download.ATTEMPTS


@pytest.mark.parametrize(
    ("asked", "slept"),
    [
        ("7", [7.0]),
        ("999999", [120.0]),
        ("soon", []),
        ("9" * 5000, []),
        ("Wed, 21 Oct 2015 07:28:00 GMT", []),
    ],
)
def test_a_server_is_left_alone_as_long_as_it_asks_within_bounds(
    site: Site, part: Path, monkeypatch: pytest.MonkeyPatch, asked: str, slept: list[float]
) -> None:
    naps: list[float] = []
    monkeypatch.setattr(time, "sleep", naps.append)
    monkeypatch.setattr(download, "BACKOFF", 0.5)
    site.script = [refused(429, Retry_After=asked), refused(503), refused(500)]
    get(site, part)
    assert naps == [*slept, 1.0, 2.0]


@pytest.mark.parametrize("kind", ["text/html", "text/html; charset=utf-8"])
def test_a_page_instead_of_an_archive_is_refused_at_once(
    site: Site, part: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    leave_a_part(site, part, 1200, monkeypatch)
    site.script = [answered(200, DATA, Content_Type=kind)]
    with pytest.raises(TransferError, match=r"an HTML page came instead; .* no login page in between"):
        brought(wanted(site), part)
    assert len(site.requests) == 1 and part.stat().st_size == 1200, "what an archive gave is kept"


@pytest.mark.parametrize("flag", [True, False])
def test_offline_is_refused_with_its_remedy(site: Site, monkeypatch: pytest.MonkeyPatch, flag: bool) -> None:
    monkeypatch.setenv("FILLPATH_OFFLINE", "0" if flag else "1")
    remedy = "drop --offline" if flag else "unset FILLPATH_OFFLINE"
    with pytest.raises(TransferError, match=f"^offline: the file is not in the cache; {remedy}"):
        transfer.refuse_offline(wanted(site), flag)
    monkeypatch.setenv("FILLPATH_OFFLINE", "yes")
    with pytest.raises(ConfigError, match="FILLPATH_OFFLINE=yes"):
        transfer.refuse_offline(wanted(site), offline=False)


def test_a_folder_is_read_where_it_is_even_offline(
    tmp_path: Path, part: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILLPATH_OFFLINE", "1")
    path = tmp_path / "file.gz"
    path.write_bytes(DATA)
    asked = Wanted("the file", str(path), "is it spelled right?")
    assert transfer.transfer(asked, part, Path.read_bytes) == (DATA, "copied", len(DATA)) and left(part) == []
    path.unlink()
    with pytest.raises(TransferError, match="no such file; is it spelled right"):
        transfer.transfer(asked, part, Path.read_bytes)


def test_a_file_that_does_not_fit_is_refused_before_it_comes(
    site: Site, part: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = type("Usage", (), {"free": paths.RESERVE + 6 * len(DATA) - 1})()
    monkeypatch.setattr(paths.shutil, "disk_usage", lambda place: usage)
    with pytest.raises(DiskFullError, match=r"have to be.*free some space, or point FILLPATH_CACHE"):
        get(site, part)
    assert not part.exists() and len(site.requests) == 1
    usage.free += 1
    get(site, part)


def test_an_answer_without_length_ends_at_the_reserve(
    site: Site, part: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = iter([paths.RESERVE, paths.RESERVE - 1])
    monkeypatch.setattr(paths, "free_space", lambda folder: next(free))
    site.script = [no_length]
    with pytest.raises(DiskFullError, match="have to be"):
        get(site, part)


def test_a_disk_that_fills_up_keeps_what_came(
    site: Site, part: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill = _FullDisk(1000)
    with monkeypatch.context() as full:
        full.setattr(Path, "open", lambda path, *mode, **more: fill.open(path, *mode, **more))
        with pytest.raises(DiskFullError, match=r"the disk is full; what has arrived is kept"):
            get(site, part)
    assert part.read_bytes() == DATA[:1000] and len(site.requests) == 1
    assert left(part) == ["file.gz.part", "file.gz.part.json"]
    assert get(site, part).inherited == 1000
    assert site.ranges == [None, "bytes=1000-"]


class _FullDisk:
    """Takes `room` bytes in files that are appended to, the last block in part, as a real one does."""

    def __init__(self, room: int) -> None:
        self.room = room
        self._open = Path.open

    def open(self, path: Path, *arguments: Any, **more: Any) -> Any:
        handle = self._open(path, *arguments, **more)
        if arguments[:1] == ("ab",):
            return _Full(handle, self)
        return handle


class _Full:
    def __init__(self, handle: io.FileIO, disk: _FullDisk) -> None:
        self._handle, self._disk = handle, disk

    def __enter__(self) -> "_Full":
        return self

    def __exit__(self, *problem: object) -> None:
        self._handle.close()

    def write(self, data: memoryview) -> int:
        if not self._disk.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = self._handle.write(data[: self._disk.room])
        self._disk.room -= written
        return written


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_the_kernels_word_that_the_disk_is_full_is_understood(
    site: Site, part: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_a_part(site, part, 1200, monkeypatch)
    opened = Path.open
    with monkeypatch.context() as full, pytest.raises(DiskFullError, match="the disk is full"):
        full.setattr(
            Path,
            "open",
            lambda path, *mode, **more: opened(Path("/dev/full") if mode == ("ab",) else path, *mode, **more),
        )
        get(site, part)
    assert part.read_bytes() == DATA[:1200] and left(part) == ["file.gz.part", "file.gz.part.json"]
    assert get(site, part).inherited == 1200 and site.ranges == ["bytes=1200-"] * 2


def test_a_cache_that_cannot_be_written_is_no_bad_connection(site: Site, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TransferError, match="FILLPATH_CACHE"):
        get(site, tmp_path / "file" / "part")
    assert site.requests == []


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("screen", [_Terminal, io.StringIO])
def test_progress_is_drawn_on_a_terminal_and_logged_now_and_then_elsewhere(
    site: Site,
    part: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    screen: type[io.StringIO],
) -> None:
    shown = screen()
    caplog.set_level("INFO", "fillpath")
    monkeypatch.setattr(sys, "stderr", shown)
    for name, mine in (("REDRAWN", _Terminal), ("LOGGED", io.StringIO)):
        monkeypatch.setattr(download, name, 0.01 if screen is mine else 1000.0)
    site.script = [dripping(1000, 0.05)]
    get(site, part)
    if screen is io.StringIO:
        line = r"the file: \d\.\d+kB of 3\.00kB, .*B/s, \d\d:\d\d left"
        assert caplog.messages and all(re.fullmatch(line, each) for each in caplog.messages), caplog.messages
        assert shown.getvalue() == ""
        return
    drawn = shown.getvalue().split("\r")
    assert any(re.match(r"the file:  \d+%.*\| \d\.\d+k/3\.00k \[.*B/s\]", line) for line in drawn), drawn
    assert drawn[-2:] == [" " * len(drawn[-2]), ""], "the last line is wiped"
    assert caplog.messages == []


def test_a_short_download_shows_no_progress(
    site: Site, part: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    get(site, part)
    assert capsys.readouterr().err == ""
    assert [thread.name for thread in threading.enumerate() if "tqdm" in type(thread).__module__] == []
