"""Table 2: time to solution on the CPU, beside incomplete Cholesky at equal fill and multigrid."""

from functools import partial

import pandas as pd

from reports.exhibit import Exhibit
from reports.facts.naming import listed
from reports.parac import solution
from reports.parac.solution import RULE, below_stand_ins, columns_of
from reports.shapes.bars import times
from reports.shapes.sheet import Column, Sheet
from reports.table import KEY, phases, timed
from reports.verbs import by_code, by_input, inputs, of, on, option, over, wide

CODES = {code: code for code in ("parac_cpu", "ict", "pyamg")}
# Ratios by what the columns begin with: which total over ParAC's.
RATIOS = {"": "ict", "amg_": "pyamg", "hypre_": "hypre"}


def prints() -> pd.DataFrame:
    """Return what is printed of each matrix, and the ratios of its totals."""
    names = {"parac": "parac_cpu", "ichol": "ict", "setup": "factor", "solve": "after"}
    columns = solution.printed("parac_table2_cpu", names)
    codes = ("parac_cpu", "ict", "hypre")
    ours, ict, hypre = (columns[f"paper_{code}_factor"] + columns[f"paper_{code}_after"] for code in codes)
    return columns.assign(paper_ratio=ict / ours, paper_hypre_ratio=hypre / ours)


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and ordering: of each code seconds of a solution and of its parts, iterations
    and residual, beside the print. HYPRE's factor is its set-up.

    `ratio`, `amg_ratio` and `hypre_ratio` are totals of ict, PyAMG and HYPRE over ParAC's, `solve_ratio` is
    of ict's solve alone; all in one run. `hypre_least` is the fewer of HYPRE's ranks and ParAC's threads.
    """
    whole = solution.solved(cases)
    codes = by_code(whole, CODES)
    ours = codes["parac_cpu"]
    codes["hypre"] = on_ranks(whole).reindex(ours.index)
    rows = wide(codes, [*solution.NUMBERS, "threads_used", "ranks"], inputs(cases))
    for prefix, code in RATIOS.items():
        rows = rows.join(over(codes[code], ours, (code, "parac_cpu")).add_prefix(prefix))
    solve = timed(of(whole, "ict"), phases("solve"))
    rows = rows.join(over(solve, ours, ("ict", "parac_cpu")).add_prefix("solve_"))
    least = rows["hypre_ranks"].clip(upper=rows["parac_cpu_threads_used"].fillna(1.0))
    return solution.beside_print(rows.assign(hypre_least=least, status=rows["status_parac_cpu"]), prints())


def on_ranks(whole: pd.DataFrame) -> pd.DataFrame:
    """Return by input HYPRE on as many ranks as ParAC has threads, in the order that takes less.

    Without such a result, on those of the others that take least, of ParAC's run if any is.
    """
    hypre = whole[whole["implementation"] == "hypre"]
    ranks = option(hypre["variant"], "ranks").fillna(1).astype(float)
    ours, ok = on(hypre, whole[whole["variant"] == "parac_cpu"]), hypre["status"] == "ok"
    ways = {"other_run": hypre["run_id"] != ours["run_id"], "other_ranks": ranks != ours["threads_used"]}
    rows = hypre.assign(ranks=ranks, failed=~ok, **{way: ok & other for way, other in ways.items()})
    return by_input(rows.sort_values(["failed", *ways, "total"]).drop_duplicates(KEY))


def facts(frame: pd.DataFrame) -> dict[str, str]:
    """Return on how many ranks HYPRE is, beside how many threads of ParAC."""
    there = frame[frame["hypre_ranks"].notna()]
    counts = {"ranks": there["hypre_ranks"], "threads": there["parac_cpu_threads_used"].dropna()}
    return {name: listed(count.map("{:.0f}".format)) for name, count in counts.items()}


EXHIBIT = Exhibit(
    "seconds to solution on the CPU",
    frame,
    Sheet(
        [
            *columns_of("parac_cpu", "ParAC", factor="factor", after="solve", iterations="iter."),
            *columns_of("ict", "incomplete Cholesky", factor="factor", after="solve", iterations="iter."),
            *columns_of("hypre", "HYPRE", factor="set-up", after="solve", iterations="iter."),
            *columns_of("pyamg", "PyAMG", total="total", iterations="iter."),
            Column("inc. Chol.", "ratio", times, "total over ParAC's"),
            Column("HYPRE", "hypre_ratio", times, "total over ParAC's"),
            Column("PyAMG", "amg_ratio", times, "total over ParAC's"),
        ],
        lambda frame: below_stand_ins(frame, prints()),
    ),
    f"""Medians of the factor, and of what follows; in grey what is printed, of a stand-in of the matrix
    named. ParAC: parac_cpu on all cores; incomplete Cholesky: ict, ours, its factor on one core, at the drop
    tolerance that gives it ParAC's fill; HYPRE: BoomerAMG and its conjugate gradients, without assembling its
    matrix, in ParAC's order or reverse Cuthill and McKee's, the faster measured (ranks: {{ranks}}; threads of
    ParAC: {{threads}}; of the paper's: 32); PyAMG: sequential. {RULE}""",
    facts,
    subsets={
        "threads": partial(solution.by_threads, threads="parac_cpu_threads_used"),
        "ranks": partial(solution.by_threads, threads="hypre_least"),
    },
)
