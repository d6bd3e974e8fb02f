"""What cannot fit into memory is refused by its header or its name, before anything is made."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import measure
from fetch import generate, matrixmarket, names, room
from fetch.matrix_id import parse, resolve
from fetch.source import load
from fillpath.errors import MemoryBudgetError
from fillpath.paths import ROOT
from fillpath.record import Status
from tests.thorough import daily

ONE_ENTRY = "%%MatrixMarket matrix coordinate real general\n{0} {0} 1\n1 1 1.0\n"
# Prints by how many bytes the process grew. Not by ru_maxrss, which begins with what the parent had.
GROWTH = """
import re, sys
from pathlib import Path
from fetch import prepare
from fillpath.case import Preparation
def most():
    return 1024 * int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1])
before = most()
prepare.prepare(sys.argv[1], Preparation())
print(most() - before)
prepare.prepared_path(sys.argv[1], Preparation()).unlink()
"""


def available(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(room, "virtual_memory", lambda: SimpleNamespace(available=count))


def one_entry(folder: Path, order: int) -> Path:
    path = folder / "huge.mtx"
    path.write_text(ONE_ENTRY.format(order))
    return path


@pytest.mark.parametrize("order", [2 * 10**8, 2 * 10**9])
def test_a_file_is_refused_by_the_bytes_that_its_order_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: int
) -> None:
    available(monkeypatch, 80 * order - 1)
    monkeypatch.setattr("scipy.io.mmread", lambda *given: pytest.fail("it was read"))
    path = one_entry(tmp_path, order)
    with pytest.raises(MemoryBudgetError, match=rf"huge\.mtx: order {order} .*{80 * order // 10**9}\.0 GB"):
        matrixmarket.read(path)
    # Another machine may prepare it.
    assert matrixmarket.read_field(path) == "real"


def test_a_file_is_read_where_there_is_memory_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    available(monkeypatch, 80 * 10**5)
    assert matrixmarket.read(one_entry(tmp_path, 10**5)).matrix.shape == (10**5, 10**5)


@pytest.mark.parametrize(
    "name",
    ["poisson3d,600", "grid2d,30000", "fem3d,100,unknowns=10", "random,2000000000,1e-18", "road,1000000000"],
)
def test_a_generated_matrix_is_refused_by_its_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    available(monkeypatch, 24 * 10**9)
    monkeypatch.setattr(generate, "generate", lambda spec: pytest.fail("it was made"))
    with pytest.raises(MemoryBudgetError, match=r"at least .* GB .*24\.0 GB are available; choose a smaller"):
        load(parse(name))


def test_its_record_says_out_of_memory() -> None:
    """248 TB: more than any machine has."""
    record = measure("symbolic.fill1@fem3d,320,unknowns=64.natural", Limits(seconds=60, forked=True))
    assert record.status is Status.OUT_OF_MEMORY
    assert "take at least" in record.reason and "\n" not in record.reason


@pytest.mark.parametrize("matrix", daily(["one entry", "poisson3d,80", "random,500000,1e-5"], "one entry"))
def test_preparation_takes_what_is_said_and_not_twice_as_much(tmp_path: Path, matrix: str) -> None:
    if matrix == "one entry":
        matrix, counts = resolve(str(one_entry(tmp_path, 10**6))).text, (10**6, 1, 0)
    else:
        spec = names.parse(matrix)
        counts = (spec.order, spec.least_entries, spec.least_entries)
    said = room.least_bytes(*counts)
    assert said >= 80e6
    growth("grid2d,2")  # compiles, which takes 80 MB more
    assert 0.95 * said < growth(matrix) < 2 * said


def growth(matrix: str) -> int:
    """Return the bytes that a process of its own takes to prepare a matrix."""
    command = [sys.executable, "-c", GROWTH, matrix]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
    return int(done.stdout)
