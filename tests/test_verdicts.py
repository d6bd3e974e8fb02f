"""Verdicts: firm only on the paper's own matrices with enough work, never averaged over machines."""

from __future__ import annotations

import pandas as pd
import pytest

from reports.claims import subject
from reports.verdicts import LEAST_EDGES, judge, outcome, printed_mean

FOUND = subject("gsofa", "fig14_maxid_ranges")


def row(
    value: float | None, machine: str = "m", abbr: str | None = "BB", edges: float = LEAST_EDGES
) -> dict[str, object]:
    status = "ok" if value is not None else "timeout"
    return {
        "value": value, "machine": machine, "abbr": abbr, "edges": edges, "status": status,
        "label": f"{abbr or 'a stand-in'} of {value}",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("measured", "printed", "better", "neutral", "said"),
    [
        (1.2, 1.14, "higher", 1.0, "reached"),
        (1.14, 1.14, "higher", 1.0, "reached"),
        (1.05, 1.14, "higher", 1.0, "not reached"),
        (0.97, 1.14, "higher", 1.0, "contradicted"),
        (1.0, 1.14, "higher", 1.0, "contradicted"),
        (2.0, 2.5, "lower", 1.0, "reached"),
        (3.0, 2.5, "lower", 1.0, "not reached"),
        (0.2, 0.43, "higher", None, "not reached"),
        (9.0, 0.1, "none", 1.0, "beside the print"),
    ],
)
def test_how_a_number_stands_to_the_print(
    measured: float, printed: float, better: str, neutral: float | None, said: str
) -> None:
    assert outcome(measured, printed, better, neutral) == said


def test_the_papers_own_and_stand_ins_are_judged_apart() -> None:
    rows = [row(1.5), row(1.1), row(0.5, abbr=None), row(0.7, edges=LEAST_EDGES - 1), row(None)]
    firm, indicative = sorted(
        judge(pd.DataFrame(rows), FOUND, "value", 1.14, basis="seconds"), key=lambda v: v.scope, reverse=True
    )
    assert firm.outcome == "reached" and firm.scope == "on the paper's own matrices"
    assert firm.numbers == "mean 1.3x (1.1x BB of 1.1 to 1.5x BB of 1.5) of 2, printed 1.14x"
    assert indicative.outcome == "contradicted" and indicative.scope == "indicative (stand-in)"
    assert "mean 0.6x" in indicative.numbers


def test_machines_are_judged_apart() -> None:
    found = judge(pd.DataFrame([row(2.0, "a"), row(1.0, "b")]), FOUND, "value", 1.14, basis="seconds")
    assert [(verdict.machine, verdict.outcome) for verdict in found] == [
        ("a", "reached"),
        ("b", "contradicted"),
    ]
    assert len({verdict.key for verdict in found}) == 2


def test_without_a_number_nothing_is_judged() -> None:
    (verdict,) = judge(pd.DataFrame([row(None)]), FOUND, "value", 1.14, basis="seconds")
    assert verdict.text == "not measured: printed 1.14x"
    assert verdict.key == "verdict fig14_maxid_ranges (seconds)"


def test_the_mean_of_numbers_by_matrix_stands_in_for_a_printed_mean() -> None:
    assert printed_mean("gsofa", "fig14_maxid_ranges") == 1.14
    assert printed_mean("gsofa", "fig15_dynamic_space") == pytest.approx(7.9 / 6)
