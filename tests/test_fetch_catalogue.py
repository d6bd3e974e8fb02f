"""The catalogue, and the way from what a user types to a matrix."""

import csv
import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from benchmarks.runs.experiments import experiments
from fetch import catalogue, names
from fetch.matrix_id import parse, resolve
from fetch.source import load
from fillpath.case import Case
from fillpath.entry import Entry
from fillpath.errors import ConfigError, InputError, TransferError, UnknownNameError
from fillpath.paths import CONFIG, ROOT
from fillpath.registry import load_all

HELD = Path(os.environ.get("FILLPATH_MIRROR") or ROOT.parent / "shared" / "suitesparse")
needs_mirror = pytest.mark.skipif(
    not (HELD / "MM").is_dir(), reason="no mirror: set FILLPATH_MIRROR to a folder"
)
TINY = "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1.0\n1 2 0\n2 2 1.0\n"
HEADER = "id,group,name,order,nnz,nnz_with_zeros,kind,papers,lower_in,stands_for,suite,sha256,address\n"
TABLES = {
    "gsofa": ("gsofa_table1_matrices.csv",),
    "ooclu": ("ooclu_table2_matrices.csv", "ooclu_table4_large_matrices.csv"),
    "glu3": ("glu3_table1_kernel_time.csv",),
    "parac": ("parac_table1_matrices.csv",),
}


@pytest.fixture(autouse=True)
def mirror(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILLPATH_MIRROR", str(HELD))


@pytest.mark.parametrize("paper", TABLES)
def test_every_matrix_of_a_paper_is_listed_with_its_order(paper: str) -> None:
    printed: set[int] = set()
    for table in TABLES[paper]:
        with (CONFIG / "papers" / table).open(newline="") as handle:
            printed |= {int(row.get("order") or row["rows"]) for row in csv.DictReader(handle)}
    assert printed
    assert {entry.order for entry in catalogue.entries() if paper in entry.papers} == printed


@pytest.mark.parametrize("paper", TABLES)
def test_entries_are_those_that_each_paper_prints(paper: str) -> None:
    """On the paper's own terms: with explicit zeros or without, whole or the lower triangle."""
    for table in TABLES[paper]:
        with (CONFIG / "papers" / table).open(newline="") as handle:
            rows = list(csv.DictReader(handle))
        assert rows
        for row in rows:
            order = int(row.get("order") or row["rows"])
            printed = int(row.get("nnz") or row["nz"])
            listed = [e for e in catalogue.entries() if paper in e.papers and e.order == order]
            assert printed in [counted_by(entry, paper) for entry in listed], row


def counted_by(entry: Entry, paper: str) -> int | None:
    """What that paper counts as this matrix's entries: PPoPP'23 and GLU count explicit zeros, GSoFA and ParAC
    do not; some symmetric matrices are printed as their lower triangle. None: unknown."""
    entries = entry.nnz_with_zeros if paper in ("ooclu", "glu3") else entry.nnz
    if entries is None or entry.order is None or paper not in entry.lower_in:
        return entries
    return (entries + entry.order) // 2


def test_an_entry_is_found_by_each_of_its_names_and_fits_a_case() -> None:
    for entry in catalogue.entries():
        for spelling in (entry.id, entry.name, f"{entry.group}/{entry.name}" if entry.group else entry.name):
            assert catalogue.lookup(spelling) is entry
            assert resolve(spelling).text == entry.id
        case = Case("symbolic", "fill1", entry.id)
        assert Case.parse(case.name) == case


def test_every_entry_is_a_papers_stands_in_for_one_or_is_named_by_an_experiment() -> None:
    load_all()
    named = {matrix for e in experiments() if not isinstance(e.matrices, str) for matrix in e.matrices}
    for entry in catalogue.entries():
        assert entry.papers or entry.stands_for or entry.id in named, entry.id


@pytest.mark.parametrize(
    "entry",
    [entry for entry in catalogue.entries() if not entry.group and entry.suite != "papers"],
    ids=lambda entry: entry.id,
)
def test_an_entry_without_a_group_is_generated_as_listed(entry: Entry) -> None:
    loaded = load(parse(entry.id))
    assert names.parse(entry.name).name == entry.name
    assert (loaded.matrix.shape[0], loaded.entries) == (entry.order, entry.nnz)
    assert (loaded.explicit_zeros, loaded.field, len(loaded.checksum)) == (0, "real", 64)


@needs_mirror
@pytest.mark.parametrize("name", ["rajat12", "add32", "west2021", "gemat11", "fpga_dcop_01"])
def test_a_real_entry_holds_what_is_listed(name: str) -> None:
    entry, loaded = catalogue.lookup(name), load(parse(name))
    assert (loaded.matrix.shape[0], loaded.entries) == (entry.order, entry.nnz_with_zeros)
    assert loaded.entries - loaded.explicit_zeros == entry.nnz
    assert loaded.matrix.dtype == np.float64 and loaded.matrix.has_sorted_indices


@needs_mirror
def test_the_rest_of_the_collection_is_reached_by_group_and_name() -> None:
    assert resolve("HB/bcspwr01").text == resolve("HB+bcspwr01").text == "HB+bcspwr01"
    loaded = load(parse("HB+bcspwr01"))
    assert loaded.field == "pattern" and loaded.matrix.shape == (39, 39) and loaded.source == "HB/bcspwr01"
    with pytest.raises(TransferError, match="HB/bcspwr99"):
        load(parse("HB+bcspwr99"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("bcsstk81", "did you mean bcsstk18"),
        ("BCSSTK18", "did you mean bcsstk18"),
        ("poison3d:5", "did you mean poisson3d"),
        ("", "not in the catalogue"),
        ("a b", "Group/Name"),
    ],
)
def test_an_unknown_name_gets_suggestions(text: str, says: str) -> None:
    with pytest.raises(UnknownNameError, match=says):
        resolve(text)
    with pytest.raises(UnknownNameError):
        load(parse(text))


def test_generated_names_have_one_id() -> None:
    assert resolve("poisson3d:243:uniform").text == "poisson3d,243"
    assert resolve("circuit:50:symmetry=0.5:seed=2").text == "circuit,50,seed=2"
    assert catalogue.lookup("poisson3d:243:uniform").papers == ("parac",)


def test_a_matrix_that_nobody_holds_says_so() -> None:
    with pytest.raises(InputError, match="spe16m cannot be obtained"):
        load(parse("spe16m"))


@pytest.mark.parametrize("text", ["absent.mtx", "./absent", "/a/b/c", "~/absent.mtx.gz", "a/b/c"])
def test_a_path_that_is_not_there_is_named(text: str) -> None:
    with pytest.raises(InputError, match=r"absent|c: no such file"):
        resolve(text)


def test_a_file_of_ones_own_is_copied_under_its_content(tmp_path: Path) -> None:
    plain, packed = tmp_path / "my matrix,v2.mtx", tmp_path / "my matrix,v2.mtx.gz"
    plain.write_text(TINY)
    packed.write_bytes(gzip.compress(TINY.encode()))
    matrix = resolve(str(plain))
    assert matrix == resolve(str(packed)) and matrix.text.startswith("local+my-matrix-v2-")
    plain.unlink()
    loaded = load(matrix)
    assert (loaded.entries, loaded.explicit_zeros) == (3, 1)
    assert resolve(matrix.text) == matrix and matrix.text.endswith(loaded.checksum[:12])
    assert Case.parse(Case("symbolic", "fill1", matrix.text).name).matrix == matrix.text


def test_a_local_id_of_another_cache_is_explained(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="give the path"):
        resolve("local+m-0123456789ab")
    with pytest.raises(InputError, match=r"not an \.mtx"):
        resolve(str(_touch(tmp_path / "a.txt")))
    bad = tmp_path / "bad.mtx.gz"
    bad.write_bytes(b"no gzip")
    with pytest.raises(InputError, match="cannot be read"):
        resolve(str(bad))


def _touch(path: Path) -> Path:
    path.write_text("")
    return path


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("a,G,a,x,1,1,circuit,,,,small,,", r":2: \$\.order"),
        ("a,G,a,0,1,1,circuit,,,,small,,", r":2: \$\.order"),
        ("a,G,a,1,1,1,circuit,nobody,,,small,,", r":2: no paper .nobody."),
        ("a,G,a,1,1,1,circuit,,,,huge,,", r":2: \$\.suite"),
        ("a,G,a,1,1,1,circuit,,,,small,,,more", r":2: .*surplus"),
        ("a,G,a,1,1,1,circuit", r":2: "),
        ("a,G,a,1,1,1,circuit,,,b,small,,", r":2: stands_for 'b'"),
        ("a,G,a,1,1,1,circuit,,,,small,,\na,G,b,1,1,1,circuit,,,,small,,", r":3: id 'a' is on line 2"),
        (
            "a,G,a,1,1,1,circuit,,,,small,,https://host/{}.dat",
            r":2: \$\.sha256",
        ),
        (f"a,G,a,1,1,1,circuit,,,,small,{'0' * 64},https://host/x.dat", r":2: \$\.address"),
    ],
)
def test_a_wrong_row_is_named_by_its_line(tmp_path: Path, row: str, says: str) -> None:
    path = tmp_path / "matrices.csv"
    path.write_text(HEADER + row + "\n")
    with pytest.raises((ConfigError, UnknownNameError), match=says):
        catalogue.entries(path)
