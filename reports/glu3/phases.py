"""Beyond the paper: each phase of a solution, with other direct solvers."""

import pandas as pd
from matplotlib.axes import Axes

from fillpath.record import UNTRIED
from reports.exhibit import Exhibit
from reports.glu3.solutions import PARTS, draw_solutions, unavailable, with_parts
from reports.shapes import bars
from reports.shapes.stacked import with_shares
from reports.verbs import with_groups

# Not meant to be run on most matrices: CHOLMOD takes symmetric positive definite ones alone.
FEW = ("cholmod", "cusolver_rf", "mumps")


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case: its seconds, those of each part and their share, and the residual."""
    return with_shares(with_groups(with_parts(cases)), PARTS)


def _residuals(axes: Axes, frame: pd.DataFrame) -> None:
    unknown = (frame["status"] == "ok") & ~(frame["residual"] > 0)
    known = frame.assign(status=frame["status"].mask(unknown, "none"))
    bars.bar_panel(axes, known, "residual, log axis", "residual")


def facts(frame: pd.DataFrame) -> dict[str, str]:
    """Return what was not run, or could not be."""
    run = frame[~frame["status"].isin(UNTRIED) & ~frame["implementation"].isin(FEW)]
    total, counts = run["label"].nunique(), run.groupby("series", sort=False)["label"].nunique()
    gaps = ", ".join(f"{name} ({count})" for name, count in counts.items() if count < total)
    return {"absent": unavailable(frame) + (f" Not run on all {total} matrices: {gaps}." if gaps else "")}


CAPTION = """Seconds, the share of each phase, and the gate's residual. lu_cpu and lu_gpu do not pivot for
    size; direct_gpu pivots within blocks of 32 rows. SuperLU, KLU, PARDISO, MUMPS, UMFPACK and CHOLMOD run on
    one core. They order the matrix anew, like cuDSS without ordering=given.{absent}"""
SHAPE = draw_solutions(PARTS, "seconds, log axis", 10.5, _residuals)
SPAN = "the prepared matrix resident in memory to x resident there, without making b"
EXHIBIT = Exhibit(frame, SHAPE, CAPTION, facts, span=SPAN)
