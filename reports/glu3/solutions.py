"""Shared parts of figures of linear systems: the phases of each solver, and the way from the raw matrix."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from reports.facts.naming import listed
from reports.shapes import bars
from reports.shapes.axes import Draw, Panels
from reports.shapes.stacked import Part, stacked_panel
from reports.shapes.style import PALETTE
from reports.table import HELD_BY_NORMS, SECONDS
from reports.verbs import fact, on, phase_medians

PARTS = (
    Part("ordering", "ordering", PALETTE[3]),
    Part("analysis", "ordering and symbolic at once", "#882255"),
    Part("symbolic", "symbolic", PALETTE[0]),
    Part("levels", "levels, A's values on F, index maps", PALETTE[1]),
    Part("numeric", "numeric", PALETTE[4]),
    Part("both", "symbolic and numeric at once", PALETTE[2]),
    Part("triangular", "triangular solves", PALETTE[6]),
    Part("refine", "refinement", PALETTE[5]),
    Part("rest", "conversion, rest", "#bbbbbb"),
)
_SAME = {"numeric": ["numeric"], "triangular": ["triangular"], "refine": ["refine"]}
_STAGES = {**_SAME, "symbolic": ["symbolic"], "levels": ["columns", "levels", "assemble"]}
_ANALYSED = {**_SAME, "analysis": ["analysis"]}
_AT_ONCE = {"both": ["factorise"], "triangular": ["triangular"], "refine": ["refine"]}
_DIRECT = {"symbolic": ["fronts"], "levels": ["maps", "parts"], "triangular": ["inverses", "triangular"]}
PHASES = {
    **dict.fromkeys(("lu_cpu", "lu_gpu"), _STAGES),
    **dict.fromkeys(("pardiso", "mumps", "umfpack", "cholmod"), _ANALYSED),
    "superlu": _AT_ONCE,
    "klu": {**_AT_ONCE, "ordering": ["analysis"]},
    "cusolver_rf": {**_SAME, "both": ["to_host", "factorise", "traverse", "set_up", "analysis"]},
    "direct_gpu": {**_SAME, **_DIRECT},
    "cudss": {**_SAME, "ordering": ["separators", "reordering"], "symbolic": ["symbolic"]},
}
_BEFORE = [*SECONDS, "status", "case", "run_id", "host", "runs", "height", "counted_entries"]


def with_parts(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with `seconds_<part>` of PARTS, the residual, and its `bound` if norms were held."""
    seconds = pd.DataFrame(np.nan, rows.index, [f"seconds_{part.name}" for part in PARTS])
    for code, part in rows.groupby("implementation"):
        spans = {f"seconds_{name}": phases for name, phases in PHASES[str(code)].items()}
        seconds.update(phase_medians(part, spans))
    ok = rows["status"] == "ok"
    seconds["seconds_rest"] = (rows["median"] - seconds.sum(axis=1)).clip(lower=0.0).where(ok)
    residual = fact(rows, "normwise_error").fillna(rows["verified_value"])
    bound = rows["verified_bound"].where(rows["reason"] == HELD_BY_NORMS)
    return rows.join(seconds).assign(residual=residual.where(ok), bound=bound.where(ok))


def with_preparation(cases: pd.DataFrame) -> pd.DataFrame:
    """Return the solutions, with the columns of their preparations as `before_<column>`."""
    is_prepared = cases["stage"] == "preparation"
    rows = cases[~is_prepared].reset_index(drop=True)
    before = on(rows, cases[is_prepared]).reindex(columns=_BEFORE)
    before["runs"] = [each if isinstance(each, tuple) else () for each in before["runs"]]
    return rows.join(before.add_prefix("before_"))


def add_way(rows: pd.DataFrame, is_prepared: "pd.Series[bool]") -> pd.DataFrame:
    """Return the rows with preparation, where it counts, and transfers added, of one host and run."""
    ok = rows["status"] == "ok"
    # A stopped call took at least so long, wherever its result would have gone.
    moved = rows["transfers"].where(ok, 0.0)
    ends = {end: rows[end] + rows[f"before_{end}"].where(is_prepared, 0.0) + moved for end in SECONDS}
    theirs = rows[["before_host", "before_run_id"]].set_axis(["host", "run_id"], axis=1)
    ours = rows[[*theirs]]
    differ = ours.notna() & theirs.notna() & (ours != theirs)
    added = ok & is_prepared
    whys = {
        "no preparation": added & (rows["before_status"] != "ok"),
        "two_hosts": added & differ["host"],
        "two_runs": added & differ["run_id"],
        "no transfers": ok & rows["transfers"].isna(),
    }
    status = np.select([*whys.values()], [*whys], rows["status"].astype("object"))
    known = status == rows["status"]
    return rows.assign(**{end: seconds.where(known) for end, seconds in ends.items()}, status=status)


def draw_solutions(parts: Sequence[Part], label: str, height: float, *more: Draw) -> Panels:
    """Return what draws the seconds of solutions, the share of their parts, and more panels below."""

    def whole(axes: Axes, frame: pd.DataFrame) -> None:
        bars.bar_panel(axes, frame, label)
        bars.legend(axes)

    def shares(axes: Axes, frame: pd.DataFrame) -> None:
        stacked_panel(axes, frame, parts, "share of its seconds")

    return Panels([whole, shares, *more], height, lambda frame: frame.assign(stand_in_for=None))


def unavailable(rows: pd.DataFrame) -> str:
    """Return a sentence of which series could not be run anywhere, and why; empty for none."""
    idle = rows.groupby("series").filter(lambda own: (own["status"] == "unavailable").all())
    names = idle.groupby("reason", sort=False)["implementation"].agg(listed)
    parts = "; ".join(f"{codes}: unavailable, {reason}" for reason, codes in names.items())
    return f" {parts}." if parts else ""
