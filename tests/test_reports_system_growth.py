"""How linear systems grow with the matrix, by phase. All numbers are made up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from reports.frames.system_growth import (
    CODES,
    CUDSS,
    FACTOR,
    FIRST,
    HOST,
    KEPT,
    NUMERIC,
    RATE,
    RAW,
    TRIANGULAR,
    WHOLE,
)

from fillpath.case import Case
from fillpath.record import Record, Status
from reports.frames import system_growth
from reports.glu3 import growth
from reports.hardware.roofline import Roof
from tests.reports_fakes import Made, made_frame, made_record, texts

SIDES = (100, 316, 1000)
GRIDS = tuple(Made(f"grid2d,{m}", "", f"grid2d:{m}", order=m**2, kind="2D grid") for m in SIDES)
REAL = Made("G2_circuit", "AMD", "G2_circuit", order=150_102, kind="circuit")
ALL = (*GRIDS, REAL)


def timed(name: str, matrix: Made, seconds: float, phases: dict[str, float], **changes: Any) -> Record:
    """A record of three samples around the median, of all phases alike, with 2e9 operations."""
    prepared = "mc64+amd" if matrix is REAL else "metis"
    record = made_record(Case.parse(f"{name}@{matrix.id}.{prepared}"), 1)
    held = {phase: [each * factor for factor in (0.9, 1.0, 1.2)] for phase, each in phases.items()}
    order = {**(record.prepared or {}), "n": matrix.order}
    whole = {
        "status": Status.OK,
        "machine": "h200",
        "prepared": order,
        "parts": {**record.parts, "stage": name.partition(".")[0]},
        "seconds": [seconds * factor for factor in (0.9, 1.0, 1.2)],
        "phases": held | {"to_device": [0.0], "to_host": [0.0]},
        "work": {"edges": None, "fills": None, "facts": {"flops": 2e9}},
    }
    return replace(record, **{**whole, **changes})


def grown(name: str, exponent: float) -> list[Record]:
    """Of one code on all grids; its phases grow with n to powers that are half and a quarter larger."""
    records = []
    for grid in GRIDS:
        n = float(grid.order or 1)
        phases = {"numeric": 1e-9 * n ** (exponent + 0.5), "triangular": 1e-9 * n ** (exponent + 0.25)}
        records.append(timed(name, grid, 1e-6 * n**exponent, phases))
    return records


def frame_of(*records: Record) -> pd.DataFrame:
    return made_frame(growth.EXHIBIT.frame, ALL, records)


@pytest.fixture
def ceilings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU of 60 TFLOP/s, and a host of 500 GFLOP/s."""
    roofs = [
        Roof("h200", kind, kind, cards, copy=1e12, flops=flops, link=None, faults=None, peer=None)
        for kind, cards, flops in (("host", 0, 5e11), ("gpu", 1, 6e13))
    ]
    monkeypatch.setattr(system_growth, "roofs", lambda machine: roofs)


def test_each_span_has_its_seconds_and_their_exponent() -> None:
    prepared = grown("preparation.prepare", 0.5)
    frame = frame_of(*grown("solve.direct_gpu", 0.5), *grown("solve.cudss", 1.0), *prepared)
    exponents = frame.groupby(["code", "span"])["exponent"].first()
    assert exponents[FIRST].to_dict() == pytest.approx(
        {RAW: 0.5, WHOLE: 0.5, NUMERIC: 1.0, TRIANGULAR: 0.75, RATE: -1.0}
    )
    assert exponents[CUDSS].to_dict() == pytest.approx({RAW: 1.0, WHOLE: 1.0, NUMERIC: 1.5, TRIANGULAR: 1.25})


def test_a_rate_is_operations_over_the_phase_and_its_ends_are_the_other_ends() -> None:
    frame = frame_of(timed("solve.direct_gpu", REAL, 1.0, {"numeric": 0.5, "triangular": 0.1}))
    row = frame[frame["span"] == RATE].iloc[0]
    assert row["median"] == pytest.approx(4.0) and row["flops"] == 2e9
    assert row["low"] < 4.0 < row["high"] <= 2.0 / 0.45 + 1e-9
    assert row["family"] == "real matrices" and pd.isna(row["exponent"])


def test_of_a_factorisation_alone_the_seconds_are_its_whole() -> None:
    """In the stage `numeric` a record's seconds are those of L and U."""
    frame = frame_of(
        timed("numeric.multifrontal_gpu", REAL, 0.25, {}), timed("numeric.multifrontal_cpu", REAL, 2.0, {})
    )
    spans = frame.groupby("code")["span"].agg(set).to_dict()
    assert spans == {FACTOR: {NUMERIC, RATE}, HOST: {NUMERIC, RATE}}
    rates = frame[frame["span"] == RATE].set_index("code")["median"]
    assert rates.to_dict() == pytest.approx({FACTOR: 8.0, HOST: 1.0})


def test_kept_maps_change_the_whole_alone() -> None:
    frame = frame_of(*grown("solve.direct_gpu.maps=kept", 0.5))
    assert set(frame["code"]) == {KEPT} and set(frame["span"]) == {WHOLE}


def test_a_record_without_the_phase_is_not_measured() -> None:
    frame = frame_of(timed("solve.direct_gpu", REAL, 1.0, {"triangular": 0.1})).set_index("span")
    assert frame["status"].to_dict() == {
        RAW: "no preparation", WHOLE: "ok", NUMERIC: "not_measured", TRIANGULAR: "ok", RATE: "not_measured",
    }  # fmt: skip


def test_rates_are_drawn_beside_what_the_card_and_the_host_can_do(ceilings: None) -> None:
    records = [*grown("solve.direct_gpu", 0.5), timed("numeric.multifrontal_cpu", REAL, 2.0, {})]
    frame = frame_of(*records)
    peaks = frame.groupby("code")["peak"].first().to_dict()
    assert peaks == pytest.approx({FIRST: 60_000.0, HOST: 500.0})
    figure = growth.EXHIBIT.picture(frame)
    rates = figure.axes[-3]
    assert {"GPU, measured peak: 60,000", "host, measured peak: 500"} <= set(texts(rates).splitlines())
    assert rates.get_ylim()[1] > 60_000
    without = growth.EXHIBIT.picture(frame_of(*records[:3]))
    assert "host" not in texts(without.axes[-3]), "nothing of it ran on the host"


def test_spans_that_nothing_was_measured_of_have_no_panels() -> None:
    figure = growth.EXHIBIT.picture(frame_of(timed("numeric.multifrontal_cpu", REAL, 2.0, {})))
    labels = [axes.get_ylabel() for axes in figure.axes if axes.get_ylabel()]
    assert labels == [growth.LABELS[NUMERIC], growth.LABELS[RATE]]
    assert len(growth.EXHIBIT.picture(frame_of(*grown("solve.direct_gpu", 0.5))).axes) == 12


def test_what_was_not_measured_is_said_and_drawn() -> None:
    frame = frame_of(*grown("solve.direct_gpu", 0.5))
    missing = [code for code in CODES if code != FIRST]
    assert f"Not measured there: {', '.join(missing)}." in growth.EXHIBIT.words(frame)
    none = made_frame(growth.EXHIBIT.frame, ALL, (), [Case.parse("solve.direct_gpu@grid2d,100.metis")])
    assert growth.EXHIBIT.picture(none).axes
    assert "Nothing of it was measured here" in growth.EXHIBIT.words(none)
