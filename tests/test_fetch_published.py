"""Matrices that a paper's authors published as text files."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from benchmarks.engine.measure import measure
from benchmarks.runs.cases import figure_cases
from fetch import catalogue, download, published, suitesparse
from fetch.matrix_id import parse
from fetch.source import load
from fillpath import paths
from fillpath.entry import Entry
from fillpath.errors import TransferError
from fillpath.record import Status
from fillpath.settings import Settings
from tests.misbehaving import Site, cut, serving

NAME = "bcsstk18_as_run"


def files_of(pattern: sp.csc_matrix, order: np.ndarray) -> dict[str, bytes]:
    """Write a pattern as the authors do, its columns stored in any order."""
    lengths = np.diff(pattern.indptr)
    begin = np.empty(len(order), int)
    begin[order] = np.cumsum(lengths[order]) - lengths[order]
    rows = [pattern.indices[pattern.indptr[j] : pattern.indptr[j + 1]] for j in order]
    csr = np.concatenate([[pattern.nnz, len(order)], *rows])
    texts = {"colbeg": begin, "colend": begin + lengths, "csr": csr}
    return {name: " ".join(map(str, numbers)).encode() + b" " for name, numbers in texts.items()}


def listed(files: dict[str, bytes], address: str) -> Entry:
    """Return the row of the catalogue, with the checksum and the address of these files."""
    sha256 = hashlib.sha256(b"".join(files[name] for name in published.FILES)).hexdigest()
    return replace(catalogue.lookup(NAME), sha256=sha256, address=address)


@pytest.fixture
def files() -> dict[str, bytes]:
    pattern = sp.random(30, 30, 0.1, "csc", rng=0) + sp.eye(30, format="csc")
    return files_of(pattern.tocsc(), np.random.default_rng(0).permutation(30))


@pytest.fixture
def site(files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server that holds the files, named by the catalogue."""
    monkeypatch.setattr(download, "BACKOFF", 0.0)
    monkeypatch.delenv("FILLPATH_MIRROR", raising=False)
    with serving() as served:
        served.files |= {f"/{name}.dat": content for name, content in files.items()}
        entry = listed(files, f"{served.url}/{{}}.dat")
        monkeypatch.setattr(catalogue, "find", lambda text: entry)
        yield served


@pytest.mark.parametrize("seed", range(5))
def test_the_pattern_is_that_of_the_files(tmp_path: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    pattern = (sp.random(40, 40, 0.1, "csc", rng=random) + sp.eye(40)).tocsc()
    files = files_of(pattern, random.permutation(40))
    for name, content in files.items():
        (tmp_path / f"{name}.dat").write_bytes(content)
    entry = listed(files, str(tmp_path / "{}.dat"))
    _, _, size = published.write(tmp_path / "m.mtx", published.wanted(entry), entry.sha256)
    assert size == sum(map(len, files.values()))
    assert (scipy.io.mmread(tmp_path / "m.mtx").tocsc() != (pattern != 0)).nnz == 0


def test_a_matrix_is_fetched_once_and_read(site: Site) -> None:
    assert load(parse(NAME)).matrix.shape == (30, 30)
    assert len(site.requests) == 3
    assert suitesparse.fetch("gSoFa", NAME).how == "reused" and len(site.requests) == 3


def test_other_files_are_refused_and_nothing_is_kept(site: Site, files: dict[str, bytes]) -> None:
    site.files["/csr.dat"] = files["csr"][:-2] + b"0 "
    with pytest.raises(TransferError, match=r"is not the expected .*not kept"):
        suitesparse.fetch("gSoFa", NAME, catalogue.find(NAME).sha256)
    assert suitesparse.cached("gSoFa", NAME) is None
    folder = paths.cache() / "matrices" / "gSoFa" / NAME
    assert [path.name for path in folder.iterdir()] == ["failed.json"]
    with pytest.raises(TransferError, match="not tried again"):
        suitesparse.fetch("gSoFa", NAME, catalogue.find(NAME).sha256)


def test_an_interrupted_file_is_resumed(site: Site) -> None:
    site.script = [cut(10)]
    assert suitesparse.fetch("gSoFa", NAME, catalogue.find(NAME).sha256).how == "downloaded"
    assert site.ranges == [None, "bytes=10-", None, None] and suitesparse.cached("gSoFa", NAME)


def test_files_that_arrived_whole_arrive_once(site: Site, files: dict[str, bytes]) -> None:
    csr = site.files.pop("/csr.dat")
    with pytest.raises(TransferError, match="HTTP 404"):
        suitesparse.fetch("gSoFa", NAME, catalogue.find(NAME).sha256)
    site.files["/csr.dat"] = csr
    suitesparse.forget_failure("gSoFa", NAME)
    got = suitesparse.fetch("gSoFa", NAME, catalogue.find(NAME).sha256)
    assert [request.path for request in site.requests] == ["/colbeg.dat", "/colend.dat", *["/csr.dat"] * 2]
    assert got.arrived == len(csr) and load(parse(NAME)).matrix.shape == (30, 30)
    assert sorted(path.name for path in got.path.parent.iterdir()) == [f"{NAME}.mtx", "receipt.json"]


def test_no_server_is_asked_offline(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TransferError, match="offline"):
        suitesparse.fetch("gSoFa", NAME, offline=True)
    assert site.requests == []


def test_a_mirrors_folder_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILLPATH_MIRROR", str(tmp_path))
    entry = catalogue.lookup(NAME)
    assert published.wanted(entry).location == entry.address
    here = tmp_path / "gSoFa" / "colbeg_11948.dat"
    here.parent.mkdir()
    here.touch()
    assert published.wanted(entry).location == str(here.with_name("{}_11948.dat"))


def test_its_cases_are_in_the_order_of_its_authors() -> None:
    cases = figure_cases("gsofa", "fig10", Settings(suite="small"))
    orders = {case.preparation.name for case in cases if case.matrix == NAME}
    assert orders == {"natural"} and {c.preparation.name for c in cases if c.matrix != NAME} == {"metis"}


def test_a_case_whose_files_cannot_be_had_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILLPATH_OFFLINE", "1")
    monkeypatch.delenv("FILLPATH_MIRROR", raising=False)
    record = measure(f"symbolic.fill1_pruned@{NAME}.natural")
    assert record.status is Status.NOT_RUN and record.reason.startswith("offline: gSoFa/")
    assert not record.conclusive
