"""No message advises what was already used."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.engine.advice import choices, followable
from benchmarks.engine.measure import measure
from fetch.matrix_id import resolve
from fillpath import registry
from fillpath.record import Status

SINGULAR = "the values are singular as prepared: try --matching mc64, or --matching none --diagonal 1000"
REPLACED = "x in row 3; row 1: its pivot was replaced: try refine=N, or --matching mc64"
PIVOT = "the pivot of column 3 is 0: try --matching mc64, or dtype=float64 or static_pivoting=true"
MC64, DIAGONAL = {"--matching mc64"}, {"--matching none", "--diagonal 1000"}


@pytest.mark.parametrize(
    ("reason", "used", "expected"),
    [
        (SINGULAR, MC64, "the values are singular as prepared: try --matching none --diagonal 1000"),
        (SINGULAR, DIAGONAL, "the values are singular as prepared: try --matching mc64"),
        (SINGULAR, {"--matching none", "--diagonal 0"}, SINGULAR),
        (PIVOT, MC64, "the pivot of column 3 is 0: try dtype=float64, or static_pivoting=true"),
        (PIVOT, MC64 | {"dtype=float64", "static_pivoting=true"}, "the pivot of column 3 is 0"),
        (PIVOT, {"dtype=float32", "--matching none"}, PIVOT),
        (REPLACED, MC64 | {"refine=5"}, "x in row 3; row 1: its pivot was replaced: try refine=N"),
        (REPLACED, {"refine=N"}, "x in row 3; row 1: its pivot was replaced: try --matching mc64"),
        ("crashed with SIGSEGV", MC64, "crashed with SIGSEGV"),
        ("too long: try later, or elsewhere", MC64, "too long: try later, or elsewhere"),
        ("", MC64, ""),
    ],
)
def test_advice_that_was_followed_is_left_out(reason: str, used: set[str], expected: str) -> None:
    assert followable(reason, used) == expected


def test_only_a_code_that_refines_is_told_to() -> None:
    prepared = {"matching": "mc64", "ordering": "amd", "diagonal": 0.0}
    left = [
        followable(REPLACED, choices(prepared, registry.lookup(*name), {}))
        for name in (("solve", "lu_cpu"), ("numeric", "left_looking"))
    ]
    assert [text.removeprefix("x in row 3; row 1: its pivot was replaced") for text in left] == [
        ": try refine=N", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("implementation", "preparation", "left"),
    [
        ("lu_cpu", "mc64+natural", "static_pivoting=true"),
        ("superlu", "mc64+natural", "--matching none --diagonal 1000"),
        ("superlu", "natural+diagonal=1000", "--matching mc64"),
    ],
)
def test_a_singular_matrix_is_not_sent_where_it_comes_from(
    implementation: str, preparation: str, left: str, tmp_path: Path, forked_workers: None
) -> None:
    """Explicit zeros hide that two rows are proportional: the matching is full, the values are singular."""
    dense = np.array([[2.0, 4, 0, 1], [1, 2, 0, 0.5], [0, 1, 3, 0], [1, 0, 1, 5]])
    rows = [f"{i + 1} {j + 1} {dense[i, j]}" for i in range(4) for j in range(4)]
    path = tmp_path / "masked.mtx"
    path.write_text("\n".join(["%%MatrixMarket matrix coordinate real general", "4 4 16", *rows]) + "\n")
    record = measure(f"solve.{implementation}@{resolve(str(path)).text}.{preparation}")
    assert record.status is Status.UNSUPPORTED
    assert record.reason.endswith(f": try {left}")
