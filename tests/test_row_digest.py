"""The digest of a filled pattern: the same from the host and from the device, of what is no pattern too."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.checks import rows
from benchmarks.checks.rows import Digest, has_shape, verify_symbolic
from benchmarks.engine import device_digest
from benchmarks.engine.benchmark import Context
from fetch.prepare import prepare
from fillpath import registry
from fillpath.case import Preparation
from fillpath.nouns import Array, Filled, Pattern, Reference
from impl.cuda import transfer
from impl.symbolic.fill1 import fill1
from tests.cuda_on_cpu import cuda_on_cpu, machine
from tests.verdicts import verdict_on

__all__ = ["cuda_on_cpu"]

N = 70


@pytest.fixture(params=["on_cpu", pytest.param("on_gpu", marks=pytest.mark.gpu)])
def device(request: pytest.FixtureRequest) -> str:
    """Each test runs on a GPU where there is one, and without one everywhere."""
    if request.param == "on_cpu":
        request.getfixturevalue("cuda_on_cpu")
    return str(request.param)


def filled_of(lengths: Array, seed: int) -> Filled:
    """Rows with so many columns at random places, U beginning anywhere."""
    rng, n = np.random.default_rng(seed), len(lengths)
    columns = [np.sort(rng.choice(n, length, replace=False)) for length in lengths]
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    pattern = Pattern(indptr, np.concatenate(columns).astype(np.int32))
    return Filled(pattern, indptr[:-1] + rng.integers(0, lengths))


def any_filled(seed: int = 0) -> Filled:
    return filled_of(np.random.default_rng(seed).integers(1, 40, N), seed)


def same_digest(filled: Filled) -> Digest:
    """The host's digest of it, which the device's has to equal."""
    there = transfer.on_device(filled)
    assert has_shape(filled, len(filled.upper_start))
    assert device_digest.can_digest(there, len(filled.upper_start))
    expected, digest = rows.digest(filled), transfer.on_host(device_digest.digest(there))
    for one, other in ((digest.counts.lower, expected.counts.lower), (digest.hashes, expected.hashes),
                       (digest.counts.upper, expected.counts.upper)):  # fmt: skip
        assert isinstance(one, np.ndarray) and one.dtype == other.dtype and np.array_equal(one, other)
    return expected


def malformed(digest: Digest) -> list[int]:
    nothing = (digest.counts.lower == 0) & (digest.counts.upper == 0) & (digest.hashes == 0)
    return np.flatnonzero(nothing).tolist()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(st.lists(st.integers(1, 90), min_size=90, max_size=300), st.integers(0, 2**32 - 1))
def test_the_device_gives_the_hosts_digest(device: str, lengths: list[int], seed: int) -> None:
    assert malformed(same_digest(filled_of(np.array(lengths), seed))) == []


def test_rows_of_one_entry_stand_beside_one_of_5000(device: str) -> None:
    lengths = np.ones(5000, np.int64)
    lengths[[17, 4999]], lengths[40:50] = 5000, 333
    assert malformed(same_digest(filled_of(lengths, 3))) == []


def test_the_digest_is_the_same_in_any_order_of_threads(cuda_on_cpu: Any) -> None:
    for seed in range(5):
        with machine(seed=seed):
            same_digest(any_filled())


@pytest.mark.gpu
def test_a_hundred_million_entries_have_the_hosts_digest() -> None:
    rng, n = np.random.default_rng(5), 20_000
    lengths = np.sort(rng.integers(1, 10_000, n))
    ends = np.cumsum(lengths)
    columns = np.arange(ends[-1]) - np.repeat(ends - lengths, lengths)
    indptr = np.concatenate([[0], ends]).astype(np.int64)
    assert malformed(same_digest(Filled(Pattern(indptr, columns.astype(np.int32)), indptr[:-1]))) == []


def in_columns(change: Callable[[Array, int, int], None]) -> Callable[[Array, Array, Array], None]:
    """A change of the columns of row 33, whose place is given."""
    return lambda indptr, indices, above: change(indices, int(indptr[33]), int(indptr[34]))


def unsorted(indices: Array, start: int, end: int) -> None:
    indices[[end - 2, end - 1]] = indices[[end - 1, end - 2]]


def repeated(indices: Array, start: int, end: int) -> None:
    indices[end - 1] = indices[end - 2]


def negative(indices: Array, start: int, end: int) -> None:
    indices[start] = -1


def too_large(indices: Array, start: int, end: int) -> None:
    indices[end - 1] = N


def in_upper(place: Callable[[Array], int]) -> Callable[[Array, Array, Array], None]:
    """Row 33's part of U begins there, given its row pointers."""

    def change(indptr: Array, indices: Array, above: Array) -> None:
        above[33] = place(indptr)

    return change


def in_pointers(row: int, value: int) -> Callable[[Array, Array, Array], None]:
    """A row pointer is off by the value."""

    def change(indptr: Array, indices: Array, above: Array) -> None:
        indptr[row] += value

    return change


@pytest.mark.parametrize(
    ("change", "at_least"),
    [
        *((in_columns(change), [33]) for change in (unsorted, repeated, negative, too_large)),
        (in_upper(lambda indptr: indptr[33] - 1), [33]),
        (in_upper(lambda indptr: indptr[34]), [33]),
        (in_upper(lambda indptr: -(2**63)), [33]),
        (in_upper(lambda indptr: 2**63 - 1), [33]),
        (in_pointers(33, -(2**40)), [32, 33]),
        (in_pointers(33, 2**40), [32, 33]),
        (in_pointers(33, 100), [33]),
        (in_pointers(0, 1), [0]),
        (in_pointers(0, -(2**62)), [0]),
        (in_pointers(N, 1), [N - 1]),
        (in_pointers(N, -1), [N - 1]),
        (in_pointers(N, 2**62), [N - 1]),
    ],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_row_that_cannot_be_is_malformed_and_nothing_outside_is_read(
    device: str, change: Callable[[Array, Array, Array], None], at_least: list[int], seed: int
) -> None:
    right = filled_of(np.random.default_rng(seed).integers(3, 40, N), seed)
    expected = rows.digest(right)
    arrays = right.pattern.indptr.copy(), right.pattern.indices.copy(), right.upper_start.copy()
    change(*arrays)
    wrong = Filled(Pattern(*arrays[:2]), arrays[2])
    assert set(at_least) <= set(malformed(same_digest(wrong)))
    verdict = verify_symbolic(wrong, Reference(expected.counts, expected.hashes, "", ""))
    assert verdict.value >= len(at_least) and not verdict.passes


@pytest.fixture
def context() -> Context:
    prepared = prepare("circuit,60", Preparation("none", "natural"))
    digest = rows.digest(fill1(prepared.pattern)[0])
    reference = Reference(digest.counts, digest.hashes, "maker", "checker")
    return Context(prepared, reference, registry.lookup("symbolic", "fill1"), {})


def verdict_on_device(result: Filled, context: Context) -> tuple[float, list[Any]]:
    """Rows that differ, and what was fetched as a whole."""
    fetched: list[Any] = []

    def fetch(noun: Any) -> Any:
        fetched.append(noun)
        return transfer.on_host(noun)

    return verdict_on("symbolic", transfer.on_device(result), context, fetch).value, fetched


def test_a_result_on_the_device_is_verified_there(device: str, context: Context) -> None:
    right, _ = fill1(context.prepared.pattern)
    assert verdict_on_device(right, context) == (0.0, [])
    indices, indptr = right.pattern.indices.copy(), right.pattern.indptr
    last = indptr[1:] - 1
    row = int(np.flatnonzero((indices[last] < len(last) - 1) & (last > right.upper_start))[0])
    indices[last[row]] += 1
    wrong = Filled(Pattern(indptr, indices), right.upper_start)
    assert verdict_on_device(wrong, context) == (1.0, [])
    shifted = Filled(right.pattern, right.upper_start.copy())
    shifted.upper_start[row] += 1
    assert verdict_on_device(shifted, context) == (1.0, [])


@pytest.mark.parametrize(
    "misshape",
    [
        lambda f: Filled(Pattern(f.pattern.indptr.astype(np.int32), f.pattern.indices), f.upper_start),
        lambda f: Filled(Pattern(f.pattern.indptr, f.pattern.indices.astype(np.int64)), f.upper_start),
        lambda f: Filled(f.pattern, f.upper_start[:-1]),
        lambda f: Filled(Pattern(f.pattern.indptr[:-1], f.pattern.indices), f.upper_start[:-1]),
        lambda f: Filled(Pattern(f.pattern.indptr, f.pattern.indices[None]), f.upper_start),
        lambda f: Filled(f.pattern, f.upper_start.astype(np.float64)),
        lambda f: f.pattern,
    ],
)
def test_what_has_other_dtypes_or_shapes_is_wrong_in_all_rows(
    device: str, context: Context, misshape: Callable[[Filled], Any]
) -> None:
    result = misshape(fill1(context.prepared.pattern)[0])
    value, fetched = verdict_on_device(result, context)
    assert value == context.prepared.pattern.n and len(fetched) == 1
    assert verdict_on("symbolic", result, context).value == value


def test_an_implementations_own_digest_is_wrong_in_all_rows(context: Context) -> None:
    assert context.reference is not None
    forged = Digest(context.reference.counts, context.reference.row_hashes)
    assert verify_symbolic(forged, context.reference).passes, "as the gate would make it"
    assert verdict_on("symbolic", forged, context).value == context.prepared.pattern.n
