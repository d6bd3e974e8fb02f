"""Matrix Market files: what is read, and what is refused in one clear line."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fetch import matrixmarket
from fillpath.errors import InputError
from tests.thorough import daily

FIELDS = ("real", "integer", "complex", "pattern")
SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")


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
        ("coordinate real general", "2 2 2\n1 1 1\n2 2 inf\n", r"first at \(2, 2\)"),
        ("coordinate real general", "2 2 2\n1 1 1\n3 2 1\n", "not a readable"),
        ("coordinate real general", "2 2 2\n1 1 1\n0 2 1\n", "not a readable"),
        ("coordinate real general", "2 2 2\n1 1 1\n2 x 1\n", "not a readable"),
        ("coordinate real general", "2 2 3\n1 1 1.000000\n2 2 1.000000\n", "not a readable"),
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


@st.composite
def files(draw: st.DrawFn) -> tuple[str, int, list[tuple[int, int, complex]]]:
    """(field and symmetry, order, entries counted from 0): repeats and explicit zeros among them."""
    field, symmetry = draw(st.sampled_from(FIELDS)), draw(st.sampled_from(SYMMETRIES))
    field = "complex" if symmetry == "hermitian" else field
    symmetry = "symmetric" if (field, symmetry) == ("pattern", "skew-symmetric") else symmetry
    n = draw(st.integers(2, 9))
    entries = []
    for _ in range(draw(st.integers(1, 25))):
        row, column = draw(st.integers(0, n - 1)), draw(st.integers(0, n - 1))
        row, column = (row, column) if symmetry == "general" else (max(row, column), min(row, column))
        if symmetry == "skew-symmetric" and row == column:
            row, column = 1, 0
        value = complex(draw(st.integers(-3, 3)), draw(st.integers(-3, 3)))
        if symmetry == "hermitian" and row == column:
            value = complex(value.real)
        entries.append((row, column, value))
    return f"{field} {symmetry}", n, entries


def expanded(header: str, n: int, entries: list[tuple[int, int, complex]]) -> np.ndarray:
    """The definition, entry by entry. NaN: no entry."""
    field, symmetry = header.split()
    dense = np.full((n, n), np.nan, complex)
    mirrored = {"general": None, "symmetric": 1, "skew-symmetric": -1, "hermitian": 1}[symmetry]
    for row, column, given_value in entries:
        value = {"pattern": complex(1), "complex": given_value}.get(field, complex(given_value.real))
        dense[row, column] = value + np.nan_to_num(dense[row, column])
        if mirrored is not None and row != column:
            mirror = value.conjugate() if symmetry == "hermitian" else mirrored * value
            dense[column, row] = mirror + np.nan_to_num(dense[column, row])
    return dense


@given(files())
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_header_is_expanded_by_its_definition(
    tmp_path: Path, file: tuple[str, int, list[tuple[int, int, complex]]]
) -> None:
    header, n, entries = file
    shown = {
        "pattern": "{0} {1}",
        "complex": "{0} {1} {2.real} {2.imag}",
        "real": "{0} {1} {2.real}",
        "integer": "{0} {1} {2.real:.0f}",
    }[header.split()[0]]
    body = "".join(shown.format(row + 1, column + 1, value) + "\n" for row, column, value in entries)
    read = matrixmarket.read(
        write(tmp_path / "a.mtx", f"coordinate {header}", f"% a comment\n{n} {n} {len(entries)}\n{body}")
    )
    dense = expanded(header, n, entries)
    present = ~np.isnan(dense)
    matrix = read.matrix
    assert matrix.has_sorted_indices and matrix.dtype == np.float64
    assert np.array_equal(np.diff(matrix.indptr), present.sum(axis=1))
    values = np.abs(dense[present]) if header.startswith("complex") else dense[present].real
    values = np.ones(len(values)) if header.startswith("pattern") else values
    assert np.array_equal(matrix.indices, np.nonzero(present)[1])
    assert matrix.data == pytest.approx(values)
    assert read.explicit_zeros == int(np.count_nonzero(matrix.data == 0))


@pytest.mark.parametrize("count", daily([400_000, 2_000_000], 400_000))
def test_a_million_entries_take_less_than_a_second(tmp_path: Path, count: int) -> None:
    rng = np.random.default_rng(0)
    n = 300_000
    table = np.column_stack([rng.integers(1, n + 1, (count, 2)), rng.integers(1, 10**9, count)])
    body = "\n".join(f"{row} {column} {value}e-7" for row, column, value in table.tolist())
    path = write(tmp_path / "large.mtx", "coordinate real general", f"{n} {n} {count}\n{body}\n")
    start = time.perf_counter()
    read = matrixmarket.read(path)
    seconds = time.perf_counter() - start
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
