"""GLU3.0's tables and figures, and those of linear systems beyond the papers. All numbers are made up."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.runs.cases import figure_cases
from benchmarks.runs.experiments import experiments
from fetch import catalogue
from fillpath.case import Case
from fillpath.nouns import LevelSeries
from fillpath.record import Record, Status
from fillpath.series import series_path, write_series
from fillpath.settings import SUITES, Settings
from impl.numeric.right_looking import AUTHORS
from reports.claims.verdict import Reason, outcome_label
from reports.facts.claims import find_claim
from reports.facts.naming import label, printed_label
from reports.facts.printed import abbreviations
from reports.glu3 import dependencies, growth, levels, raw, table1, table2
from reports.hardware.roofline import Roof
from tests.dependencies import depends, longest_paths
from tests.reports_fakes import AROUND, check, made_frame, planted, texts, unavailable, with_counts
from tests.reports_fakes import record_of as measured

ENTRIES, FIGURES = catalogue.entries(), {e.figure for e in experiments() if e.paper == "glu3"}
FIVE = ("rajat12", "circuit_2", "memplus", "onetone2", "rajat27")
TIMEOUT = {"status": Status.TIMEOUT}


def but(records: Sequence[Record], **of_first: Any) -> list[Record]:
    return [replace(records[0], **of_first), *records[1:]]


def pair(exact_ms: float = 8.0, on: str = "rajat12", relaxed: float = 39.0) -> list[Record]:
    """Levels by exact dependencies, by relaxed ones in 1 ms, by exact ones without the third loop in 2."""
    exact = {"levels": 37.0, "dependencies": 1000.0, "double_u": 40.0, "searched": 9e4}
    found = {"levels": relaxed, "dependencies": 1100.0, "filled": 13948.0}
    codes = (("glu2", exact_ms, exact), ("glu3_relaxed", 1.0, found), ("glu2.search=closed", 2.0, exact))
    return [measured(f"levels.{code}@{on}.mc64+amd", ms / 1e3, facts) for code, ms, facts in codes]


def with_durations(**changes: Any) -> list[Record]:
    """Two records whose two kernels took 2 ms and 0.5 in all, on disk, with changes of the second's file."""
    for record, ms, more in zip(FACTORED, (2.0, 0.5), ({}, changes), strict=False):
        calls = [{"kernels": {k: {"seconds": s * ms / 2e3} for k in "ab"}} for s in AROUND]
        with_counts("durations", record, {}, **{"host": "1", "calls": calls, **more})
    return FACTORED


def kept(*matrices: str, subcolumns: Any, columns: Any = range(40, 0, -1)) -> list[Record]:
    """Records whose series of levels are on disk."""
    records = [measured(f"levels.glu3_relaxed.series=true@{on}.mc64+amd", 1.0) for on in matrices]
    held = LevelSeries(columns=np.array(columns), subcolumns=np.array(subcolumns))
    return [replace(r, series=write_series(series_path(r.machine, r.case), held, 10**6)) for r in records]


def grown(code: str, exponent: float = 0.5) -> list[Record]:
    """On all grids; the phases grow with n to powers that are half and a quarter larger."""
    return [
        measured(f"{code}@grid2d,{side}.metis", 1e-6 * side ** (2 * exponent), {"flops": 2e9}, phases={
            "numeric": 1e-9 * side ** (2 * exponent + 1), "triangular": 1e-9 * side ** (2 * exponent + 0.5),
        })
        for side in (100, 316, 1000)
    ]  # fmt: skip


def frame_of(figure: Any, given: Any) -> pd.DataFrame:
    return made_frame(figure.EXHIBIT, given)


def test_experiments_have_what_their_figures_show() -> None:
    more = "lu_gpu.symbolic=bitfronts lu_gpu.triangular=sweeps direct_gpu.maps=kept cudss.ordering=given"
    solvers = {"lu_cpu", "superlu", "klu", "pardiso", "mumps", "umfpack", "cudss", "direct_gpu"}
    shown = {
        "table1": {*table1.CODES.values()},
        "table2": {*table2.CODES.values()},
        "levels": {"glu3_relaxed.series=true"},
        "dependencies": {"glu2", "glu3_relaxed"},
        "phases": {*solvers, "lu_gpu", "cholmod", *more.split(), "cusolver_rf.analysis=kept"},
        "growth": {*growth.CODES, "prepare"} - {"direct_gpu on amd"},
        "raw": {"prepare", *solvers},
    }
    cases = {figure: figure_cases("glu3", figure, Settings(suite="papers")) for figure in FIGURES}
    variants = {f: {case.name.partition("@")[0].partition(".")[2] for case in cases[f]} for f in FIGURES}
    assert variants == shown
    own = set(abbreviations("glu3"))
    named = {label("rajat12", catalogue.lookup("rajat12"), "glu3"), printed_label("rajat12", "glu3")}
    assert named == {"rajat12"}, "no second name"
    assert len(own) == len(frame_of(table1, [])) == len(frame_of(table2, pair())) == 15
    assert own <= {case.matrix for case in cases["table2"]}
    stand_ins = {e.id for e in ENTRIES if e.suite == "small" and own & set(e.stands_for)}
    assert stand_ins <= {case.matrix for case in figure_cases("glu3", "table2", Settings(suite="small"))}
    every = [case for e in experiments() for case in figure_cases(e.paper, e.figure, Settings())]
    assert "glu1" not in {case.implementation for case in every}, "it is there to fail the gate"
    assert "not public" in find_claim("glu3.table1_kernel_time.lee_geometric").needs


def test_the_embedded_suite_needs_no_library_and_real_matrices_are_prepared_as_printed() -> None:
    cases = [(s, f, c) for s in SUITES for f in FIGURES for c in figure_cases("glu3", f, Settings(suite=s))]
    for suite, figure, case in cases:
        is_generated = not catalogue.lookup(case.matrix).group
        assert suite != "embedded" or is_generated
        # CHOLMOD needs a symmetric matrix: MC64's scaling does not keep one so. Growth compares orders.
        real = "amd" if case.implementation == "cholmod" else "mc64+amd"
        orders = ("metis", "amd") if figure == "growth" else ("metis",)
        assert figure == "raw" or case.preparation.name in (orders if is_generated else (real,))
    assert set(levels.MODES.values()) < {above for above, _ in AUTHORS}, "those of the kernels"


MODES = {"levels": 39.0, "levels_a": 1.0, "levels_b": 8.0, "levels_c": 30.0, "launches": 39.0}
CALLS = zip(table1.CODES.values(), np.outer([6e-3, 2e-3, 5e-4, 4e-3, 1e-3], AROUND).tolist(), strict=True)
FACTORED = [measured(f"numeric.{c}@rajat12.mc64+amd", 1.0, MODES, kernel_seconds=each) for c, each in CALLS]
NO_EVENTS, FORTY = but(FACTORED, kernel_seconds=None), pair(relaxed=40.0)
LATE, APART = but(pair(), **TIMEOUT), but(pair(), run_id="2")
STAND_IN = [*pair(), *pair(on="add32")]
SLOW = [record for on in FIVE[:3] for record in pair(100.0, on)]
ADDER = partial(kept, "adder_dcop_05", columns=[900, 449, 448, 17, 16, 1], subcolumns=[1, 2, 3, 4, 5, 0])
DEEP = partial(kept, "rajat12", columns=[20] * 5000, subcolumns=range(5000))
RISE, DROP, FLAT = (partial(kept, *FIVE, subcolumns=n) for n in (range(40), range(40, 0, -1), [7] * 40))
NO_SERIES = [measured("levels.glu3_relaxed.series=true@rajat12.mc64+amd", 1.0)]
MOVED = {"numeric": 0.75, "to_device": 0.25, "to_host": 0.5}
PARTS = {"matching": 0.1, "scaling": 0.2, "ordering": 0.3, "permutation": 0.4}
SIZE = {"entries": 7.0, "height": 3.0}
ORDERED = measured("preparation.prepare@onetone2.auto+amd", 1.0, SIZE, phases=PARTS)
SOLVED = measured("solve.direct_gpu@onetone2.auto+amd", 2.0, device="a GPU", phases={"fronts": 0.5, **MOVED})
STOPPED = but([SOLVED, ORDERED], **TIMEOUT, longer_than=60.0)
PEER = measured("solve.cudss@onetone2.natural", 2.0, device="a GPU", phases={"reordering": 1.0, **MOVED})
REAL, FLOPS = "@G2_circuit.mc64+amd", {"flops": 2e9}
LU = [measured(f"solve.direct_gpu{REAL}", 1.0, FLOPS, phases={"numeric": 0.5})]
SOLVES = [measured(f"solve.direct_gpu{REAL}", 1.0, FLOPS, phases={"triangular": 0.5})]
BY_CARD, BY_HOST = ([measured(f"numeric.multifrontal_{on}{REAL}", 2.0, FLOPS)] for on in ("gpu", "cpu"))
NOT_HERE = [unavailable(Case.parse(record.case), 1) for record in pair()]
LINES, KEPT = grown("solve.direct_gpu"), grown("solve.direct_gpu.maps=kept")
MEAN, EACH, TENFOLD = (f"table2_levelization.{name}" for name in ("geometric", "each", "order_of_magnitude"))
COUNTS = "counts.filled counts.levels_exact counts.levels_relaxed"
BESIDE, NOT_RUN, DERIVED = (f"not judged ({r})" for r in (Reason.BESIDE, Reason.NOT_RUN, Reason.DERIVED))
OF_TWO = f"on 1 of 15|0 of 1 within 25% of the print: 8x (rajat12)|, on stand-ins; {BESIDE}: 8x (add32)"
TIME, TRENDS = "table1_kernel_time", "fig_levels.inverse fig_levels.subcolumns_rise"
OF_CALLS = f"with launches, of GLU2.0 over GLU3.0; open|seconds of the call by a graph; {BESIDE}"
OF_KERNELS = f"durations of kernels; {BESIDE}: 4x"


CASES = r"""
table2: *pair() => rajat12: nz=12926 | paper_nz=12926 | ratio_high=10.6666667 | closed_ratio=2 | kahn_ms=
table2: *() => Raj1: status=not_run | filled_is=
table1: *with_durations() => rajat12: kernels_pair=ok | kernels_ratio_low=3 | kernels_ratio_high=5.33333333
    says 4, 1, 2, 0.5, 3x, 4x, 4x, | kernels' durations by CUPTI
table1: *with_durations(host="2") => rajat12: kernels_pair=two_hosts | kernels_ratio=
# All levels are of one size.
levels: *DEEP() => rajat12: depth=5000 | inverse=0 | inverse_low=-1
raw: SOLVED, ORDERED => onetone2: solution=2 | height=3 | entries_lu=7
raw: PEER => onetone2: median=2.75 | seconds_ordering=1
raw: *STOPPED => onetone2: status=timeout | low=60.9 | median=
raw: SOLVED => onetone2: status=no preparation | median= | low= | high=
raw: *but([ORDERED, SOLVED], host="2") => onetone2: status=two_hosts | median= | low= | high=
raw: *but([ORDERED, SOLVED], run_id="2") => onetone2: status=two_runs | median= | low= | high=
raw: *but([ORDERED, SOLVED], **TIMEOUT) => onetone2: status=no preparation | median= | low= | high=
raw: *but([SOLVED, ORDERED], phases={}) => onetone2: status=no transfers | median= | low= | high=
growth: *LU
    rate: median=4 | low=3.33333333 | high=4.44444444 | flops=2e+09 | family=real matrices | exponent=
growth: *SOLVES => rate: status=not_measured
# The seconds of a factorisation alone are its whole.
growth: *BY_CARD => rate: median=1
table2: *FORTY => says rajat12, 13,948 =, 37 =, 40 ≠, 8, 1, 2, not run, 8x, 2x
    says printed, 13,948, 37, 39, 3.05, 0.035, , , 87.1x,
# The search without its third loop finds the same levels.
table2: *LATE => says 13,948 =, 37 =, 39 =, timeout, 1, 2, not run, glu2 timeout, 2x
table2: *APART => says , two runs, 2x | , 87.1x,
table2: *NOT_HERE => says Nothing was measured here. | onetone2, rajat12,
table1: *FACTORED => says rajat12, 1,879 =, 12,926 =, 6, 2, 0.5, 4, 1, not measured, not measured, 3x,
    says printed, 1,879, 12,926, 2.45, 2.24, , , , , , 1.1x, , , 1x, , , ,
table1: *NO_EVENTS => says =, not measured, 2, 0.5, 4, 1, | , glu2.static pivoting=true not measured, 4x
levels: *ADDER() => says adder_dcop_05, stand-in: ASIC_100ks, ASIC_320ks, ASIC_680ks
    says Not measured: ASIC_100ks. | 6 levels | columns with sub-columns -0.14
levels: *NO_SERIES => says names no series | ! rank correlation
dependencies: *pair() => says without measurement | 1.1x | wrong: marked | \nright\n | ! not run
dependencies: *pair()[1:] => says Not measured: rajat12. | ! not run
# A span that nothing was measured of has no panels; kept maps change the whole alone.
growth: *LINES
    says Not measured there: cuDSS, analysis kept, cuDSS, its own order, cuDSS, prepared order, direct_gpu,
      AMD, direct_gpu, maps kept, lu_gpu (SpSV), lu_gpu, sweeps, multifrontal_cpu,
      multifrontal_gpu, no exchanges.
    says matrix to x, seconds (log) | L and U, seconds (log) | one solve, seconds (log)
    says GFLOP/s of L and U (log) | ! raw matrix to x, seconds (log) | ! Nothing was measured here.
growth: *() => says raw matrix to x, seconds (log) | matrix to x, seconds (log) | L and U, seconds (log)
    says one solve, seconds (log) | GFLOP/s of L and U (log)
growth: *KEPT => says matrix to x, seconds (log) | ! raw matrix to x, seconds (log) | ! L and U, seconds (log)
    says ! one solve, seconds (log) | ! GFLOP/s of L and U (log)
"""


@pytest.mark.parametrize(("figure", "given", "expected"), planted(CASES))
def test_what_is_planted_is_shown(figure: str, given: str, expected: list[str]) -> None:
    shown, some = globals()[figure], eval(f"[{given}]", globals())
    check(shown.EXHIBIT, frame_of(shown, some), some, expected)


def test_preparation_transfers_and_solution_add_up_once() -> None:
    row = frame_of(raw, [SOLVED, ORDERED]).iloc[0]
    assert (
        row[[f"seconds_{part.name}" for part in raw.PARTS]].sum()
        == pytest.approx(row["median"])
        == 1 + 0.75 + 2
    )
    parts = row[["seconds_matching", "seconds_ordering", "seconds_permutation", "seconds_transfer"]]
    assert parts.tolist() == pytest.approx([0.3, 0.3, 0.4, 0.75])


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize(
    ("figure", "given", "names", "outcomes", "said"),
    [
        # One matrix makes no mean; stand-ins stand beside the print, and are in no number but their own.
        (table2, STAND_IN, MEAN, f"open, {BESIDE}", "on 1 of 15|8x (rajat12)|3,146x, 87.1x on the same"),
        (table2, STAND_IN, EACH, f"other size, {BESIDE}", OF_TWO),
        (table2, [*SLOW, *pair(87.0, FIVE[3])], TENFOLD, "reproduced", "on 4 of 15|4 of 4"),
        (table2, [*SLOW, *pair(5.0, FIVE[3])], TENFOLD, "not reproduced", "on 4 of 15|3 of 4, printed all"),
        (table2, STAND_IN, COUNTS, "reproduced", "on 1 of 15: 1 of 1 equal"),
        (table2, FORTY, "counts.levels_relaxed", "not reproduced", "0 of 1 equal|rajat12 40, printed 39"),
        # Printed 39 over 37; a tie of AMD may change both counts.
        (table2, pair(), "counts.relaxed_over_exact", "reproduced", "1 of 1 within 25%"),
        (table2, pair(relaxed=45.0), "counts.relaxed_over_exact", "other size", "0 of 1 within 25%|1.216x"),
        (table2, pair(relaxed=37.0), "counts.relaxed_over_exact", "not reproduced", "0 of 1 within 25%|1x ("),
        (table1, FACTORED, f"{TIME}.order {TIME}.nnz", "reproduced", "on 1 of 15: 1 of 1 equal"),
        (table1, FACTORED, f"{TIME}.geometric", f"open, {BESIDE}", OF_CALLS),
        (table1, with_durations, f"{TIME}.geometric", f"open, {BESIDE}, {BESIDE}", OF_KERNELS),
        (
            table1,
            FACTORED,
            f"{TIME}.each",
            "other size",
            "0 of 1 within 25% of the print|3x (rajat12)|1.1x on the same",
        ),
        (levels, RISE, f"{TRENDS} fig_levels.columns_fall", "reproduced", "on 5 of 15: 5 of 5"),
        (levels, DROP, TRENDS, "not reproduced", "0 of 5"),
        (levels, FLAT, TRENDS, "open", "0 of 5 (0 to 5 by the intervals)"),
        (levels, NO_SERIES, TRENDS, NOT_RUN, "printed most"),
        (table2, NOT_HERE, f"{MEAN} {EACH} {TENFOLD} counts.filled", NOT_RUN, "printed "),
        (dependencies, [], "glu1_is_wrong.last_pivot", DERIVED, ": the two agree"),
    ],
)
def test_claims_are_judged(figure: Any, given: Any, names: str, outcomes: str, said: str) -> None:
    verdicts = figure.EXHIBIT.verdicts(frame_of(figure, given))
    for name in names.split():
        found = [verdict for verdict in verdicts if verdict.claim == f"glu3.{name}"]
        assert ", ".join(outcome_label(v.outcome, v.reason or "") for v in found) == outcomes
        text = "\n".join(f"{v.basis}; {v.text}" for v in found)
        assert [each for each in said.split("|") if each not in text] == []


@pytest.mark.parametrize("name", dependencies.ENTRIES)
def test_the_graphs_are_what_the_implementations_find(name: str) -> None:
    """The slides' matrix gets the wrong factor by GLU1.0, and our own tells the methods apart."""
    every = frame_of(dependencies, [])
    rows = every[every["example"] == name]
    entries = rows.loc[rows["part"] == "entry", ["row", "column"]].to_numpy(int) - 1
    dense = np.zeros((entries.max() + 1,) * 2, bool)
    dense[tuple(entries.T)] = True
    for method, rule in zip(dependencies.METHODS, ("upper", "exact", "relaxed"), strict=True):
        known = rows[rows["method"] == method]
        drawn = np.zeros_like(dense)
        arrows = known.loc[known["part"] == "dependency", ["column", "before"]].to_numpy(int) - 1
        drawn[tuple(arrows.T)] = True
        assert np.array_equal(drawn, depends(dense, rule))
        level = known[known["part"] == "level"].sort_values("column")["level"] - 1
        assert level.tolist() == longest_paths(drawn).tolist()
    depths, reasons = rows.groupby("method")["level"].max().tolist(), known["why"].value_counts()
    factors = rows[rows["part"] == "factor"].groupby("method")["value"].agg(list).to_dict()
    if name == dependencies.MADE_UP:
        assert (depths, reasons[dependencies.DOUBLE], reasons[dependencies.LEFT]) == ([2, 3, 4], 1, 2)
    else:
        right = [1, 0, 1, 1, 1, 0, 0, 1, 1]
        assert factors == {"GLU1.0": [*right[:-1], 0], "GLU2.0": right, "GLU3.0": right}


def test_each_span_has_its_seconds_and_their_exponent() -> None:
    records = [*LINES, *grown("solve.cudss", 1.0), *grown("preparation.prepare")]
    exponents = frame_of(growth, records).groupby(["code", "span"])["exponent"].first()
    first = {"raw": 0.5, "whole": 0.5, "numeric": 1.0, "triangular": 0.75, "rate": -1.0}
    assert exponents["direct_gpu"].to_dict() == pytest.approx(first)
    cudss = {span: exponent + 0.5 for span, exponent in first.items() if span != "rate"}
    assert exponents[growth.CUDSS].to_dict() == pytest.approx(cudss)


def test_rates_are_drawn_beside_what_the_card_and_the_host_can_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU of 60 TFLOP/s, and a host of 500 GFLOP/s."""
    roofs = [Roof("", k, k, 0, {"flops_double": f}) for k, f in {"host": 5e11, "gpu": 6e13}.items()]
    monkeypatch.setattr(growth, "roofs", lambda machine: roofs)
    frame = frame_of(growth, [*LINES, *BY_HOST])
    assert frame.groupby("code")["peak"].max().to_dict() == {"direct_gpu": 6e4, "multifrontal_cpu": 500.0}
    rates = growth.EXHIBIT.picture(frame).axes[-3]
    assert {"GPU, measured peak: 60,000", "host, measured peak: 500"} <= set(texts(rates).splitlines())
    assert rates.get_ylim()[1] > 60_000
    assert "host" not in texts(growth.EXHIBIT.picture(frame_of(growth, LINES)).axes[-3]), "none ran there"
