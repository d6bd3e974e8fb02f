"""The collection's index: read whole or not at all, asked for only where that was asked for."""

import errno
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

from fetch import collection, download
from fetch.collection import Listed
from fetch.matrix_id import resolve
from fillpath.errors import DiskFullError, TransferError, UnknownNameError
from tests.misbehaving import Site, answered, cut, no_length, serving

AT = "/files/ssstats.csv"
LINES = (
    "HB,west0001,40,40,120,1,0,0,0,0.0,0.0,chemical process simulation problem,125",
    "HB,twin,10,10,10,1,0,0,0,1.0,1.0,structural problem,10",
    "Pothen,twin,10,12,10,1,0,0,0,1.0,1.0,least squares problem,10",
)
INDEX = "\n".join(["3", "08-Oct-2020 17:09:58", *LINES, ""])


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(download, "BACKOFF", 0.0)
    with serving() as served:
        served.files[AT] = INDEX.encode()
        monkeypatch.setenv("FILLPATH_MIRROR", served.url)
        yield served


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "mirror" / AT[1:]
    path.parent.mkdir(parents=True)
    path.write_text(INDEX)
    monkeypatch.setenv("FILLPATH_MIRROR", str(tmp_path / "mirror"))
    return path


def test_the_index_is_downloaded_and_renewed_on_demand(site: Site) -> None:
    assert collection.local_index() == () and site.requests == []
    first = collection.refresh()
    assert first[0] == Listed("HB", "west0001", 40, 40, 120, "chemical process simulation problem", 0.0, 0.0)
    assert collection.local_index() == first and len(first) == 3
    assert len(site.requests) == 1
    site.files[AT] = INDEX.replace("west0001", "west0002").encode()
    assert collection.refresh()[0].name == "west0002" == collection.local_index()[0].name
    assert len(site.requests) == 2


def test_a_full_disk_loses_nothing_of_an_index_that_arrived(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full, pytest.raises(DiskFullError, match="what has arrived is kept"):
        full.setattr(collection, "write_text", Mock(side_effect=OSError(errno.ENOSPC, "No space left")))
        collection.refresh()
    assert len(collection.refresh()) == 3 and len(site.requests) == 1


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<html>Maintenance</html>", 1),
        ("", 0),
        ("\n", 1),
        (INDEX[: INDEX.index("Pothen")], 4),
        (INDEX[:-10], 5),
        (INDEX.replace(",125", ",125,0"), 3),
        (INDEX.replace("40,40", "40,x"), 3),
        (INDEX.replace("10,10", "10,\udcff"), 3),
        (INDEX.replace("10,12", f"10,{2**63}"), 5),
    ],
)
def test_an_index_that_is_none_is_told_by_its_line_and_does_not_replace_one(
    site: Site, text: str, line: int
) -> None:
    before = collection.refresh()
    site.script = [answered(200, text.encode(errors="surrogateescape"))]
    with pytest.raises(TransferError) as told:
        collection.refresh()
    assert str(told.value) == (
        f"{site.url}{AT}: no whole index, damaged or cut near line {line}; not used; "
        "`fillpath fetch --index` gets another, from FILLPATH_MIRROR where that is set"
    )
    assert collection.local_index() == before


def test_a_cut_index_without_length_is_noticed(site: Site) -> None:
    site.files[AT] = site.files[AT][:-100]
    site.script = [no_length]
    with pytest.raises(TransferError, match="no whole index, damaged or cut"):
        collection.refresh()
    site.files[AT] = INDEX.encode()
    site.script = [cut(50)]
    assert len(collection.refresh()) == 3 and site.ranges[-1] == "bytes=50-"


def test_offline_never_asks_for_the_index(site: Site) -> None:
    with pytest.raises(TransferError, match=r"^offline: the index is not in the cache"):
        collection.refresh(offline=True)
    assert site.requests == []


@pytest.mark.parametrize(
    ("login", "place"),
    [
        ("", "host"), ("", "host:80/a@b"), ("", "host/a@b"), ("", "[::1]:80/a@b"),
        ("me@", "host"), ("me:secret@", "host/a@b"), ("a:sec@ret@", "host"), ("me:sec/ret@", "host/x"),
        ("me:sec#ret@", "host:80"), ("me:sec?ret@", "host"),
    ],
)  # fmt: skip
def test_no_address_of_a_file_has_a_user_or_a_password(
    login: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILLPATH_MIRROR", f"https://{login}{place}/")
    assert collection.address("MM") == f"https://{place}/MM"


def test_a_folders_index_is_used_where_it_is(mirror: Path) -> None:
    assert len(collection.local_index()) == 3
    mirror.unlink()
    assert collection.local_index() == ()


def test_a_spoilt_index_hinders_no_suggestion(
    mirror: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror.write_text("spoilt")
    with pytest.raises(UnknownNameError, match="did you mean bcsstk18"):
        resolve("bcsstk81")
    assert "`fillpath fetch --index` gets another" in caplog.text
    mirror.unlink()
    mirror.mkdir()
    monkeypatch.setattr(collection, "local_path", lambda: mirror)
    assert collection.local_index() == () and f"{mirror}: Is a directory" in caplog.text
    assert "Errno" not in caplog.text


def test_a_bare_name_stands_for_the_only_matrix_that_has_it(mirror: Path) -> None:
    assert resolve("west0001").text == "HB+west0001"
    with pytest.raises(UnknownNameError, match="holds HB/twin and Pothen/twin; say which"):
        resolve("twin")
    for text, meant in [("west0010", "HB/west0001"), ("WEST0001", "HB/west0001"), ("bcsstk81", "bcsstk18")]:
        with pytest.raises(UnknownNameError, match=f"did you mean .*{meant}"):
            resolve(text)


def test_no_server_is_asked_to_explain_a_name(site: Site) -> None:
    with pytest.raises(UnknownNameError):
        resolve("west0001")
    assert site.requests == []
