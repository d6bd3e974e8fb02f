"""A matrix id is parsed once: its value and its text say the same."""

import gzip
import re
from pathlib import Path

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

import commands
from fetch import catalogue, collection, local, names
from fetch.matrix_id import Generated, InCollection, LocalFile, MatrixId, Unobtainable, parse, resolve
from fetch.source import load, locate
from fillpath.case import Case
from fillpath.errors import InputError, UnknownNameError

WORDS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,9}", fullmatch=True)
NEW = st.tuples(WORDS, WORDS).filter(lambda words: catalogue.find("/".join(words)) is None)
# Nothing of the collection is called so.
PATHS = (
    "matrices/foo.mtx", "x.MTX", "a/b.mtx.gz", "a/b.tar.gz", "a/b.rb", "a/b.mat", "a+b.mtx", "./memplus",
    "../HB/x", "/HB/x", "~/x", "~no-such-user/x", "a/b/c", ".",
)  # fmt: skip


def test_an_entrys_id_is_the_text_of_its_value() -> None:
    for entry in catalogue.entries():
        matrix = parse(entry.id)
        assert matrix.text == entry.id
        assert isinstance(matrix, Unobtainable) is not catalogue.obtainable(entry), entry
        if isinstance(matrix, InCollection):
            assert (matrix.group, matrix.name, matrix.sha256) == (entry.group, entry.name, entry.sha256)


@pytest.mark.parametrize(
    ("text", "matrix"),
    [
        ("poisson3d:16:uniform", Generated(names.parse("poisson3d:16"))),
        ("circuit,50,seed=2", Generated(names.parse("circuit:50:seed=2"))),
        ("HB/bcspwr99", InCollection("HB+bcspwr99", "HB", "bcspwr99")),
        ("HB+bcspwr99", InCollection("HB+bcspwr99", "HB", "bcspwr99")),
        ("local+m-0123456789ab", LocalFile("m-0123456789ab")),
    ],
)
def test_each_kind_has_a_value_of_its_own(text: str, matrix: MatrixId) -> None:
    assert parse(text) == parse(matrix.text) == matrix
    assert Case.parse(Case("symbolic", "fill1", matrix.text).name).matrix == matrix.text


@given(NEW)
def test_any_other_matrix_of_the_collection_keeps_its_group_and_name(words: tuple[str, str]) -> None:
    group, name = words
    if group == "local":
        return
    matrix = parse(f"{group}/{name}")
    assert matrix == parse(f"{group}+{name}") == InCollection(f"{group}+{name}", group, name)


def test_one_file_has_one_value_however_it_is_named(tmp_path: Path) -> None:
    path = tmp_path / "m.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2.5\n")
    matrix = resolve(str(path))
    assert isinstance(matrix, LocalFile)
    assert parse(matrix.text) == resolve(matrix.text) == matrix
    assert locate(matrix).path != path


@pytest.mark.parametrize(
    "name", ["data/x.MTX", "data/x.mtx.GZ", "data/plain.txt", "data/ok.tar.gz", "memplus", "G+m"]
)
def test_a_file_of_that_name_is_meant_and_no_server_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    text = b"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2.5\n"
    (tmp_path / "data").mkdir()
    Path(name).write_bytes(gzip.compress(text) if name.endswith("GZ") else text)
    if name.lower().endswith((".mtx", ".mtx.gz")):
        matrix = resolve(name)
        assert isinstance(matrix, LocalFile) and load(matrix).matrix.toarray().tolist() == [[2.5]]
        Path(name).unlink()
        with pytest.raises(InputError, match=f"^{name}: no such file$"):
            resolve(name)
    else:
        with pytest.raises(
            InputError, match=f"^{re.escape(name)}: not an .mtx or .mtx.gz file, which alone are"
        ):
            resolve(name)


def test_a_folder_of_that_name_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "HB" / "bcspwr99").mkdir(parents=True)
    assert resolve("HB/bcspwr99") == InCollection("HB+bcspwr99", "HB", "bcspwr99")
    (tmp_path / "d.mtx").mkdir()
    with pytest.raises(InputError, match=r"^d\.mtx: a folder, no file$"):
        resolve("d.mtx")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("new\nline.mtx", "no such file"),
        ("is\nhere.mtx.gz", "cannot be read: Not a gzipped file (b'x')"),
        ("is\nhere", "not an .mtx or .mtx.gz file, which alone are read"),
    ],
)
def test_a_name_of_two_lines_is_shown_in_one(name: str, says: str, tmp_path: Path) -> None:
    for there in ("is\nhere.mtx.gz", "is\nhere"):
        (tmp_path / there).write_text("x")
    with pytest.raises(InputError) as refusal:
        local.adopt(tmp_path / name)
    assert str(refusal.value) == f"{str(tmp_path / name)!a}: {says}"


def test_errors_name_the_file_that_was_given_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("m.mtx", "new\nline\udcff/m.mtx"):
        path = Path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text("%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n")
        with pytest.raises(InputError) as refusal:
            locate(resolve(f"./{name}"))
        shown = name if name.isprintable() else ascii(name)
        assert str(refusal.value) == f"{shown}: line 2: 2 x 3 is not square"


@pytest.mark.parametrize("text", PATHS)
def test_a_path_without_a_file_is_refused_before_a_server_is_asked(
    text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(requests.Session, "request", lambda *asking, **more: asked.append(asking))
    with pytest.raises(UnknownNameError):
        parse(text)
    for words in (["fetch", text], ["run", "symbolic", "fill2_cpu", text]):
        assert commands.main(words) == 2
        assert capsys.readouterr().err.endswith((": no such file\n", ".: a folder, no file\n"))
    assert commands.main(["workflow", "prepare", "--fetch", f"{text}.natural"]) == 0 and not asked


def test_no_matrix_of_the_collection_looks_like_a_path(suitesparse: Path) -> None:
    listed = collection.parse((suitesparse / "files" / "ssstats.csv").read_bytes(), "")
    assert all(parse(f"{each.group}/{each.name}").text for each in listed)


@pytest.mark.parametrize("name", ["../../m-0123456789ab", "m", "m-0123456789ab"])
def test_no_file_outside_of_the_cache_is_a_local_one(name: str) -> None:
    with pytest.raises(InputError, match="is not in this cache"):
        locate(LocalFile(name))
