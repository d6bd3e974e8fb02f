"""Figure 17: how sources are dealt out to nodes and GPUs."""

from __future__ import annotations

import pandas as pd

from fillpath.case import Case
from reports.exhibit import Exhibit, Held
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.frames.device import gpu_caption
from reports.frames.gpus import by_kind, gain_frame, is_several, printed_columns, simulated_how, with_option
from reports.shapes.pairs import Pair, Pairs

CLAIM = "fig17_source_scheduling"
DATA = subject("gsofa", CLAIM).data
INTER, INTRA = "inter_node over contiguous", "intra_node over inter_node"
BOTH = "intra_node over contiguous"
STEPS = {INTER: "inter_node", INTRA: "intra_node"}
PRINTED = {INTER: DATA["inter_node"]["max"], INTRA: DATA["intra_node_on_top"]["max"]}
MEANS = {INTER: DATA["inter_node"]["mean"], INTRA: DATA["intra_node_on_top"]["mean"]}


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


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 17",
    "scheduling of sources",
    frame,
    Pairs(
        [
            Pair(INTER, "seconds, contiguous\nover inter_node", MEANS[INTER], PRINTED[INTER]),
            Pair(INTRA, "seconds, inter_node\nover intra_node", MEANS[INTRA], PRINTED[INTRA]),
            Pair(BOTH, "seconds, contiguous\nover intra_node"),
        ]
    ),
    """Above: contiguous blocks of sources over chunks dealt to the nodes in turn; middle: these over rows
    dealt to a node's GPUs in turn; below: both steps. The paper has six nodes of six
    V100. {simulated}{gpu}""",
    lambda frame: {"simulated": simulated_how(), "gpu": gpu_caption(frame, "gsofa")},
    # Beside the print: no machine here has 36 GPUs.
    held=tuple(
        Held(
            CLAIM, "ratio", (f"{step}_mean", f"{step}_largest"), "pair", "seconds", {"what": what},
            by_kind, beside=True,
        )
        for what, step in STEPS.items()
    ),
    one_run=True,
    topic="scheduling of sources over nodes and GPUs",
)  # fmt: skip
