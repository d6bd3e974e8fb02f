"""Matrix Market files: what is read, and what is refused in one clear line."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from fetch import matrixmarket
from fillpath.errors import InputError
from tests.thorough import daily


def write(path: Path, header: str, body: str) -> Path:
    path.write_text(f"%%MatrixMarket matrix {header}\n{body}")
    return path


@pytest.mark.parametrize(
    ("header", "body", "dense"),
    [
        ("coordinate real general", "2 2 3\n1 1 2\n1 2 3\n2 2 4\n", [[2, 3], [0, 4]]),
        ("coordinate integer symmetric", "2 2 2\n1 1 2\n2 1 3\n", [[2, 3], [3, 0]]),
        ("coordinate real skew-symmetric", "2 2 1\n2 1 3\n", [[0, -3], [3, 0]]),
        ("coordinate real general", "2 2 3\n1 1 2\n1 1 3\n2 2 1\n", [[5, 0], [0, 1]]),
        ("coordinate pattern general", "2 2 2\n1 1\n2 1\n", [[1, 0], [1, 0]]),
    ],
    ids=["general", "symmetric", "skew", "duplicates", "pattern"],
)
def test_reads(tmp_path: Path, header: str, body: str, dense: list[list[float]]) -> None:
    read = matrixmarket.read(write(tmp_path / "a.mtx", header, body))
    assert read.matrix.toarray().tolist() == dense
    assert read.field == header.split()[1]


def test_keeps_and_counts_explicit_zeros(tmp_path: Path) -> None:
    read = matrixmarket.read(
        write(tmp_path / "a.mtx", "coordinate real symmetric", "2 2 3\n1 1 1\n2 1 0\n2 2 1\n")
    )
    assert (read.matrix.nnz, read.explicit_zeros) == (4, 2)


@pytest.mark.parametrize(
    ("header", "body", "says"),
    [
        ("coordinate real general", "2 3 1\n1 1 2\n", "2 x 3 is not square"),
        ("coordinate real general", "2 2 0\n", "empty"),
        ("coordinate real general", "0 0 0\n", "empty"),
        ("coordinate real general", "2 2 2\n1 1 nan\n2 2 1\n", "NaN"),
        ("coordinate real general", "2 2 2\n1 1 1\n2 2 inf\n", "line 4: 'inf': NaN or infinite"),
        ("coordinate real general", "2 2 2\n1 1 1\n3 2 1\n", "line 4: '3': no row from 1 to 2"),
        ("coordinate real general", "2 2 2\n1 1 1\n0 2 1\n", "line 4: '0': no row from 1 to 2"),
        ("coordinate real general", "2 2 2\n1 1 1\n2 x 1\n", "line 4: 'x': no column from 1 to 2"),
        ("coordinate real general", "2 2 3\n1 1 1.000000\n2 2 1.000000\n", "line 4: truncated"),
        ("coordinate real general", "2 2 999999999999\n1 1 1\n", "truncated"),
        ("coordinate real general", "3000000000 3000000000 1\n1 1 1\n", "int32"),
        ("coordinate complex general", "1 1 1\n1 1 1 nan\n", "NaN"),
        ("array real general", "1 1\n1\n", "dense"),
        ("coordinate real general", "", "header"),
        ("nonsense", "", "header"),
    ],
)
def test_refuses_and_names_the_file(tmp_path: Path, header: str, body: str, says: str) -> None:
    path = write(tmp_path / "wrong.mtx", header, body)
    with pytest.raises(InputError, match=rf"wrong\.mtx: .*{says}"):
        matrixmarket.read(path)


@pytest.mark.parametrize("count", daily([200_000, 2_000_000], 200_000))
def test_a_million_entries_take_less_than_a_second(tmp_path: Path, count: int) -> None:
    rng = np.random.default_rng(0)
    n = 300_000
    table = np.column_stack([rng.integers(1, n + 1, (count, 2)), rng.integers(1, 10**9, count)])
    body = "\n".join(f"{row} {column} {value}e-7" for row, column, value in table.tolist())
    path = write(tmp_path / "large.mtx", "coordinate real general", f"{n} {n} {count}\n{body}\n")
    matrixmarket.read(write(tmp_path / "small.mtx", "coordinate real general", "1 1 1\n1 1 1\n"))  # compiles
    start = time.process_time()
    read = matrixmarket.read(path)
    seconds = time.process_time() - start
    assert read.matrix.data.sum() == pytest.approx(table[:, 2].sum() * 1e-7)
    assert seconds < count / 1e6, f"{seconds:.2f} s"


@pytest.mark.parametrize("data", [b"", b"\x00\xff" * 50, b"%%MatrixMarket", b"1 1 1\n1 1 1\n"])
def test_refuses_what_is_no_matrix_market_file(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "wrong.mtx"
    path.write_bytes(data)
    with pytest.raises(InputError, match="wrong"):
        matrixmarket.read(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="absent"):
        matrixmarket.read(tmp_path / "absent.mtx")
