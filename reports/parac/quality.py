"""Beyond the paper: the parallel factors as preconditioners, beside the sequential one."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports import bars
from reports.device import columns_of
from reports.figures import Entries, FigureSpec
from reports.gains import gains_legend
from reports.parac.paper import RULE, absent_in_words, names_of, ordered_how, solved_frame
from reports.records import Records
from reports.style import LARGE, new_figure
from reports.timed import NO_RESULT, name_matrices, told_in_words, width

SEQUENTIAL = "ac_sequential"
ALL = (SEQUENTIAL, "parac_cpu", "parac_gpu")
ITERATIONS = bars.Panel(
    "iterations", "iterations", "iterations", "iterations", points=True, form="{:,.0f}".format, log=False
)


def is_compared(case: Case) -> bool:
    """A solution with an approximate factor, by default options and seed."""
    return case.stage == "laplacian" and case.implementation in ALL and not case.options and not case.seed


def quality_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a case and machine: iterations, residual, entries of the factor, and by how many iterations and
    entries it differs from the sequential factor on that machine (more_iterations, more_entries)."""
    frame = solved_frame(records, entries, [case for case in cases if is_compared(case)])
    frame["series"] = names_of(frame, frame["implementation"].tolist())
    keys = ["label", "preparation", "machine"]
    rows = [(tuple(row[key] for key in keys), row) for row in frame.to_dict("records")]
    for name, column in (("iterations", "more_iterations"), ("nnz_factor", "more_entries")):
        alone = {key: row[name] for key, row in rows if row["implementation"] == SEQUENTIAL}
        held = [alone.get(key) for key, _ in rows]
        frame[column] = frame[name] - pd.Series(held, index=frame.index, dtype="float64")
    numbers = ("iterations", "residual", "nnz_factor", "more_iterations", "more_entries")
    return columns_of(frame, "implementation", *numbers)


def quality(frame: pd.DataFrame) -> Figure:
    """Iterations, a point an implementation."""
    figure = new_figure(width(frame), 6.0)
    axes = figure.subplots()
    figure.suptitle(
        "Beyond the paper: iterations with the sequential and the parallel factors", x=0.01, ha="left",
        fontsize=LARGE, weight="bold",
    )  # fmt: skip
    idle, _ = told_in_words(frame)
    shown = frame[~idle]
    bars.bar_panel(axes, shown, ITERATIONS, pd.Series(True, index=shown.index))
    axes.set_ylim(0, 1.3 * max([1.0, *shown["iterations"].dropna()]))
    gains_legend(axes, shown)
    name_matrices(axes, shown)
    return figure


def quality_caption(frame: pd.DataFrame) -> str:
    """Whether the parallel factors are worse."""
    others = frame[(frame["implementation"] != SEQUENTIAL) & frame["more_entries"].notna()]
    same = int(((others["more_entries"] == 0) & (others["more_iterations"] == 0)).sum())
    said = f"{same} of {len(others)} have its entries and its iterations to the last. " if len(others) else ""
    return (
        "Of one seed ac_sequential, parac_cpu and parac_gpu give one factor, bit for bit, which the gate "
        f"of the stage cholesky checks: parallelism costs no quality. {said}{RULE}{NO_RESULT} "
        f"{absent_in_words(frame)}{ordered_how(frame)}"
    )


SPEC = FigureSpec(
    "Beyond the paper: iterations with the sequential and the parallel factors",
    is_compared,
    quality_frame,
    quality,
    quality_caption,
)
