"""Beyond the paper: iterations with the sequential and the parallel factors."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.parac.solution import PAPER, RULE
from reports.shapes.sheet import Column, Sheet, plain
from reports.verbs import by_code, in_papers_order, inputs, wide

SEQUENTIAL, *PARALLEL = CODES = ("ac_sequential", "parac_cpu", "parac_gpu")
SHOWN = {"iterations": "iterations", "nnz_factor": "entries of the factor"}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and ordering: of each factor its iterations and its entries."""
    rows = wide(by_code(cases, {code: code for code in CODES}), [*SHOWN], inputs(cases))
    return in_papers_order(rows.assign(status=rows[f"status_{SEQUENTIAL}"]).reset_index(), PAPER)


def facts(frame: pd.DataFrame) -> dict[str, str]:
    """Return how many parallel factors have the iterations and entries of the sequential one."""
    parts = {code: frame[[f"{code}_{name}" for name in SHOWN]].set_axis([*SHOWN], axis=1) for code in CODES}
    others = pd.concat([parts[code] - parts[SEQUENTIAL] for code in PARALLEL]).dropna(subset="nnz_factor")
    same = (others == 0).all(axis=1).sum()
    equal = f"{same} of {len(others)} parallel factors have the sequential one's entries and iterations."
    return {"equal": equal if len(others) else ""}


COLUMNS = [
    Column(code, f"{code}_{name}", plain, heading, f"status_{code}")
    for name, heading in SHOWN.items()
    for code in CODES
]
CAPTION = f"""With one seed the three codes give one factor, bit for bit, as the gate checks: parallelism
    costs no quality. {{equal}} {RULE}"""
EXHIBIT = Exhibit(frame, Sheet(COLUMNS), CAPTION, facts, one_run=False)
