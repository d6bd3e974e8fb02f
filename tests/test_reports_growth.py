"""How the cost of row counts grows. All numbers are made up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from fillpath.record import Record, Status
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
    work = {"edges": 1, "fills": round(n**1.5) - n}
    return replace(record, **{"prepared": prepared, "work": work, **changes})


def grown(code: str, exponent: float) -> list[Record]:
    """Of one code on all grids."""
    return [counted(code, grid, 1e-9 * (grid.order or 1) ** exponent) for grid in GRIDS]


def frame_of(*records: Record) -> pd.DataFrame:
    return made_frame(growth.EXHIBIT.frame, ALL, records)


def test_the_exponents_of_a_code_are_those_of_its_seconds_and_of_the_output() -> None:
    by_fronts, by_tree = grown("bitfronts_gpu.path=fronts", 1.2), grown("etree_cpu.threads=1", 1.0)
    frame = frame_of(*grown("bitfronts_gpu", 1.6), *by_fronts, *by_tree, counted("gsofa", REAL, 1.0))
    lines = frame[frame["family"] == "3D grids"].groupby("code")
    exponents = {"bitfronts_gpu": 1.6, growth.FRONTS: 1.2, "etree_cpu": 1.0}
    assert lines["exponent"].first().to_dict() == pytest.approx(exponents)
    assert lines["exponent_filled"].first().to_dict() == pytest.approx(dict.fromkeys(exponents, 1.5))
    (real,) = frame[frame["family"] == "real matrices"].to_dict("records")
    assert real["label"] == "G2_circuit" and pd.isna(real["exponent"]), "a circuit, but no generated one"
    grids, circuits, points = growth.EXHIBIT.picture(frame).axes
    drawn = texts(grids).splitlines()
    assert {"$n^{1.60}$", "$n^{1.00}$", "3D grids: entries of L + U as $n^{1.50}$"} <= set(drawn)
    assert "not measured" in texts(circuits) and "G2_circuit" in texts(points)


@pytest.mark.parametrize(
    ("symbolic", "status", "median"), [([0.03, 0.04, 0.05], "ok", 0.04), ([], "not_measured", None)]
)
def test_of_cudss_the_symbolic_phase_is_drawn(symbolic: list[float], status: str, median: Any) -> None:
    phases = {"reordering": [5.0] * 3, "symbolic": symbolic}
    record = replace(measured("gsofa", 9.0), case="solve.cudss@G2_circuit.mc64+amd", phases=phases)
    (row,) = frame_of(record).to_dict("records")
    assert (row["code"], row["status"]) == (growth.CUDSS, status)
    assert median is None or (row["median"] == pytest.approx(median) and row["low"] <= median <= row["high"])


def test_a_size_alone_has_no_exponent_and_what_failed_is_said() -> None:
    known = counted("etree_cpu.threads=1", CIRCUIT, 1.0)
    refused = replace(known, status=Status.UNSUPPORTED, seconds=[], work=None)
    frame = frame_of(counted("gsofa", CIRCUIT, 1.0), refused)
    assert frame["exponent"].isna().all()
    _, circuits, points = growth.EXHIBIT.picture(frame).axes
    assert "etree_cpu: unsupported on 1" in texts(circuits) and "$n" not in texts(circuits)
    assert "not measured" in texts(points)
    missing = [code for code in growth.CODES if code != "gsofa"]
    assert f"Not measured there: {', '.join(missing)}." in growth.EXHIBIT.words(frame)


def test_growth_of_nothing_is_drawn_too() -> None:
    frame = made_frame(growth.EXHIBIT.frame, ALL, (), [case_of("gsofa.output=counts", CIRCUIT.id)])
    assert growth.EXHIBIT.picture(frame).axes and "Not measured there" not in growth.EXHIBIT.words(frame)
