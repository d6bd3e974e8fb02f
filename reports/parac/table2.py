"""Table 2: time to solution on the CPU, beside incomplete Cholesky at equal fill and multigrid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.bars import times
from reports.claims import claim
from reports.figures import Entries, FigureSpec
from reports.parac.paper import CPU, PAPER, RULE, ordered_how, over, plain, printed, printed_sum
from reports.parac.solved import (
    absent_cells,
    is_variant,
    matrices_frame,
    numbers_of,
    quality_cells,
    rows_of,
)
from reports.records import Records
from reports.standings import Verdict
from reports.tables import Column, matrix_column, table
from reports.timed import ratio_of
from reports.variants import Row, paired
from reports.verdicts import judge, judge_all

CLAIM = "table2_cpu"
VARIANTS = ("parac_cpu", "ict", "pyamg", "hypre")
# What the paper prints of each, by the column of ours that it stands in.
PRINTED = {
    "parac_cpu": ("parac", "factor_s", "solve_s"),
    "ict": ("ichol", "factor_s", "solve_s"),
    "pyamg": ("hypre", "setup_s", "solve_s"),
}
WHOLE = "seconds, total of incomplete Cholesky over ParAC's"

# Of whom the paper prints iterations, by the claim's name.
ITERATIONS = {"iterations": "parac_cpu", "ichol_iterations": "ict", "hypre_iterations": "hypre"}


def is_shown(case: Case) -> bool:
    """A solution on the CPU with an implementation's defaults."""
    return is_variant(case, VARIANTS)


def table2_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix, ordering and machine: of each variant status, seconds of factor, analysis, solve and
    all three, iterations and true relative residual, beside the print (HYPRE's beside PyAMG's). ratio,
    amg_ratio, hypre_ratio : total of ict, of PyAMG and of HYPRE over ParAC's; solve_ratio : solve alone of
    ict over ParAC's total; all in one run."""
    return matrices_frame(
        records, entries, cases, VARIANTS, VARIANTS, _numbers, _print(), ("amg_", "hypre_"), ["solve_ratio"]
    )


def table2(frame: pd.DataFrame) -> Figure:
    """Of each matrix the print, then what was measured, a row a machine."""
    rows, shaded = rows_of(frame, _printed_cells, _cells)
    groups = ("ParAC", "incomplete Cholesky", "HYPRE; here PyAMG")
    headings = (("factor", 0.85), ("solve", 0.85), ("iter.", 0.7), ("residual", 0.95))
    columns = [
        matrix_column(rows),
        Column("", 1.9, left=True),
        *(Column(text, width, group) for group in groups for text, width in headings),
        Column("inc. Chol.", 1.1, "total over ParAC's"),
        Column("multigrid", 1.1, "total over ParAC's"),
    ]
    return table("ParAC, Table 2: seconds to solution on the CPU", columns, rows, shaded)


def table2_caption(frame: pd.DataFrame) -> str:
    """What is compared, and what the columns hold."""
    absent = _reasons(frame)
    return (
        "Seconds, medians: the factor, and what follows of it (analysis and conjugate gradients). ParAC "
        "here: "
        "parac_cpu on all cores; incomplete Cholesky: ict, ours, its factor on one core, at the drop "
        "tolerance "
        "that gives it ParAC's fill, the search for which is in no column (the paper set MATLAB's by hand); "
        "multigrid: the paper prints HYPRE on 32 threads, of which nothing is measured here, and PyAMG "
        "(Ruge-Stuben, sequential) stands beside it: another library. "
        f"{RULE}The paper's residuals are of other rules. Ratios are of one run and machine. {absent}"
        f"{ordered_how(frame)}"
    )


def table2_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """On how many matrices ParAC takes less than the others, and how much; the iterations of each.
    PyAMG's total stands beside HYPRE's print."""
    alone, hypre = "seconds, solve alone of incomplete Cholesky over ParAC's total", "hypre_pair"
    amg = "seconds, total of multigrid over ParAC's: PyAMG, where HYPRE is printed"
    ichol = [claim(PAPER, CLAIM, name) for name in ("below_ichol", "over_ichol")]
    over_hypre = [claim(PAPER, CLAIM, name) for name in ("below_hypre", "over_hypre")]
    return [
        *judge_all(frame, ichol, "ratio", status="pair", by_edges=False, basis=WHOLE),
        *judge(
            frame, claim(PAPER, CLAIM, "below_ichol_solve"), "solve_ratio", status="pair", by_edges=False,
            basis=alone,
        ),
        *judge_all(frame, over_hypre, "hypre_ratio", status=hypre, by_edges=False),
        *judge(
            frame, over_hypre[0], "amg_ratio", status="amg_pair", by_edges=False, basis=amg, beside=True
        ),
        *(
            verdict
            for name, ours in ITERATIONS.items()
            for verdict in judge(
                frame, claim(PAPER, CLAIM, name), f"{ours}_iterations", status=f"status_{ours}",
                by_edges=False,
            )
        ),
    ]  # fmt: skip


def _print() -> dict[str, dict[str, float | None]]:
    """The printed columns by the names that they have in the frame."""
    found: dict[str, dict[str, float | None]] = {}
    for name, (theirs, factor, solve) in PRINTED.items():
        columns = {"factor": factor, "solve": solve, "iterations": "iter", "residual": "relres"}
        found |= {f"paper_{name}_{ours}": printed(CPU, f"{theirs}_{c}") for ours, c in columns.items()}
    ours = printed_sum(CPU, "parac_factor_s", "parac_solve_s")
    found["paper_ratio"] = over(printed_sum(CPU, "ichol_factor_s", "ichol_solve_s"), ours)
    found["paper_amg_ratio"] = over(printed_sum(CPU, "hypre_setup_s", "hypre_solve_s"), ours)
    return found


def _numbers(found: Mapping[str, Row]) -> dict[str, Any]:
    """What a row says of the variants of its matrix."""
    rows = {name: found.get(name) for name in VARIANTS}
    own = numbers_of(rows, "parac_cpu")
    pair = ratio_of(rows["ict"], rows["parac_cpu"], ("ict", "parac_cpu"))
    return {
        **own,
        "solve_ratio": own["ict_solve"] / own["parac_cpu_total"] if pair["pair"] == "ok" else None,
        **paired("", pair),
        **paired("amg_", ratio_of(rows["pyamg"], rows["parac_cpu"], ("pyamg", "parac_cpu"))),
        **paired("hypre_", ratio_of(rows["hypre"], rows["parac_cpu"], ("hypre", "parac_cpu"))),
    }


def _printed_cells(row: Row) -> list[str]:
    cells = []
    for name in PRINTED:
        parts = [plain(row[f"paper_{name}_{part}"]) for part in ("factor", "solve")]
        cells += [*parts, *quality_cells(row, f"paper_{name}")]
    return [*cells, times(row["paper_ratio"]), times(row["paper_amg_ratio"])]


def _cells(row: Row) -> list[str]:
    cells = []
    for name in PRINTED:
        cells += _variant_cells(row, name)
    ratios = (row["ratio"], row["amg_ratio"])
    return [*cells, *("-" if pd.isna(ratio) else times(ratio) for ratio in ratios)]


def _variant_cells(row: Row, name: str) -> list[str]:
    if row[f"status_{name}"] != "ok":
        return absent_cells(row, name, 4)
    solve = row[f"{name}_analysis"] + row[f"{name}_solve"]
    return [plain(row[f"{name}_factor"]), plain(solve), *quality_cells(row, name)]


def _reasons(frame: pd.DataFrame) -> str:
    """Which of the peers no machine has."""
    named = {"hypre": "HYPRE", "pyamg": "PyAMG"}
    absent = [
        text for name, text in named.items() if not frame.empty and (frame[f"status_{name}"] != "ok").all()
    ]
    return f"Without a result here: {' and '.join(absent)}. " if absent else ""


SPEC = FigureSpec(
    "Table 2: seconds to solution on the CPU",
    is_shown,
    table2_frame,
    table2,
    table2_caption,
    claims=(CLAIM,),
    judge=table2_verdicts,
    one_run=True,
)
