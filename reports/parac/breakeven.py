"""Beyond the paper: time by right-hand sides, and up to how many ParAC takes less."""

import numpy as np
import pandas as pd

from reports.exhibit import Exhibit
from reports.parac.solution import PAPER, RULE, columns_of, in_each_order, solved
from reports.shapes.bars import seconds
from reports.shapes.sheet import Column, Sheet
from reports.verbs import by_code, in_papers_order, inputs, over, wide

OURS = "parac_cpu"
PEERS = {"ict": "ichol", "pyamg": "multigrid", "apxchol": "apxchol", "approx_chol": "approx-chol"}
NAMES = {OURS: "ParAC", **PEERS}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per input: seconds of `setup` and of `each` right-hand side; `<peer>_breakeven`."""
    whole = in_each_order(solved(cases)).assign(each=lambda rows: rows["solve"])
    codes = by_code(whole, {code: code for code in NAMES})
    rows = wide(codes, ["setup", "each"], inputs(whole))
    for peer in PEERS:
        ahead = rows[f"{peer}_setup"] - rows[f"{OURS}_setup"]
        behind = rows[f"{OURS}_each"] - rows[f"{peer}_each"]
        always = np.where(ahead >= 0, np.inf, np.nan)
        number = (ahead / behind).clip(lower=0.0).where(behind > 0, always)
        rows[f"{peer}_breakeven"] = number.where(over(codes[peer], codes[OURS])["pair"] == "ok")
    return in_papers_order(rows.assign(status=rows[f"status_{OURS}"]).reset_index(), PAPER)


def count(value: float) -> str:
    """Return a number of right-hand sides, in words where it is none or any."""
    return "any number" if np.isinf(value) else "none" if value < 1 else f"up to {value:,.0f}"


COLUMNS = [
    *(c for of in NAMES.items() for c in columns_of(*of, seconds, setup="setup", each="each")),
    *(Column(name, f"{code}_breakeven", count, "ParAC takes less than") for code, name in PEERS.items()),
]
CAPTION = f"""Setup: factor and analysis. Each: seconds of conjugate gradients for a right-hand side. ParAC
    and ict's solves use all cores. ict's factor (without its search), multigrid (PyAMG, the matrix in
    its own order) and approx-chol use one core, except on vectors. {RULE}"""
EXHIBIT = Exhibit(frame, Sheet(COLUMNS), CAPTION)
