"""Figure 17: how sources are dealt out to nodes and GPUs."""

from __future__ import annotations

import pandas as pd

from fillpath.case import Case
from reports.exhibit import Exhibit, Held
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.frames.device import gpu_caption
from reports.frames.gpus import (
    by_kind,
    gain_frame,
    is_several,
    panels_of,
    printed_columns,
    simulated_how,
    with_option,
)
from reports.shapes.beside import BesidePrint
from reports.shapes.marks import PanelRow, marks_of

CLAIM = "fig17_source_scheduling"
DATA = subject("gsofa", CLAIM).data
INTER, INTRA = "inter_node over contiguous", "intra_node over inter_node"
BOTH = "intra_node over contiguous"
JUDGED = {
    INTER: ("inter_node_mean", "inter_node_largest", "inter_node_drops"),
    INTRA: ("intra_node_mean", "intra_node_largest"),
}
PRINTED = {INTER: DATA["inter_node"]["max"], INTRA: DATA["intra_node_on_top"]["max"]}
BASE = "contiguous blocks"
NODES, ROWS = "chunks dealt over the nodes (inter)", "rows dealt over a node's GPUs (intra)"
MEAN, ON_TOP = DATA["inter_node"]["mean"], DATA["intra_node_on_top"]


def frame(inputs: Inputs) -> pd.DataFrame:
    """Three rows per matrix, number of workers and machine: `ratio`, seconds in contiguous blocks over those
    with chunks that go round the nodes, these over those with rows that go round a node's GPUs, and the first
    over the last."""
    rows = gain_frame(inputs, _step, _both)
    return printed_columns(rows, PRINTED)


def _step(case: Case) -> tuple[Case, str] | None:
    order = dict(case.options).get("order")
    if not is_several(case):
        return None
    if order == "inter_node":
        return with_option(case, "order", "contiguous"), INTER
    return (with_option(case, "order", "inter_node"), INTRA) if order is None else None


def _both(case: Case) -> tuple[Case, str] | None:
    if not is_several(case) or "order" in dict(case.options):
        return None
    return with_option(case, "order", "contiguous"), BOTH


def _marks(frame: pd.DataFrame) -> pd.DataFrame:
    """Both schedules over the baseline."""
    shown = [
        marks_of(part[part["what"] == what], "ratio", "pair", step=step, panel=part["series"].iloc[0])
        for part in panels_of(frame)
        for what, step in ((INTER, NODES), (BOTH, ROWS))
    ]
    return pd.concat(shown or [marks_of(frame[:0], "ratio", "pair", step="", panel="")])


ROW = PanelRow(
    "times as fast as with\ncontiguous blocks", (BASE, NODES, ROWS),
    {"mean": {NODES: MEAN, ROWS: MEAN * ON_TOP["mean"]}}
    | {abbr: {NODES: value} for abbr, value in PRINTED[INTER].items()},
    dict.fromkeys(DATA["inter_node"]["drops"], "inter: drops")
    | {abbr: f"intra: {value:g}x on top" for abbr, value in PRINTED[INTRA].items()},
    base=BASE,
)  # fmt: skip
EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 17",
    "scheduling of sources",
    frame,
    BesidePrint([ROW], "printed: six nodes of six V100", _marks, height=5.2),
    """Sources in contiguous blocks; in chunks that go round the nodes (inter); with these, in rows that go
    round a node's GPUs (intra), whose printed mean is {mean:g}x times the {on_top:g}x on top.
    {simulated}{gpu}""",
    lambda frame: {
        "mean": MEAN,
        "on_top": ON_TOP["mean"],
        "simulated": simulated_how(frame),
        "gpu": gpu_caption(frame, "gsofa"),
    },
    # Beside the print: no machine here has 36 GPUs.
    held=tuple(
        Held(CLAIM, "ratio", names, "pair", "seconds", {"what": what}, by_kind, beside=True)
        for what, names in JUDGED.items()
    ),
    one_run=True,
    topic="scheduling of sources over nodes and GPUs",
)  # fmt: skip
