"""Table 2: time to solution on the CPU, beside incomplete Cholesky at equal fill and multigrid."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd

from reports.exhibit import Exhibit
from reports.facts.naming import listed
from reports.parac.prints import CPU, below_stand_ins, beside_print, printed
from reports.parac.solution import FACTS, PAPER, PARTS, RULE, by_threads, parts_of, solved
from reports.shapes.bars import times
from reports.shapes.sheet import Column, Sheet
from reports.table import KEY, phases, timed
from reports.verbs import by_code, by_input, inputs, of, on, option, over, wide

CLAIM = "table2_cpu"
CODES = {"parac_cpu": "parac_cpu", "ict": "ict", "pyamg": "pyamg"}
# By our column, the column of the printed table.
PRINTED = {
    f"{ours}_{part}": f"{theirs}_{column}"
    for ours, theirs, first in (
        ("parac_cpu", "parac", "factor_s"),
        ("ict", "ichol", "factor_s"),
        ("hypre", "hypre", "setup_s"),
    )
    for part, column in {
        "factor": first, "solve": "solve_s", "iterations": "iter", "residual": "relres",
    }.items()
}  # fmt: skip
# Ratios by what the columns begin with: which total over ParAC's.
RATIOS = {"": "ict", "amg_": "pyamg", "hypre_": "hypre"}
# Of whom the paper prints iterations, by the claim's name.
ITERATIONS = {"iterations": "parac_cpu", "ichol_iterations": "ict", "hypre_iterations": "hypre"}

# The rows by what decides whether their times can be judged.
THREADS = partial(by_threads, threads="parac_cpu_threads_used")
RANKS = partial(by_threads, threads="hypre_least")


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and ordering: of each code seconds of a solution and of its parts, iterations
    and residual, beside the print. HYPRE's factor is its set-up.

    `ratio`, `amg_ratio` and `hypre_ratio` are totals of ict, PyAMG and HYPRE over ParAC's, `solve_ratio` is
    of ict's solve alone; all in one run. `hypre_least` is the fewer of HYPRE's ranks and ParAC's threads.
    """
    whole = solved(cases)
    codes = by_code(whole, CODES)
    ours = codes["parac_cpu"]
    codes["hypre"] = on_ranks(whole).reindex(ours.index)
    rows = wide(codes, [*PARTS, "total", *FACTS, "threads_used", "ranks"], inputs(cases))
    for prefix, code in RATIOS.items():
        rows = rows.join(over(codes[code], ours, (code, "parac_cpu")).add_prefix(prefix))
    solve = timed(of(whole, "ict"), phases(*PARTS["solve"]))
    rows = rows.join(over(solve, ours, ("ict", "parac_cpu")).add_prefix("solve_"))
    threads = rows["parac_cpu_threads_used"].fillna(1.0)
    least = rows["hypre_ranks"].clip(upper=threads)
    return beside_print(rows.assign(hypre_least=least, status=rows["status_parac_cpu"]), prints())


def on_ranks(whole: pd.DataFrame) -> pd.DataFrame:
    """Return by input HYPRE on as many ranks as ParAC has threads, in the order that takes less.

    Without such a result, on those of the others that take least, of ParAC's run if any is.
    """
    hypre = whole[whole["implementation"] == "hypre"]
    hypre = hypre.assign(ranks=option(hypre["variant"], "ranks").fillna(1).astype(float))
    ours, ok = on(hypre, whole[whole["variant"] == "parac_cpu"]), hypre["status"] == "ok"
    order = pd.DataFrame(
        {
            "failed": ~ok,
            "other_run": ok & (hypre["run_id"] != ours["run_id"]),
            "other_ranks": ok & (hypre["ranks"] != ours["threads_used"]),
            "total": hypre["total"],
        }
    )
    ordered = hypre.loc[order.sort_values([*map(str, order)], kind="stable").index]
    return by_input(ordered.drop_duplicates(KEY))


def prints() -> pd.DataFrame:
    """Return what is printed of each matrix, and the ratios of its totals."""
    columns = printed(CPU, PRINTED)
    ours, ict, hypre = (
        columns[f"paper_{code}_factor"] + columns[f"paper_{code}_solve"] for code in ITERATIONS.values()
    )
    return columns.assign(paper_ratio=ict / ours, paper_hypre_ratio=hypre / ours)


def _with_after(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with what follows of the factor: here analysis and solve, in print one number."""
    frame = below_stand_ins(frame, prints())
    for code in ITERATIONS.values():
        frame[f"{code}_after"] = frame[f"{code}_analysis"] + frame[f"{code}_solve"]
        frame[f"paper_{code}_after"] = frame[f"paper_{code}_solve"]
    return frame


def facts(frame: pd.DataFrame) -> Mapping[str, str]:
    """Return on how many ranks HYPRE is, beside how many threads of ParAC; which peers have no result."""
    there = frame[frame["hypre_ranks"].notna()]
    ranks, threads = (
        listed(there[name].dropna().map("{:.0f}".format))
        for name in ("hypre_ranks", "parac_cpu_threads_used")
    )
    hypre = f"""HYPRE: BoomerAMG and its conjugate gradients, without assembling its matrix, in ParAC's order
        or reverse Cuthill and McKee's, the faster measured; ranks: {ranks}; threads of ParAC: {threads}."""
    has_pyamg = (frame["status_pyamg"] == "ok").any()
    return {
        "hypre": hypre if len(there) else "HYPRE has no result here.",
        "pyamg": "PyAMG: sequential." if has_pyamg else "PyAMG has no result here.",
    }


EXHIBIT = Exhibit(
    PAPER,
    "ParAC, Table 2",
    "seconds to solution on the CPU",
    frame,
    Sheet(
        [
            *parts_of("parac_cpu", "ParAC", factor="factor", after="solve", iterations="iter."),
            *parts_of("ict", "incomplete Cholesky", factor="factor", after="solve", iterations="iter."),
            *parts_of("hypre", "HYPRE", factor="set-up", after="solve", iterations="iter."),
            *parts_of("pyamg", "PyAMG", total="total", iterations="iter."),
            Column("inc. Chol.", "ratio", times, "total over ParAC's"),
            Column("HYPRE", "hypre_ratio", times, "total over ParAC's"),
            Column("PyAMG", "amg_ratio", times, "total over ParAC's"),
        ],
        _with_after,
    ),
    f"""Medians of the factor, and of what follows; in grey what is printed, of a stand-in of the matrix
    named. ParAC: parac_cpu on all cores; incomplete Cholesky: ict, ours, its factor on one core, at the drop
    tolerance that gives it ParAC's fill. {{hypre}} The paper's had 32 threads. {{pyamg}} The residuals that
    the paper prints are left out. {RULE}""",
    facts,
    claims=(CLAIM,),
    subsets={"threads": THREADS, "ranks": RANKS},
    one_run=True,
)  # fmt: skip
