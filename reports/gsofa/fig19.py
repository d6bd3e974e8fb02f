"""Figure 19: strong scaling over GPUs and nodes."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.gsofa.gpus import KINDS, SIMULATED, compared, parallel, picture
from reports.shapes.beside import PanelRow, Step
from reports.verbs import KEY, option, without

DATA = subject("gsofa", "fig19_strong_scaling")
PRINTED, FLAT = DATA["per"], DATA["flat_from_33_to_44_nodes"]
# Nodes from which two are flat, the paper's most nodes, GPUs of each.
FLAT_FROM, NODES, A_NODE = 33, 44, 6
GPUS, NODES_SHOWN = "GPUs of one host", "nodes of six GPUs"
STEPS = {number: f"on {number}" for number in (2, 3, 4, 8, 11, 22, FLAT_FROM, NODES)}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return a row per matrix and number of workers: `ratio`, one's seconds over theirs; `efficiency`."""
    rows = parallel(cases)
    nodes, each = (option(rows["variant"], name) for name in ("nodes", "virtual_gpus"))
    steps = {
        GPUS: (rows["gpus"] > 1, without(rows["variant"], "gpus")),
        NODES_SHOWN: (nodes.notna() & (each == str(A_NODE)), without(rows["variant"], "nodes")),
    }
    rows = compared(rows, steps, {NODES_SHOWN: PRINTED})
    rows["times"] = rows["workers"] / rows["what"].map({GPUS: 1, NODES_SHOWN: A_NODE})
    rows["efficiency"] = rows["ratio"] / rows["times"]
    rows["by"] = rows["implementation"].str.removesuffix("_multi")
    rows["panel"] = rows["kind"].str.replace(r": \d+", ":", regex=True)
    at_33 = rows["ratio"].where((rows["what"] == NODES_SHOWN) & (rows["times"] == FLAT_FROM))
    then = at_33.groupby([rows[name] for name in (*KEY, "by")]).transform("first")
    return rows.assign(from_33=rows["ratio"] / then)


ROW = PanelRow(
    "times as fast as on one (log axis)",
    [Step(name, "ratio", {"times": number}) for number, name in STEPS.items()],
    {STEPS[NODES]: PRINTED, STEPS[FLAT_FROM]: {abbr: PRINTED[abbr] for abbr in FLAT}},
    log=True,
)
CAPTION = f"""Speedup over one GPU, or over one node of six. Printed: the ends at 44 nodes, and that
    {" and ".join(FLAT)} are flat from 33 nodes. {SIMULATED}"""
EXHIBIT = Exhibit(frame, picture(ROW, "printed: 44 nodes of six V100", "panel"), CAPTION, subsets=KINDS)
