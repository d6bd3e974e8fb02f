"""Figure 17: scheduling of sources over nodes and GPUs."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.gsofa.gpus import KINDS, SIMULATED, compared, parallel, picture
from reports.gsofa.symbolic import SPAN
from reports.shapes.beside import PanelRow, Step
from reports.verbs import option, with_option

DATA = subject("gsofa", "fig17_source_scheduling")
INTER, INTRA = "inter_node over contiguous", "intra_node over inter_node"
BOTH = "intra_node over contiguous"
PRINTED = {INTER: DATA["inter_node"]["max"], INTRA: DATA["intra_node_on_top"]["max"]}
NODES, ROWS = "chunks dealt over the nodes (inter)", "rows dealt over a node's GPUs (intra)"
MEAN, ON_TOP = DATA["inter_node"]["mean"], DATA["intra_node_on_top"]["mean"]


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return a row per matrix, number of workers and step: `ratio`, seconds without it over with it."""
    rows = parallel(cases)
    order = option(rows["variant"], "order")
    contiguous, inter = (with_option(rows["variant"], "order", name) for name in ("contiguous", "inter_node"))
    steps = {
        INTER: (order == "inter_node", contiguous),
        INTRA: (order.isna(), inter),
        BOTH: (order.isna(), contiguous),
    }
    return compared(rows, steps, PRINTED)


ROW = PanelRow(
    "times as fast as with\ncontiguous blocks",
    [Step(NODES, "ratio", {"what": INTER}), Step(ROWS, "ratio", {"what": BOTH})],
    {NODES: {"mean": MEAN, **PRINTED[INTER]}, ROWS: {"mean": MEAN * ON_TOP}},
    dict.fromkeys(DATA["inter_node"]["drops"], "inter: drops")
    | {abbr: f"intra: {value:g}x on top" for abbr, value in PRINTED[INTRA].items()},
)
CAPTION = f"""Sources in contiguous blocks; in chunks dealt round the nodes (inter); then in rows dealt round
    a node's GPUs (intra). The printed mean of intra is {MEAN:g}x times the {ON_TOP:g}x on top. {SIMULATED}"""
EXHIBIT = Exhibit(frame, picture(ROW, "printed: six nodes of six V100"), CAPTION, subsets=KINDS, span=SPAN)
