"""GSoFA's source schedules: every source once, whole chunks, balance, and the paper's example."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fillpath.errors import InputError
from impl.symbolic.gsofa_schedule import PUBLISHED_WORDS, Schedule, schedule

ORDERS = ("contiguous", "inter_node", "intra_node")
# Of the paper's largest matrices: the order of pre2 (PR).
PRE2 = 659_033


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    """Also with more GPUs than chunks, and with numbers that are no power of two."""
    return Schedule(
        n=draw(st.integers(0, 700)),
        nodes=draw(st.integers(1, 9)),
        gpus=draw(st.integers(1, 9)),
        maxsup=draw(st.sampled_from([1, 3, 16, 64, 128])),
        order=draw(st.sampled_from(ORDERS)),
        concurrent=draw(st.integers(1, 600)),
    )


@given(schedules())
def test_every_source_is_taken_exactly_once_and_large_ones_first(plan: Schedule) -> None:
    parts = [plan.part(worker) for worker in range(plan.workers)]
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(plan.n))
    assert all((np.diff(part) < 0).all() for part in parts)
    workers = plan.worker_of()
    assert all((workers[part] == worker).all() for worker, part in enumerate(parts))


@given(schedules())
def test_a_chunk_never_crosses_a_node_and_its_own_node_finds_its_supernodes(plan: Schedule) -> None:
    nodes = plan.worker_of() // plan.gpus
    detectors = plan.detector_of()
    for chunk in range(plan.chunks):
        own = set(nodes[chunk * plan.maxsup : (chunk + 1) * plan.maxsup])
        assert own == {detectors[chunk] // plan.gpus}


@given(schedules())
def test_chunks_stay_whole_unless_rows_go_round_the_gpus(plan: Schedule) -> None:
    workers = plan.worker_of()
    for chunk in range(plan.chunks):
        own = workers[chunk * plan.maxsup : (chunk + 1) * plan.maxsup]
        if plan.order == "intra_node":
            counts = np.bincount(own % plan.gpus, minlength=plan.gpus)
            assert counts.max() - counts.min() <= 1
        else:
            assert len(set(own)) == 1


@given(schedules())
def test_a_contiguous_workers_sources_are_consecutive(plan: Schedule) -> None:
    blocks = replace(plan, order="contiguous")
    for part in map(blocks.part, range(plan.workers)):
        assert len(part) == 0 or part[0] - part[-1] == len(part) - 1


@given(schedules(), st.integers(0, 2**32 - 1))
def test_the_imbalance_is_the_largest_over_the_mean(plan: Schedule, seed: int) -> None:
    work = np.random.default_rng(seed).integers(0, 100, plan.n)
    loads = [int(work[part].sum()) for part in map(plan.part, range(plan.workers))]
    expected = max(loads) / (sum(loads) / len(loads)) if any(loads) else 1.0
    assert plan.imbalance(work) == pytest.approx(expected)


def test_the_papers_example_has_48_chunks_of_a_node_at_a_time() -> None:
    plan = schedule(PRE2, nodes=1, gpus=6, maxsup=128, order="intra_node")
    assert (plan.concurrent, plan.concurrent * plan.gpus, plan.chunks_at_a_time) == (1024, 6144, 48)
    assert plan.concurrent <= PUBLISHED_WORDS // PRE2 < 2 * plan.concurrent


@pytest.mark.parametrize("gpus", [2, 4, 6, 8])
def test_work_that_grows_with_the_row_is_balanced_by_intra_node_alone(gpus: int) -> None:
    """As in the paper's Figure 4: the last rows have most of the work."""
    plan = schedule(20_000, 1, gpus, 128, "intra_node")
    work = np.arange(plan.n, dtype=float) ** 3
    assert plan.imbalance(work) < 1.02
    assert replace(plan, order="contiguous").imbalance(work) > 1.8
    across = replace(plan, nodes=gpus, gpus=1, order="inter_node")
    assert across.imbalance(work) < replace(across, order="contiguous").imbalance(work) / 1.7


@pytest.mark.parametrize("wrong", [{"nodes": 0}, {"gpus": 0}, {"maxsup": 0}])
def test_less_than_one_of_anything_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="expected 1 or more"):
        schedule(**{"n": 10, "nodes": 1, "gpus": 1, "maxsup": 64, "order": "contiguous", **wrong})
