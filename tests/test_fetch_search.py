"""The collection's search: ssgetpy and the index that is here give the same matrices, within a time limit,
and nothing of it is written outside the cache."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import main
from fetch import collection, search
from fetch.collection import Listed
from fetch.query import Query, Range
from fillpath.errors import TransferError
from fillpath.paths import ROOT
from tests.misbehaving import Behaviour, Site, answered, cut, refused, serving, stalled

AT = "/files/ssstats.csv"
MADE = (
    Listed("HB", "west0001", 40, 40, 120, "chemical process simulation problem", 0.0, 0.0),
    Listed("HB", "1138_bus", 1138, 1138, 4054, "power network problem", 1.0, 1.0),
    Listed("HB", "1138bus", 7, 7, 9, "power network", 0.5, 0.25),
    Listed("Rajat", "rajat01", 6833, 6833, 43250, "circuit simulation problem", 0.9957, 0.9957),
    Listed("Rajat", "Rajat_02", 10, 12, 10**10, "Circuit simulation problem, 100%", 0.9, 0.0399),
    Listed("hb", "O'Brien", 10, 12, 10, "O'Brien's, of a group's", 1.0, 0.5),
    Listed("Ünal", "Été%", 12, 10, 11, "", 0.0, 1.0),
    Listed("Ünal", "été", 12, 10, 12, "a\\b", 1.0, 1.0),
    *(Listed("Many", f"m{i}", i, i, 2 * i, "of many", i / 20, 0.0) for i in range(20)),
)  # fmt: skip
Ask = Callable[[Query], tuple[Listed, ...]]


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


@contextlib.contextmanager
def asking(index: bytes, folder: Path) -> Iterator[Ask]:
    """ssgetpy in a process that answers many queries over an index that a server of this machine gives."""
    with serving() as site:
        site.files[AT] = index
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("FILLPATH_MIRROR", site.url)
            patch.setenv("FILLPATH_CACHE", str(folder / "cache"))
            environment = search.environment()
        with subprocess.Popen(
            search.command(folder), cwd=ROOT, env=environment, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        ) as process:  # fmt: skip
            assert process.stdin is not None and process.stdout is not None
            given, told = process.stdin, process.stdout

            def ask(query: Query) -> tuple[Listed, ...]:
                print(json.dumps(search.narrowed(query)), file=given, flush=True)
                return tuple(Listed(*row) for row in json.loads(told.readline()))

            yield ask
            given.close()
        assert [request.path for request in site.requests] == [AT] and process.returncode == 0


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    with asking(index_of(MADE), tmp_path_factory.mktemp("made")) as ask:
        yield ask


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
BOUNDED = {"group": st.sampled_from(["", "HB", "Hb", *GROUPS]), "rows": SIZES, "entries": SIZES}
LETTERS = "abmMrR01 É"


@given(
    st.builds(
        Query,
        search=texts(*NAMES, *KINDS, "hb/west", *GROUPS, alphabet=f"{LETTERS}_%'/\\"),
        name=texts(*NAMES, alphabet=f"{LETTERS}_%'"),
        kind=texts(*KINDS, alphabet=f"{LETTERS}_%'"),
        symmetry=ranges(st.floats(0, 1) | st.sampled_from([0.9, 0.9957])),
        **BOUNDED,
    )
)
def test_ssgetpy_and_the_index_give_the_same_matrices(made: Ask, query: Query) -> None:
    here = tuple(filter(query.matches, collection._parse(index_of(MADE))))
    assert here == tuple(filter(query.matches, MADE)) == tuple(filter(query.matches, made(query)))


@given(
    st.builds(
        Query,
        name=texts(*(n for n in NAMES if not set(n) & set("_%")), alphabet=LETTERS),
        kind=texts(*(k for k in KINDS if "%" not in k), alphabet=LETTERS),
        **BOUNDED,
    )
)
def test_what_ssgetpy_can_narrow_it_narrows_as_the_index_does(made: Ask, query: Query) -> None:
    assert made(query) == tuple(filter(query.matches, MADE))


def test_both_agree_on_the_whole_collection(suitesparse: Path, tmp_path: Path) -> None:
    path = suitesparse / "files" / "ssstats.csv"
    if not path.is_file():
        pytest.skip(f"{path} is not there: the collection's index")
    here = collection._parse(path.read_bytes())
    queries = (
        Query(), Query(search="hb/bcs"), Query(name="_b", entries=Range(None, 10**5)), Query(group="HB"),
        Query(kind="unknown", rows=Range(1000, 10**5), symmetry=Range(0.9, 0.9999)), Query(name="absent"),
        Query(entries=Range(11948, 149090)), Query(search="rajat", rows=Range(10**4), symmetry=Range(1, 1)),
    )  # fmt: skip
    with asking(path.read_bytes(), tmp_path) as ask:
        for query in queries:
            assert tuple(filter(query.matches, ask(query))) == tuple(filter(query.matches, here)), query


@pytest.mark.parametrize(
    ("query", "names"),
    [
        (Query(search="hB/weST"), ["west0001"]),
        (Query(search="RAJAT", kind="circuit"), ["rajat01", "Rajat_02"]),
        (Query(search="network", rows=Range(None, 1000)), ["1138bus"]),
        (Query(name="8_b"), ["1138_bus"]),
        (Query(name="%", group="Ünal"), ["Été%"]),
        (Query(name="Été"), ["Été%"]),
        (Query(kind="group's"), ["O'Brien"]),
        (Query(group="HB", symmetry=Range(0.5, 0.5)), ["1138bus"]),
        (Query(entries=Range(10**10)), ["Rajat_02"]),
        (Query(group="rajat"), []),
    ],
    ids=str,
)
def test_a_query_finds(made: Ask, query: Query, names: list[str]) -> None:
    assert [matrix.name for matrix in made(query) if query.matches(matrix)] == names
    assert [matrix.name for matrix in MADE if query.matches(matrix)] == names


def test_ssgetpy_asks_once_and_writes_in_the_cache_alone(site: Site, tmp_path: Path) -> None:
    for _ in range(2):
        answer = search.search(Query(group="Rajat"))
        assert [matrix.name for matrix in answer.matrices] == ["rajat01", "Rajat_02"]
        assert answer.by == f"ssgetpy, from {site.url}{AT}"
    assert [request.path for request in site.requests] == [AT]
    assert [path.name for path in (tmp_path / "home").iterdir()] == []
    # What it asked for is the index here, for later searches and for bare names.
    assert collection.local_index() == MADE and len(site.requests) == 1
    site.files[AT] = index_of(MADE[:4])
    search.forget()
    assert len(search.search(Query(group="Rajat")).matrices) == 1 and len(site.requests) == 2


def test_each_address_has_an_index_of_its_own(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    search.search(Query(group="HB"))
    with serving() as other:
        other.files[AT] = index_of(MADE[:1])
        monkeypatch.setenv("FILLPATH_MIRROR", other.url)
        assert search.search(Query(group="HB")).matrices == MADE[:1]


@pytest.mark.parametrize(
    ("behaviour", "says"),
    [
        (refused(404), r"ssgetpy failed \(http://.*ssstats.csv: HTTP 404\)"),
        (answered(200, b"<html>Maintenance</html>"), "not an index of the collection"),
        (answered(200, index_of(MADE)[:-60]), "whole lines of the 28 that the index announces"),
        (cut(300), "ssstats.csv: [A-Za-z]+Error"),
    ],
    ids=["absent", "page", "short", "cut"],
)
def test_where_ssgetpy_fails_the_index_answers(site: Site, behaviour: Behaviour, says: str) -> None:
    collection.refresh()
    site.script = [behaviour]
    answered_by_the_index(says)
    # What came is no index: the next search asks again.
    assert search.search(Query()) == search.Answer(MADE, f"ssgetpy, from {site.url}{AT}")
    assert len(site.requests) == 3


def test_a_server_that_says_nothing_is_waited_for_within_the_limit(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection.refresh()
    monkeypatch.setattr(search, "LIMIT", 3.0)
    site.script = [stalled(300, 6.0)]
    answered_by_the_index("ssgetpy gave no answer within 3 s$")


def test_without_ssgetpy_the_index_answers(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    collection.refresh()
    absent = [sys.executable, "-c", "import absent_package"]
    monkeypatch.setattr(search, "command", lambda home: absent)
    answered_by_the_index("ssgetpy failed .*absent_package")


def test_offline_and_in_a_folder_no_server_is_asked(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection.refresh()
    monkeypatch.setattr(search, "command", lambda home: pytest.fail("ssgetpy was asked"))
    monkeypatch.setenv("FILLPATH_OFFLINE", "1")
    answered_by_the_index("FILLPATH_OFFLINE asks no server$")
    monkeypatch.delenv("FILLPATH_OFFLINE")
    (tmp_path / "mirror" / "files").mkdir(parents=True)
    (tmp_path / "mirror" / AT[1:]).write_bytes(index_of(MADE))
    monkeypatch.setenv("FILLPATH_MIRROR", str(tmp_path / "mirror"))
    answered_by_the_index("^.*/mirror/files/ssstats.csv: FILLPATH_MIRROR is a folder")
    assert len(site.requests) == 1


def answered_by_the_index(says: str) -> None:
    query = Query(search="o", rows=Range(10, 40))
    answer = search.search(query)
    assert answer.matrices == tuple(filter(query.matches, MADE)) and len(answer.matrices) > 10
    assert answer.by.startswith(f"{collection.local_path()}: ")
    assert re.search(says, answer.by), answer.by


def test_without_both_the_message_says_what_to_do(site: Site) -> None:
    site.script = [refused(503)]
    with pytest.raises(TransferError, match=r"HTTP 503.*and .*/cache/ssstats.csv is no index; .*--index"):
        search.search(Query(group="HB"))


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
    assert caplog.messages == [f"answered by ssgetpy, from {site.url}{AT}"]


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
    answer = search.Answer(MADE[:1], "a test")
    monkeypatch.setattr(search, "search", lambda query: asked.append(query) or answer)
    assert main(["list", f"--{option}", text]) == 0
    assert asked == [Query(**{option: range})]


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
        ("rows", "..", "'..' has no end: write A..B, A.., ..B or one number"),
        ("rows", "", "has no end"),
        ("rows", "1e3..999", "'1e3..999' holds no number: did you mean 999..1e3?"),
        ("search", "", "argument --search: an empty text narrows nothing: leave the option out"),
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
