"""The collection's search: ssgetpy finds what a query asks for; nothing else is asked or written."""

import csv
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import main
from fetch import collection, search
from fetch.collection import Listed
from fetch.search import Range
from fillpath.errors import TransferError
from fillpath.paths import ROOT
from tests.misbehaving import Behaviour, Site, answered, refused, serving

AT = "/files/ssstats.csv"
ALL = Range()
MADE = (
    Listed("HB", "west0001", 40, 40, 120, "chemical process simulation problem", 0.0, 0.0),
    Listed("HB", "1138_bus", 1138, 1138, 4054, "power network problem", 1.0, 1.0),
    Listed("HB", "1138bus", 7, 7, 9, "power network", 0.5, 0.25),
    Listed("Rajat", "rajat01", 6833, 6833, 43250, "circuit simulation problem", 0.9957, 0.9957),
    Listed("Rajat", "Rajat_02", 10, 12, 10**10, "Circuit simulation problem, 100%", 0.9, 0.0399),
    Listed("hb", "O'Brien", 10, 12, 10, "O'Brien's, of a group's", 1.0, 0.5),
    Listed("Unal", "Ete%", 12, 10, 11, "", 0.0, 1.0),
    Listed("Unal", "ete", 12, 10, 12, "a\\b", 1.0, 1.0),
    *(Listed("Many", f"m{i}", i, i, 2 * i, "of many", i / 20, 0.0) for i in range(20)),
)  # fmt: skip


def index_of(matrices: tuple[Listed, ...]) -> bytes:
    """As the collection writes it. Its last column, with explicit zeros, is not what ssgetpy reads."""
    text = io.StringIO(f"{len(matrices)}\n08-Oct-2020 17:09:58\n")
    text.seek(0, io.SEEK_END)
    for m in matrices:
        size = [m.group, m.name, m.rows, m.columns, m.entries]
        symmetries = [m.pattern_symmetry, m.numerical_symmetry]
        row = [*size, 1, 0, 0, 0, *symmetries, m.kind, m.entries + 5]
        csv.writer(text, lineterminator="\n").writerow(row)
    return text.getvalue().encode()


def meets(
    m: Listed,
    search: str = "",
    name: str = "",
    group: str = "",
    kind: str = "",
    rows: Range = ALL,
    entries: Range = ALL,
    symmetry: Range = ALL,
) -> bool:
    """Whether the matrix meets all conditions, by their own definition."""
    return (
        search.lower() in f"{m.label}\n{m.kind}".lower()
        and name.lower() in m.name.lower()
        and group in ("", m.group)
        and kind.lower() in m.kind.lower()
        and all(
            (bounds.low or 0) <= number <= (10**50 if bounds.high is None else bounds.high)
            for number, bounds in ((m.rows, rows), (m.entries, entries), (m.pattern_symmetry, symmetry))
        )
    )


def found(conditions: dict[str, Any], listed: tuple[Listed, ...] = MADE) -> tuple[Listed, ...]:
    """The search's answer from that index."""
    with mock.patch.object(collection, "local_index", lambda: listed):
        return search.search(**conditions)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Site]:
    with serving() as served:
        served.files[AT] = index_of(MADE)
        monkeypatch.setenv("FILLPATH_MIRROR", served.url)
        (tmp_path / "home").mkdir()
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        yield served


def ranges(numbers: st.SearchStrategy[float]) -> st.SearchStrategy[Range]:
    return st.builds(Range, st.none() | numbers, st.none() | numbers)


def texts(*values: str, alphabet: str) -> st.SearchStrategy[str]:
    """Short texts, and pieces of those that the index holds."""
    pieces = sorted({value[i : i + 4] for value in values for i in range(len(value))})
    return st.just("") | st.sampled_from(pieces) | st.text(alphabet, max_size=3)


GROUPS = sorted({matrix.group for matrix in MADE})
NAMES = [matrix.name for matrix in MADE]
KINDS = [matrix.kind for matrix in MADE]
SIZES = ranges(st.integers(0, 20) | st.sampled_from([1138, 4054, 10**10, 10**40]))
LETTERS = "abmMrR01 É"


@given(
    st.builds(
        dict,
        search=texts(*NAMES, *KINDS, "hb/west", *GROUPS, alphabet=f"{LETTERS}_%'/\\"),
        name=texts(*NAMES, alphabet=f"{LETTERS}_%'"),
        group=st.sampled_from(["", "HB", "Hb", *GROUPS]),
        kind=texts(*KINDS, alphabet=f"{LETTERS}_%'"),
        rows=SIZES,
        entries=SIZES,
        symmetry=ranges(st.floats(0, 1) | st.sampled_from([0.9, 0.9957])),
    )
)
def test_a_query_finds_all_that_meets_it_and_nothing_else(query: dict[str, Any]) -> None:
    assert found(query) == tuple(m for m in MADE if meets(m, **query))


def test_a_query_finds_as_much_in_the_whole_collection(suitesparse: Path) -> None:
    path = suitesparse / "files" / "ssstats.csv"
    if not path.is_file():
        pytest.skip(f"{path} is not there: the collection's index")
    here = collection.parse(path.read_bytes(), path)
    queries = (
        {}, {"search": "hb/bcs"}, {"name": "_b", "entries": Range(None, 10**5)}, {"group": "HB"},
        {"kind": "unknown", "rows": Range(1000, 10**5), "symmetry": Range(0.9, 0.9999)}, {"name": "absent"},
        {"entries": Range(11948, 149090)}, {"search": "rajat", "rows": Range(10**4), "symmetry": Range(1, 1)},
    )  # fmt: skip
    for query in queries:
        assert found(query, here) == tuple(m for m in here if meets(m, **query)), query


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"search": "hB/weST"}, ["west0001"]),
        ({"search": "RAJAT", "kind": "circuit"}, ["rajat01", "Rajat_02"]),
        ({"search": "network", "rows": Range(None, 1000)}, ["1138bus"]),
        ({"name": "8_b"}, ["1138_bus"]),
        ({"name": "%", "group": "Unal"}, ["Ete%"]),
        ({"name": "Été"}, []),
        ({"kind": "group's"}, ["O'Brien"]),
        ({"group": "HB", "symmetry": Range(0.5, 0.5)}, ["1138bus"]),
        ({"entries": Range(10**10)}, ["Rajat_02"]),
        ({"group": "rajat"}, []),
    ],
    ids=str,
)
def test_a_query_finds(query: dict[str, Any], names: list[str]) -> None:
    assert [matrix.name for matrix in found(query)] == names


def test_the_index_is_asked_for_once_and_nothing_written_elsewhere(site: Site, tmp_path: Path) -> None:
    for _ in range(2):
        assert [each.name for each in search.search(group="Rajat")] == ["rajat01", "Rajat_02"]
    assert [request.path for request in site.requests] == [AT]
    assert [path.name for path in (tmp_path / "home").iterdir()] == []
    assert collection.local_index() == MADE
    site.files[AT] = index_of(MADE[:4])
    collection.refresh()
    assert len(search.search(group="Rajat")) == 1 and len(site.requests) == 2


def test_ssgetpy_reaches_no_server_and_no_home_and_logs_nothing(site: Site, tmp_path: Path) -> None:
    collection.refresh()
    site.requests.clear()
    code = "import logging; from fetch import search; logging.basicConfig(level=logging.INFO); "
    code += "print(len(search.search()))"
    command = [sys.executable, "-c", code]
    proxies = dict.fromkeys(("http_proxy", "https_proxy"), site.url)
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **proxies}, capture_output=True, text=True)
    answered = f"INFO:fillpath:answered by ssgetpy, from {collection.local_path()}\n"
    assert (done.stdout, done.stderr, done.returncode) == (f"{len(MADE)}\n", answered, 0)
    assert site.requests == [] and list((tmp_path / "home").iterdir()) == []


@pytest.mark.parametrize(
    ("behaviour", "says"),
    [
        (refused(404), r"http://.*ssstats.csv: HTTP 404 brings no file"),
        (answered(200, b"<html>Maintenance</html>"), "no whole index"),
        (answered(200, index_of(MADE)[:-60]), "damaged or cut near line 29; not used"),
    ],
    ids=["absent", "page", "short"],
)
def test_without_an_index_the_message_says_why(site: Site, behaviour: Behaviour, says: str) -> None:
    site.script = [behaviour]
    with pytest.raises(TransferError, match=says):
        search.search(group="HB")
    # The answer was no index: the next search asks again.
    assert search.search() == MADE and len(site.requests) == 2


def test_offline_and_in_a_folder_no_server_is_asked(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILLPATH_OFFLINE", "1")
    with pytest.raises(TransferError, match=r"^offline: the index is not in the cache; unset"):
        search.search()
    (tmp_path / "mirror" / "files").mkdir(parents=True)
    (tmp_path / "mirror" / AT[1:]).write_bytes(index_of(MADE))
    monkeypatch.setenv("FILLPATH_MIRROR", str(tmp_path / "mirror"))
    assert search.search() == MADE
    assert site.requests == []


def test_the_table_and_who_answered(
    site: Site, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "fillpath")
    words = "list --search rajat --kind CIRCUIT --rows 10..1e4 --entries 43250.. --symmetry .9..1"
    assert main(words.split()) == 0
    lines = [re.split("  +", line) for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        ["id", "order", "entries", "symmetry", "of values", "kind"],
        ["rajat01", "6833", "43250", "0.9957", "0.9957", MADE[3].kind],
        ["Rajat+Rajat_02", "10x12", "10000000000", "0.9", "0.0399", MADE[4].kind],
    ]
    assert caplog.messages == [f"answered by ssgetpy, from {collection.local_path()}"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--search absent --rows 5..", "answers --search absent --rows 5..; ask for less, or a wider range"),
        ("--group rajat", "answers --group rajat; did you mean --group Rajat?"),
        ("--group Rajad", "answers --group Rajad; did you mean Rajat?"),
    ],
)
def test_nothing_that_matches_is_an_error(
    words: str, message: str, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["list", *words.split()]) == 2
    assert f"no matrix of the collection {message}\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "text", "range"),
    [
        ("rows", "1000..1e5", Range(1000, 100000)),
        ("rows", "..1.5E3", Range(None, 1500)),
        ("entries", "0..", Range(0)),
        ("entries", "1e20", Range(10**20, 10**20)),
        ("symmetry", "0.9..", Range(0.9)),
        ("symmetry", "..1", Range(None, 1.0)),
        ("symmetry", ".5", Range(0.5, 0.5)),
    ],
)
def test_a_range(option: str, text: str, range: Range, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(search, "search", lambda **query: asked.append(query) or MADE[:1])
    assert main(["list", f"--{option}", text]) == 0
    assert asked == [{option: range}]


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("rows", "many", "'many': 'many' is not a whole number such as 1000 or 1e6; write A..B, A.. or ..B"),
        ("rows", "1.5..", "'1.5' is not a whole number"),
        ("rows", "-5..3", "'-5' is not a whole number"),
        ("entries", "1e999999999", "'1e999999999' is not a whole number"),
        ("entries", "1..2..3", "'2..3' is not a whole number"),
        ("entries", "٣..", "'٣' is not a whole number"),
        ("entries", "1" * 5000, "is not a whole number"),
        ("entries", "nan..", "'nan' is not a whole number"),
        ("symmetry", "1.01..", "'1.01' is not a number from 0 to 1"),
        ("symmetry", "nan", "'nan' is not a number from 0 to 1"),
        ("rows", "..", "'..': the range has no end: write A..B, A.., ..B or one number"),
        ("rows", "", "has no end"),
        ("rows", "1e3..999", "'1e3..999': the range holds no number: did you mean 999..1e3?"),
        ("search", "", "argument --search: '': expected a text in UTF-8: an empty one narrows nothing"),
        ("name", "\udcff", "expected a text in UTF-8"),
    ],
)
def test_what_is_no_range_is_refused_before_anybody_is_asked(
    option: str, text: str, message: str, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["list", f"--{option}={text}"])
    captured = capsys.readouterr()
    assert (stop.value.code, captured.out, site.requests) == (2, "", [])
    assert f"fillpath list: argument --{option}: " in captured.err and message in captured.err
