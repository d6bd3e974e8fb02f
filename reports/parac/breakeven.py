"""Beyond the paper: time to solution against right-hand sides, and where the peers take over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fillpath.dicts import Row
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.inputs import Inputs
from reports.frames.order import in_papers_order
from reports.frames.parac import PAPER, RULE, ordered_how, solved_frame
from reports.frames.seconds import of_several_hosts
from reports.frames.variants import by_matrix, finished, number, status_of
from reports.shapes.bars import seconds
from reports.shapes.tables import Column, Table, matrix_column

OURS = "parac_cpu"
# The peers, as the columns name them.
PEERS = {
    "ict": "ichol",
    "pyamg": "multigrid",
    "apxchol": "apxchol",
    "approx_chol": "approx-chol",
}
VARIANTS = (OURS, *PEERS)
ALWAYS, NEVER = "any number", "none"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, ordering and machine. Of each implementation status, seconds of `setup`, factor and
    analysis, and of `each` right-hand side; of each peer `breakeven`, the right-hand sides up to which ParAC
    takes no longer than it in the same run, on one host: infinite where it never takes longer, 0 where it
    always does."""
    solved = in_papers_order(solved_frame(inputs), PAPER)
    solved["setup"] = solved["factor"] + solved["analysis"]
    solved["each"] = solved["solve"]
    rows = by_matrix(solved, VARIANTS, _numbers)
    names = [f"{name}_{part}" for name in VARIANTS for part in ("setup", "each")]
    numbers = [*names, *(f"{name}_breakeven" for name in PEERS)]
    return finished(rows, [f"status_{name}" for name in VARIANTS], numbers)


def _numbers(by_variant: Mapping[str, Row]) -> dict[str, Any]:
    """What a row says of its implementations."""
    rows = {name: by_variant.get(name) for name in VARIANTS}
    numbers: dict[str, Any] = {f"status_{name}": status_of(row) for name, row in rows.items()}
    numbers |= {
        f"{name}_{part}": number(row, part) for name, row in rows.items() for part in ("setup", "each")
    }
    ours = rows[OURS]
    return numbers | {f"{name}_breakeven": _breakeven(ours, rows[name]) for name in PEERS}


def _breakeven(row: Row | None, peer: Row | None) -> float | None:
    if row is None or peer is None or row["status"] != "ok" or peer["status"] != "ok":
        return None
    if row["run_id"] != peer["run_id"] or of_several_hosts([row, peer]):
        return None
    ahead, behind = float(peer["setup"] - row["setup"]), float(row["each"] - peer["each"])
    if behind <= 0:
        return float("inf") if ahead >= 0 else None
    return max(0.0, ahead / behind)


def count(value: float) -> str:
    """A number of right-hand sides, in words where it is none or any."""
    if np.isinf(value):
        return ALWAYS
    return NEVER if value < 1 else f"up to {value:,.0f}"


def _columns(name: str, heading: str) -> Sequence[Column]:
    setup = Column("setup", 0.72, heading, f"{name}_setup", seconds, why=f"status_{name}")
    return [setup, Column("each", 0.72, heading, f"{name}_each", seconds)]


EXHIBIT = Exhibit(
    PAPER,
    "Beyond the paper",
    "time by right-hand sides, and up to how many ParAC takes less",
    frame,
    Table(
        [
            matrix_column(),
            *_columns(OURS, "ParAC"),
            *(column for name, heading in PEERS.items() for column in _columns(name, heading)),
            *(
                Column(heading, 1.05, "ParAC takes less than", f"{name}_breakeven", count)
                for name, heading in PEERS.items()
            ),
        ]
    ),
    """Setup: factor and analysis, once; each: conjugate gradients, once per right-hand side; last: for how
    many of these ParAC takes less. ParAC on all cores; of ict the solves on all, the factor on one, without
    the search for its tolerance; multigrid: PyAMG (Ruge-Stuben), sequential but for the vectors;
    approx-chol likewise. {rule}{ordered}""",
    lambda frame: {"rule": RULE, "ordered": ordered_how(frame)},
    one_run=True,
)
