"""GSoFA's Figure 5, Tables 2 and 3 (memory), row counts and their growth. All numbers are made up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

from fillpath.case import Case
from fillpath.record import Record, Status
from reports.claims.verdict import JUDGED
from reports.facts.claims import claims_of, subject
from reports.facts.printed import printed_table
from reports.gsofa import fig5, growth, speed, table2, table3
from reports.gsofa.memory import PRINTED_WORDS, WORD
from tests.reports_fakes import (
    FACTS,
    HALF_OF_GSOFA,
    SPACE_OFF,
    STAND_IN,
    Made,
    case_of,
    counting,
    measured,
)  # fmt: skip
from tests.test_reports_gsofa import CIRCUIT, GRIDS, REAL, check, failed, frame_of

OFF, COUNTS = f"gsofa.{SPACE_OFF}.rule=published", ".output=counts"
ON = "gsofa.queue_fraction=8.rule=published"
LESS = counting(bytes_queue=0.0, bytes_maxid=1.16e9, bytes_fill=8e7)
# Words of 4 bytes a vertex and source.
WORDS = 4 * 1000 * 512
WHOLE = counting(queue_mean=0.0011, queue_peak=0.25)
LACKING = measured(OFF, 2.0, work=counting(concurrent_sources=None, queue_peak=None))
PRINT_5 = "36x (AU) to 3,121x (MK) before, 9x (AU) to 801x (MK) after"


@pytest.mark.parametrize(
    ("figure", "records", "columns", "said", "more"),
    [
        # Memory is comparable across runs, seconds are not.
        (
            fig5, [measured(OFF, 2.0), measured(ON, 2.0, work=LESS, run_id="run-2"), measured("gsofa", 2.0)],
            {
                "BC.before": 3.08e9 / 6e5, "BC.after": 1.24e9 / 6e5, "BC.reduction": 3.08 / 1.24,
                "BC.table2": 6 * WORDS / 6e5, "BC.both": "ok", "BC.pair": "two_runs", "BC.ratio": None,
            },
            f"5,133x | 2,067x | 2.48x | 20.5x | {PRINT_5} | matrix; auxiliary, before", [],
        ),
        (
            fig5, [measured(OFF, 2.0, work=counting(bytes_fill=None)), measured(ON, 2.0)],
            {
                "BC.both": "not_measured", "BC.reduction": None, "MK.paper_before": 3121,
                "MK.paper_after": 801,
            },
            "not measured", [],
        ),
        (fig5, [measured(OFF, 2.0)], {"BC.both": "not_run"}, "", [case_of(ON)]),
        # A row per structure, from the least to the most of the matrices.
        (
            table2,
            [
                *(measured(name, 2.0, m) for m in ("bcsstk18", STAND_IN) for name in (OFF, "gsofa")),
                measured(ON, 2.0, work=counting(bytes_queue=0.0)), measured(ON, 2.0, STAND_IN),
            ],
            {
                "all off.words_queue": 6e8 / WORDS, "all off.words_sum": 3.08e9 / WORDS,
                "all off.printed_sum": 6,
            },
            f"newTracker, 4, {6e8 / WORDS:.3g}, 0 to {6e8 / WORDS:.3g}, | maxId, 1, | fill, 1, | "
            f"sum, 6, {3.08e9 / WORDS:.3g}, | of 2 matrices", [],
        ),
        (table2, [LACKING], {"all off.told": "not_measured"}, "sum, 6, not measured", []),
        (
            table3, [LACKING, failed(measured(OFF, 2.0, STAND_IN), Status.WRONG)], {},
            "bcsstk18 (BC), 0.1, not measured | circuit:4000, wrong, wrong", [],
        ),
        # The print is of the matrix that is stood in for.
        (
            table3, [measured(OFF, 2.0, STAND_IN, work=WHOLE), measured(ON, 1.0, STAND_IN)],
            {
                "circuit:4000.average_usage_percent": 0.11, "circuit:4000.peak_usage_percent": 25,
                "circuit:4000.small_peak_usage_percent": 100 * FACTS["queue_peak"], "AU.told": "not_run",
            },
            "circuit:4000, 0.11, 25, | printed of PR, 0.11, 25, | Not measured: Hamrle3 (HM)", [],
        ),
        # Row counts are held against gsofa in the same run.
        (
            speed,
            [
                measured(f"gsofa{COUNTS}", 2.0, work={"edges": 300, "fills": 7}),
                measured(f"fill2_gpu{COUNTS}", 6.0, work={"edges": 100, "fills": 7}),
                measured(f"fill1_pruned{COUNTS}", 1.0, run_id="run-2"),
            ],
            {
                "BC.edges_ratio": 3, "BC.fills": 7, "BC.fill2_gpu_ratio": 3, "BC.fill2_gpu_pair": "ok",
                "BC.fill1_pruned_ratio": None, "BC.fill1_pruned_pair": "two_runs",
                "BC.sequential_ratio": None, "BC.sequential_pair": "two_runs",
            },
            "2,000.00 | 6,000.00 | 1,000.00 | 3x | -", [],
        ),
        # Trees and fronts stand beside the traversals, each path by itself.
        (
            speed,
            [
                measured(f"gsofa{COUNTS}", 2.0), measured(f"fill1_pruned{COUNTS}.threads=1", 4.0),
                measured(f"etree_cpu{COUNTS}.threads=1", 1.0), measured(f"bitfronts_gpu{COUNTS}", 0.0002),
                measured(f"bitfronts_gpu{COUNTS}.path=fronts", 0.02),
            ],
            {
                "BC.sequential_code": "etree_cpu", "BC.sequential_ratio": 0.5, "BC.bitfronts_gpu_ratio": 1e-4,
                f"BC.{speed.FRONTS}_ratio": 1e-2,
            },
            "0.200 | 20.00 | 0.5x e | 0.0001x | not run", [],
        ),
        # A code that was not run is no row of its own.
        (
            speed, [measured(f"gsofa{COUNTS}", 2.0)],
            {"BC.machine": "h200", "BC.status_fill2_gpu": "not_run", "BC.edges_ratio": None}, "",
            [case_of(f"fill2_gpu{COUNTS}")],
        ),
    ],
)  # fmt: skip
def test_what_memory_and_row_counts_say(
    figure: ModuleType, records: list[Record], columns: Mapping[str, Any], said: str, more: list[Case]
) -> None:
    frame = check(figure, records, columns, said, *more)
    assert figure is not speed or len(frame) == 1
    if figure is fig5 and more:
        assert {str(verdict.outcome) for verdict in fig5.EXHIBIT.verdicts(frame)} == {"not run"}


@pytest.mark.parametrize(("abbr", "sources"), [("MK", 4096), ("AU", 512)])
def test_the_printed_ratios_are_of_six_words_a_vertex_and_source(abbr: str, sources: int) -> None:
    """docs/figures.md says so: whatever else changes, the formula here is that of the paper's own figure."""
    row = printed_table("gsofa_table1_matrices").set_index("abbr").loc[abbr]
    auxiliary = WORD * PRINTED_WORDS.sum() * row["order"] * sources
    before = subject("gsofa", "fig5_auxiliary_memory").data["before"]
    printed = before["max" if abbr == "MK" else "min"][abbr]
    assert int(auxiliary / (8 * row["order"] + 4 * row["nnz"])) == printed


def test_constants_of_our_own_data_structures_are_shown_and_not_judged() -> None:
    records = [measured(name, 2.0, m) for m in ("bcsstk18", "twotone") for name in (OFF, ON, "gsofa")]
    figures = {"fig5_auxiliary_memory": fig5, "table2_space": table2, "table3_queue_usage": table3}
    for id, figure in figures.items():
        verdicts = figure.EXHIBIT.verdicts(frame_of(figure, *records))
        numbers = [v for v in verdicts if v.claim.startswith(f"gsofa.{id}.") and v.n]
        shown = [v for v in numbers if v.outcome == "not comparable"]
        assert shown and not any(v.outcome in JUDGED for v in numbers)
        assert all(claim.not_comparable == v.why for v in shown for claim in claims_of("gsofa", id))


@pytest.mark.parametrize(("after", "outcome"), [(1.05, "reproduced"), (3.0, "deviates")])
def test_that_saving_memory_costs_no_time_can_fail(after: float, outcome: str) -> None:
    seconds = {OFF: 1.0, ON: after}
    records = [measured(name, s, m, seconds=[s] * 3) for m in HALF_OF_GSOFA for name, s in seconds.items()]
    verdicts = fig5.EXHIBIT.verdicts(frame_of(fig5, *records))
    (verdict,) = (v for v in verdicts if v.claim == "gsofa.fig5_similar_performance.mean" and v.n)
    assert verdict.outcome == outcome


# ---- how the cost of row counts grows


def counted(code: str, matrix: Made, seconds: float) -> Record:
    """A record of row counts, with as many entries of L + U as n to the power 1.5."""
    name, _, more = code.partition(".")
    n = matrix.order or 1
    record = measured(f"{name}{COUNTS}{'.' + more if more else ''}", seconds, matrix.id)
    # A tenth of the diagonal was added.
    prepared = {
        **(record.prepared or {}),
        "n": n,
        "nnz": n,
        "entries": n - n // 10,
        "diagonal_added": n // 10,
    }
    return replace(record, prepared=prepared, work={"edges": 1, "fills": round(n**1.5) - n})


def grown(code: str, exponent: float) -> list[Record]:
    """Of one code on all grids."""
    return [counted(code, grid, 1e-9 * (grid.order or 1) ** exponent) for grid in GRIDS]


def test_the_exponents_of_a_code_are_those_of_its_seconds_and_of_the_output() -> None:
    by_code = {"bitfronts_gpu": 1.6, "bitfronts_gpu.path=fronts": 1.2, "etree_cpu.threads=1": 1.0}
    records = [record for code, exponent in by_code.items() for record in grown(code, exponent)]
    said = "3D grids: entries of L + U as $n^{1.50}$ | $n^{1.60}$ | $n^{1.00}$ | G2_circuit | not measured"
    frame = check(growth, [*records, counted("gsofa", REAL, 1.0)], {}, said)
    lines = frame[frame["family"] == "3D grids"].groupby("code")
    exponents = dict(zip(("bitfronts_gpu", growth.FRONTS, "etree_cpu"), by_code.values(), strict=True))
    assert lines["exponent"].first().to_dict() == pytest.approx(exponents)
    assert lines["exponent_filled"].first().to_dict() == pytest.approx(dict.fromkeys(exponents, 1.5))
    (real,) = frame[frame["family"] == "real matrices"].to_dict("records")
    assert real["label"] == "G2_circuit" and pd.isna(real["exponent"]), "a circuit, but no generated one"


@pytest.mark.parametrize(
    ("symbolic", "status", "median"), [([0.03, 0.04, 0.05], "ok", 0.04), ([], "not_measured", None)]
)
def test_of_cudss_the_symbolic_phase_is_drawn(symbolic: list[float], status: str, median: Any) -> None:
    phases = {"reordering": [5.0] * 3, "symbolic": symbolic}
    record = replace(measured("gsofa", 9.0), case="solve.cudss@G2_circuit.mc64+amd", phases=phases)
    (row,) = frame_of(growth, record).to_dict("records")
    assert (row["code"], row["status"]) == (growth.CUDSS, status)
    assert median is None or (row["median"] == pytest.approx(median) and row["low"] <= median <= row["high"])


def test_a_size_alone_has_no_exponent_and_what_failed_is_said() -> None:
    refused = failed(counted("etree_cpu.threads=1", CIRCUIT, 1.0), Status.UNSUPPORTED)
    missing = ", ".join(code for code in growth.CODES if code != "gsofa")
    said = f"etree_cpu, one core: unsupported on 1 | ! $n | not measured | Not measured there: {missing}."
    frame = check(growth, [counted("gsofa", CIRCUIT, 1.0), refused], {}, said)
    assert frame["exponent"].isna().all()
