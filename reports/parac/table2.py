"""Table 2: time to solution on the CPU, beside incomplete Cholesky at equal fill and multigrid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from fillpath.dicts import Row
from reports.exhibit import Exhibit, Held, Subset
from reports.facts.inputs import Inputs
from reports.facts.naming import listed
from reports.facts.printed import printed_column
from reports.frames.parac import CPU, PAPER, RULE, by_threads, of_span, ordered_how, over, printed_sum
from reports.frames.seconds import ratio_of
from reports.frames.solutions import beside_print, matrices_frame, numbers_of
from reports.frames.variants import number, paired
from reports.shapes.bars import times
from reports.shapes.printed import Beside, Solutions, parts_of

CLAIM = "table2_cpu"
# On how many ranks HYPRE is measured.
RANKS = (1, 2, 4, 8, 16)
# In the order that ParAC has, and in one that keeps neighbours together.
ORDERS = ("hypre", "hypre.order=rcm")
ON_RANKS = {order if ranks == 1 else f"{order}.ranks={ranks}": ranks for order in ORDERS for ranks in RANKS}
VARIANTS = ("parac_cpu", "ict", "pyamg", *ON_RANKS)
# What the columns of each begin with; of HYPRE those of its ranks that are compared.
NAMES = ("parac_cpu", "ict", "pyamg", "hypre")
# What the paper prints of each, by the column of ours that it stands in.
PRINTED = {
    "parac_cpu": ("parac", "factor_s", "solve_s"),
    "ict": ("ichol", "factor_s", "solve_s"),
    "hypre": ("hypre", "setup_s", "solve_s"),
}
# Of each variant: heading, width, part; `after` is what follows of the factor.
SHOWN = (
    ("factor", 0.85, "factor"),
    ("solve", 0.85, "after"),
    ("iter.", 0.7, "iterations"),
)
OF_HYPRE = (("set-up", 0.85, "factor"), *SHOWN[1:])
OF_PYAMG = (("total", 0.85, "total"), *SHOWN[2:])
# Of whom the paper prints iterations, by the claim's name.
ITERATIONS = {"iterations": "parac_cpu", "ichol_iterations": "ict", "hypre_iterations": "hypre"}


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, ordering and machine: of each variant status, seconds of factor, analysis, solve
    and all three, iterations and true relative residual, beside the print. HYPRE's factor is its set-up.

    ratio, amg_ratio, hypre_ratio : total of ict, of PyAMG and of HYPRE over ParAC's
    solve_ratio : solve alone of ict over ParAC's total; all in one run
    threads_used, hypre_ranks : those that ParAC and that HYPRE ran on
    hypre_least : the fewer of these
    hypre_alone : seconds of HYPRE in all on one rank.
    """
    others = ("solve_", "amg_", "hypre_")
    more = ["threads_used", "hypre_ranks", "hypre_least", "hypre_alone"]
    return matrices_frame(inputs, VARIANTS, NAMES, _numbers, _print(), others, more)


def _print() -> dict[str, Mapping[str, float | None]]:
    """The printed columns by the names that they have in the frame."""
    prints: dict[str, Mapping[str, float | None]] = {}
    for name, (theirs, factor, solve) in PRINTED.items():
        columns = {"factor": factor, "solve": solve, "iterations": "iter", "residual": "relres"}
        prints |= {
            f"paper_{name}_{ours}": printed_column(PAPER, CPU, f"{theirs}_{c}") for ours, c in columns.items()
        }
    ours = printed_sum(CPU, "parac_factor_s", "parac_solve_s")
    prints["paper_ratio"] = over(printed_sum(CPU, "ichol_factor_s", "ichol_solve_s"), ours)
    prints["paper_hypre_ratio"] = over(printed_sum(CPU, "hypre_setup_s", "hypre_solve_s"), ours)
    return prints


def _numbers(by_variant: Mapping[str, Row]) -> dict[str, Any]:
    """What a row says of the variants of its matrix."""
    on_ranks, ranks = _on_ranks(by_variant)
    rows = {**{name: by_variant.get(name) for name in NAMES}, "hypre": on_ranks}
    numbers = numbers_of(rows, "parac_cpu")
    timed = number(on_ranks, "total") is not None
    ict, ours = rows["ict"], rows["parac_cpu"]
    return {
        **numbers,
        "threads_used": number(ours, "threads_used"),
        "hypre_ranks": float(ranks) if timed else None,
        "hypre_least": min(float(ranks), number(ours, "threads_used") or 1.0) if timed else None,
        "hypre_alone": min(
            filter(None, (number(by_variant.get(name), "total") for name in ORDERS)), default=None
        ),
        **paired("", ratio_of(ict, ours, ("ict", "parac_cpu"))),
        **paired("solve_", ratio_of(ict and of_span(ict, "solve"), ours, ("ict", "parac_cpu"))),
        **paired("amg_", ratio_of(rows["pyamg"], ours, ("pyamg", "parac_cpu"))),
        **paired("hypre_", ratio_of(rows["hypre"], ours, ("hypre", "parac_cpu"))),
    }


def _on_ranks(by_variant: Mapping[str, Row]) -> tuple[Row | None, int]:
    """HYPRE on as many ranks as ParAC has threads, in the order that takes less, and how many; without such a
    result, on those of the others that take least, of ParAC's run if any is; without any, on one."""
    ours = by_variant.get("parac_cpu")
    run, threads = ours["run_id"] if ours else None, number(ours, "threads_used")
    timed = [name for name in ON_RANKS if number(by_variant.get(name), "total") is not None]
    timed = [name for name in timed if by_variant[name]["run_id"] == run] or timed
    chosen = [name for name in timed if ON_RANKS[name] == threads] or timed
    first = min(chosen, key=lambda name: float(by_variant[name]["total"]), default="hypre")
    return by_variant.get(first), ON_RANKS[first]


def _with_after(frame: pd.DataFrame) -> pd.DataFrame:
    """With what follows of the factor: here analysis and solve, in print one number."""
    frame = beside_print(frame, _print())
    here = {f"{name}_after": frame[f"{name}_analysis"] + frame[f"{name}_solve"] for name in NAMES}
    return frame.assign(**here, **{f"paper_{name}_after": frame[f"paper_{name}_solve"] for name in PRINTED})


def _threads(frame: pd.DataFrame) -> list[Subset]:
    return by_threads(frame, "threads_used")


def _ranks(frame: pd.DataFrame) -> list[Subset]:
    return by_threads(frame, "hypre_least")


def _hypre(frame: pd.DataFrame) -> str:
    """The caption's part on HYPRE: on how many ranks, beside how many threads of ParAC; or that it has no
    result."""
    there = frame[frame["hypre_ranks"].notna()]
    if there.empty:
        return "" if frame.empty else "HYPRE has no result here. "
    ranks, threads = (
        listed(f"{number:.0f}" for number in there[name].dropna()) for name in ("hypre_ranks", "threads_used")
    )
    beside = f"ranks: {ranks}; threads of ParAC: {threads}"
    how = (
        "without assembling its matrix, in ParAC's order or reverse Cuthill and McKee's, the faster measured"
    )
    return f"HYPRE: BoomerAMG and its conjugate gradients, {how}; {beside}. "


def _pyamg(frame: pd.DataFrame) -> str:
    there = frame.empty or (frame["status_pyamg"] == "ok").any()
    return "PyAMG: sequential. " if there else "PyAMG has no result here. "


def _facts(frame: pd.DataFrame) -> Mapping[str, str]:
    return {"rule": RULE, "hypre": _hypre(frame), "pyamg": _pyamg(frame), "ordered": ordered_how(frame)}


EXHIBIT = Exhibit(
    PAPER,
    "ParAC, Table 2",
    "seconds to solution on the CPU",
    frame,
    Solutions(
        [
            *parts_of("parac_cpu", "ParAC", SHOWN),
            *parts_of("ict", "incomplete Cholesky", SHOWN),
            *parts_of("hypre", "HYPRE", OF_HYPRE),
            *parts_of("pyamg", "PyAMG", OF_PYAMG),
            Beside("inc. Chol.", 1.1, "total over ParAC's", "ratio", times),
            Beside("HYPRE", 0.85, "total over ParAC's", "hypre_ratio", times),
            Beside("PyAMG", 0.85, "total over ParAC's", "amg_ratio", times),
        ],
        _with_after,
    ),
    """Medians of the factor, and of what follows; in grey what is printed, of a stand-in of the matrix named.
    ParAC: parac_cpu on all cores; incomplete Cholesky: ict, ours, its factor on one core, at the drop
    tolerance that gives it ParAC's fill. {hypre}The paper's had 32 threads. {pyamg}The
    residuals that the paper prints are left out. {rule}{ordered}""",
    _facts,
    held=(
        Held(
            CLAIM, "ratio", ("below_ichol", "over_ichol"), "pair",
            "seconds, total of incomplete Cholesky over ParAC's", subsets=_threads,
        ),
        Held(
            CLAIM, "solve_ratio", ("below_ichol_solve",), "solve_pair",
            "seconds, solve alone of incomplete Cholesky over ParAC's total", subsets=_threads,
        ),
        Held(CLAIM, "hypre_ratio", ("below_hypre", "over_hypre"), "hypre_pair", subsets=_ranks),
        Held(
            CLAIM, "amg_ratio", ("below_hypre",), "amg_pair",
            "seconds, total of multigrid over ParAC's: PyAMG, where HYPRE is printed", beside=True,
        ),
        *(
            Held(CLAIM, f"{ours}_iterations", (name,), f"status_{ours}")
            for name, ours in ITERATIONS.items()
        ),
    ),
    one_run=True,
)  # fmt: skip
