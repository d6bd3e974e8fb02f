"""What figures of linear systems share: which phases of each solver make up which part of its seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from reports.shapes.stacked import Part
from reports.shapes.style import PALETTE
from reports.table import HELD_BY_NORMS, phase_medians

REST = Part("rest", "conversion, rest", "#bbbbbb")
PARTS = (
    Part("ordering", "ordering", PALETTE[3]),
    Part("analysis", "ordering and symbolic at once", "#882255"),
    Part("symbolic", "symbolic", PALETTE[0]),
    Part("levels", "levels, A's values on F, index maps", PALETTE[1]),
    Part("numeric", "numeric", PALETTE[4]),
    Part("both", "symbolic and numeric at once", PALETTE[2]),
    Part("triangular", "triangular solves", PALETTE[6]),
    Part("refine", "refinement", PALETTE[5]),
    REST,
)
_SAME: Mapping[str, Sequence[str]] = {
    "numeric": ["numeric"],
    "triangular": ["triangular"],
    "refine": ["refine"],
}
_STAGES = {**_SAME, "symbolic": ["symbolic"], "levels": ["columns", "levels", "assemble"]}
_ANALYSED = {**_SAME, "analysis": ["analysis"]}
_AT_ONCE = {"both": ["factorise"], "triangular": ["triangular"], "refine": ["refine"]}
# The phases of each part, by implementation.
PHASES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "lu_cpu": _STAGES,
    "lu_gpu": _STAGES,
    "superlu": _AT_ONCE,
    "klu": {**_AT_ONCE, "ordering": ["analysis"]},
    "pardiso": _ANALYSED,
    "mumps": _ANALYSED,
    "cusolver_rf": {**_SAME, "both": ["to_host", "factorise", "traverse", "set_up", "analysis"]},
    "umfpack": _ANALYSED,
    "cholmod": _ANALYSED,
    "direct_gpu": {
        **_SAME,
        "symbolic": ["fronts"],
        "levels": ["maps", "parts"],
        "triangular": ["inverses", "triangular"],
    },
    "cudss": {**_SAME, "ordering": ["separators", "reordering"], "symbolic": ["symbolic"]},
}


def with_parts(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with `seconds_<part>` of PARTS, medians as their whole is one, and the residual.

    A part that an implementation does not have is unknown; the rest is what no part has. `bound` is the
    largest residual that passed the gate, where the gate held norms.
    """
    found = [
        phase_medians(part, {f"seconds_{name}": phases for name, phases in PHASES[str(code)].items()})
        for code, part in rows.groupby("implementation", sort=False)
    ]
    columns = [part.seconds for part in PARTS]
    seconds = pd.concat([pd.DataFrame(columns=columns, dtype="float64"), *found]).reindex(rows.index)
    ok = rows["status"] == "ok"
    rest = (rows["median"] - seconds.sum(axis=1)).clip(lower=0.0).where(ok)
    residual = rows.reindex(columns=["normwise_error"])["normwise_error"].fillna(rows["verified_value"])
    bound = rows["verified_bound"].where(rows["reason"] == HELD_BY_NORMS)
    return rows.assign(
        **seconds.assign(seconds_rest=rest), residual=residual.where(ok), bound=bound.where(ok)
    )


def unavailable(rows: pd.DataFrame) -> str:
    """Return a sentence of which series could not be run anywhere, and why; empty for none."""
    tried = set(rows.loc[rows["status"] != "unavailable", "series"])
    idle = rows[~rows["series"].isin(tried)]
    names = idle.groupby("reason", sort=False)["implementation"].agg(
        lambda each: ", ".join(sorted(set(each)))
    )
    parts = "; ".join(f"{codes}: unavailable, {reason}" for reason, codes in names.items())
    return f" {parts}." if parts else ""
