"""Memory of the sequential and parallel symbolic factorisations, as their records tell it."""

import pytest

from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import measure
from benchmarks.engine.reference import reference
from fetch.prepare import prepare
from fillpath.case import Case, Preparation
from fillpath.record import Status
from tests.thorough import daily

# Its arrays are large enough that the C library returns each at once.
MATRIX = "poisson3d,32"
METIS = Preparation("none", "metis")


@pytest.mark.usefixtures("shared_cache")
@pytest.mark.parametrize(
    ("name", "threads"),
    [
        ("etree_cpu", 1),
        *daily(
            [
                ("fill1", 1),
                ("fill1_pruned", 1),
                ("fill1_supernodal", 1),
                ("gilbert_peierls", 1),
                ("fill2_cpu", 1),
                ("fill2_cpu", 2),
                ("bitfronts_cpu", 1),
                ("bitfronts_cpu", 2),
            ]
        ),
    ],
)
def test_peak_memory_is_within_twice_the_output(name: str, threads: int) -> None:
    """4 bytes an entry of F and 16 a row; gsofa_cpu, whose pool is as large as it is told, is not meant."""
    prepared = prepare(MATRIX, METIS)
    reference(prepared)
    record = measure(Case("symbolic", name, MATRIX, METIS, threads=threads), Limits(seconds=120, samples=1))
    assert record.status is Status.OK, record.reason
    entries = prepared.pattern.nnz + record.work["fills"]
    output = 4 * entries + 16 * 32**3
    assert output > 40e6
    assert record.peak_memory is not None
    # The result itself is in the peak: a count far below it would measure nothing.
    assert 0.8 * output < record.peak_memory <= 2 * output
