"""How the cost of row counts grows, and which sequential code is the good one. All numbers are made up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from reports.frames.cost_growth import CODES, CUDSS, FRONTS

from fillpath.record import Record, Status
from reports.frames.sequential import FILLING, SEQUENTIAL, fastest, sequential_how, sequential_over
from reports.gsofa import growth
from tests.reports_fakes import Made, case_of, made_frame, measured, texts

SIZES = (22, 40, 100)
GRIDS = tuple(Made(f"poisson3d,{m}", "", f"poisson3d:{m}", order=m**3, kind="3D grid") for m in SIZES)
CIRCUIT = Made("circuit,10000", "", "circuit:10000", order=10_000, kind="circuit")
REAL = Made("G2_circuit", "AMD", "G2_circuit", order=150_102, kind="circuit")
ALL = (*GRIDS, CIRCUIT, REAL)


def counted(code: str, matrix: Made, seconds: float, **changes: Any) -> Record:
    """A record of row counts, with as many entries of L + U as n to the power 1.5."""
    name, _, more = code.partition(".")
    n = matrix.order or 1
    record = measured(f"{name}.output=counts{'.' + more if more else ''}", seconds, matrix.id)
    prepared = {**(record.prepared or {}), "n": n, "nnz": n, "entries": n}
    whole = {"prepared": prepared, "work": {"edges": 1, "fills": round(n**1.5) - n}, **changes}
    return replace(record, **whole)


def grown(code: str, exponent: float) -> list[Record]:
    """Of one code on all grids."""
    return [counted(code, grid, 1e-9 * (grid.order or 1) ** exponent) for grid in GRIDS]


def frame_of(*records: Record) -> pd.DataFrame:
    return made_frame(growth.EXHIBIT.frame, ALL, records)


def test_the_exponents_of_a_code_are_those_of_its_seconds_and_of_the_output() -> None:
    frame = frame_of(*grown("gsofa", 1.6), *grown("etree_cpu.threads=1", 1.0), counted("gsofa", REAL, 1.0))
    by_code = frame[frame["family"] == "3D grids"].groupby("code")
    assert by_code["exponent"].first().to_dict() == pytest.approx({"gsofa": 1.6, "etree_cpu": 1.0})
    assert by_code["exponent_filled"].first().to_dict() == pytest.approx({"gsofa": 1.5, "etree_cpu": 1.5})
    (real,) = frame[frame["family"] == "real matrices"].to_dict("records")
    assert real["label"] == "G2_circuit" and pd.isna(real["exponent"]), "a circuit, but no generated one"
    grids, circuits, points = growth.EXHIBIT.picture(frame).axes
    assert {"$n^{1.60}$", "$n^{1.00}$"} <= set(texts(grids).splitlines())
    assert "entries of L + U as $n^{1.50}$" in texts(grids)
    assert "not measured" in texts(circuits) and "G2_circuit" in texts(points)


def test_the_two_paths_of_bitfronts_gpu_are_two_lines() -> None:
    frame = frame_of(*grown("bitfronts_gpu", 0.8), *grown("bitfronts_gpu.path=fronts", 1.2))
    exponents = frame.groupby("code")["exponent"].first().to_dict()
    assert exponents == pytest.approx({"bitfronts_gpu": 0.8, FRONTS: 1.2})


def test_of_cudss_the_symbolic_phase_is_drawn() -> None:
    whole = measured("gsofa", 9.0, REAL.id)
    record = replace(
        whole,
        case="solve.cudss@G2_circuit.mc64+amd",
        phases={"reordering": [5.0] * 3, "symbolic": [0.03, 0.04, 0.05]},
    )
    (row,) = frame_of(record).to_dict("records")
    assert row["code"] == CUDSS and row["median"] == pytest.approx(0.04)
    assert row["low"] <= 0.04 <= row["high"] < 0.06
    (row,) = frame_of(replace(record, phases={})).to_dict("records")
    assert row["status"] == "not_measured", "a record does not say"


def test_a_size_alone_has_no_exponent_and_what_failed_is_said() -> None:
    known = counted("etree_cpu.threads=1", CIRCUIT, 1.0)
    refused = replace(known, status=Status.UNSUPPORTED, seconds=[], work=None)
    frame = frame_of(counted("gsofa", CIRCUIT, 1.0), refused)
    assert frame["exponent"].isna().all()
    _, circuits, points = growth.EXHIBIT.picture(frame).axes
    assert "etree_cpu: unsupported on 1" in texts(circuits) and "$n" not in texts(circuits)
    assert "not measured" in texts(points)
    caption = growth.EXHIBIT.words(frame)
    missing = [code for code in CODES if code != "gsofa"]
    assert f"Not measured there: {', '.join(missing)}." in caption


def test_growth_of_nothing_is_drawn_too() -> None:
    frame = made_frame(growth.EXHIBIT.frame, ALL, (), [case_of("gsofa.output=counts", CIRCUIT.id)])
    assert growth.EXHIBIT.picture(frame).axes
    assert "Nothing of it was measured here" in growth.EXHIBIT.words(frame)


def row(seconds: float, status: str = "ok", run: str = "run-1") -> dict[str, Any]:
    return {
        "status": status, "median": seconds, "low": seconds, "high": seconds, "run_id": run, "host": None,
        "transfers": 0.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("etree", "name", "untimed", "ratio"),
    [
        (row(3.0), "etree_cpu", "", 1.5),
        (row(5.0), "fill1_pruned", "", 2.0),
        (row(3.0, "unsupported"), "fill1_pruned", "", 2.0),
        (row(3.0, "timeout"), "fill1_pruned", "etree_cpu", 2.0),
        (row(3.0, run="run-2"), "fill1_pruned", "etree_cpu", 2.0),
        (None, "fill1_pruned", "etree_cpu", 2.0),
    ],
)
def test_the_good_sequential_code_is_the_fastest_of_the_run(
    etree: dict[str, Any] | None, name: str, untimed: str, ratio: float
) -> None:
    codes = {code: row(9.0) for code in SEQUENTIAL} | {"fill1_pruned": row(4.0)}
    codes = {code: each for code, each in codes.items() if code != "etree_cpu"}
    result = sequential_over({**codes, **({"etree_cpu": etree} if etree else {})}, row(2.0))
    assert (result["sequential"], result["sequential_untimed"]) == (name, untimed)
    assert result["over_sequential"] == pytest.approx(ratio) and result["pair_sequential"] == "ok"


def test_a_peer_may_be_the_good_sequential_code() -> None:
    result = sequential_over({"fill1_pruned": row(4.0), "superlu_dist": row(3.0)}, row(2.0))
    assert result["sequential"] == "superlu_dist" and result["over_sequential"] == pytest.approx(1.5)
    assert "etree_cpu" in result["sequential_untimed"]


def test_without_a_time_there_is_no_good_sequential_code() -> None:
    result = sequential_over({"fill1_pruned": row(4.0, "timeout")}, row(2.0))
    assert result["sequential"] is None and result["over_sequential"] is None
    assert result["pair_sequential"] == "fill1_pruned timeout"
    assert sequential_over({"fill1_pruned": row(4.0)}, None)["sequential"] is None
    assert fastest({}) == ("fill1_pruned", ", ".join(SEQUENTIAL))
    assert fastest({}, FILLING) == ("fill1_pruned", ", ".join(FILLING))


def test_a_caption_says_which_code_on_how_many_and_what_has_no_time() -> None:
    frame = pd.DataFrame(
        {"sequential": ["etree_cpu", "fill1_pruned", None], "sequential_untimed": ["", "etree_cpu", ""]}
    )
    text = sequential_how(frame)
    assert "(fill1_pruned (p) on 1, etree_cpu (e) on 1; no time of etree_cpu on 1 of 2)" in text
    assert "superlu_dist (etree + symbolic)" in text and "superlu_dist" not in sequential_how(frame, FILLING)
    assert sequential_how(frame[frame["sequential"].isna()]) == ""
