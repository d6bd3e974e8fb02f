"""Table 2: seconds to solution on the CPU."""

from functools import partial

import pandas as pd

from reports.exhibit import Exhibit
from reports.facts.naming import listed
from reports.parac import solution
from reports.parac.solution import RULE, columns_of, in_each_order, sheet
from reports.shapes.bars import times
from reports.shapes.sheet import columns
from reports.table import phases, timed
from reports.verbs import KEY, by_code, by_input, inputs, of, on, option, over, wide

PRINTED = solution.printed(
    "parac_table2_cpu", {"parac": "parac_cpu", "ichol": "ict", "setup": "factor", "solve": "after"}
)
OURS, ICT, HYPRE = (
    PRINTED[f"paper_{code}_factor"] + PRINTED[f"paper_{code}_after"] for code in ("parac_cpu", "ict", "hypre")
)
PRINTED = PRINTED.assign(paper_ratio=ICT / OURS, paper_hypre_ratio=HYPRE / OURS)


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per input: NUMBERS of each code, the print, ratios of totals, `solve_ratio`."""
    whole = in_each_order(solution.solved(cases))
    codes = by_code(whole, {code: code for code in ("parac_cpu", "ict", "pyamg")})
    ours = codes["parac_cpu"]
    codes["hypre"] = on_ranks(whole).reindex(ours.index)
    rows = wide(codes, [*solution.NUMBERS, "threads_used", "ranks"], inputs(whole))
    for prefix, code in {"": "ict", "amg_": "pyamg", "hypre_": "hypre"}.items():
        rows = rows.join(over(codes[code], ours, (code, "parac_cpu")).add_prefix(prefix))
    solve = timed(of(whole, "ict"), phases("solve"))
    rows = rows.join(over(solve, ours, ("ict", "parac_cpu")).add_prefix("solve_"))
    least = rows["hypre_ranks"].clip(upper=rows["parac_cpu_threads_used"].fillna(1.0))
    return solution.beside_print(rows.assign(hypre_least=least, status=rows["status_parac_cpu"]), PRINTED)


def on_ranks(whole: pd.DataFrame) -> pd.DataFrame:
    """Return HYPRE on ParAC's number of ranks, else on those that take least; the fastest variant."""
    hypre = whole[whole["implementation"] == "hypre"]
    ranks = option(hypre["variant"], "ranks").fillna(1).astype(float)
    ours, ok = on(hypre, whole[whole["variant"] == "parac_cpu"]), hypre["status"] == "ok"
    ways = {"other_run": hypre["run_id"] != ours["run_id"], "other_ranks": ranks != ours["threads_used"]}
    rows = hypre.assign(ranks=ranks, failed=~ok, **{way: ok & other for way, other in ways.items()})
    return by_input(rows.sort_values(["failed", *ways, "total"]).drop_duplicates(KEY))


def facts(frame: pd.DataFrame) -> dict[str, str]:
    """Return a subset per number of HYPRE's ranks and of ParAC's threads."""
    counts = {"ranks": frame["hypre_ranks"], "threads": frame["parac_cpu_threads_used"]}
    return {name: listed(count.dropna().map("{:.0f}".format)) for name, count in counts.items()}


COLUMNS = [
    *columns_of("parac_cpu", "ParAC", factor="factor", after="solve", iterations="iter."),
    *columns_of("ict", "incomplete Cholesky", factor="factor", after="solve", iterations="iter."),
    *columns_of("hypre", "HYPRE", factor="set-up", after="solve", iterations="iter."),
    *columns_of("pyamg", "PyAMG", total="total", iterations="iter."),
    *columns("total over ParAC's", times, ratio="inc. Chol.", hypre_ratio="HYPRE", amg_ratio="PyAMG"),
]
CAPTION = f"""Grey: the print, for a stand-in that of the named matrix. ParAC: all cores. Incomplete Cholesky:
    our ict at ParAC's fill, its factor on one core. Multigrid is given the matrix in its own order. HYPRE:
    BoomerAMG, in RCM's order where that is faster, by the faster of its products for coarse levels, without
    ordering and assembly (ranks: {{ranks}}; threads of ParAC: {{threads}}; printed: 32). PyAMG: sequential.
    {RULE}"""
SUBSETS = {
    "threads": partial(solution.by_threads, threads="parac_cpu_threads_used"),
    "ranks": partial(solution.by_threads, threads="hypre_least"),
}
EXHIBIT = Exhibit(frame, sheet(COLUMNS, PRINTED), CAPTION, facts, subsets=SUBSETS)
