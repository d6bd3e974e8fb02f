"""Figure 17: how sources are dealt out to nodes and GPUs."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from fillpath.case import Case
from reports.exhibit import Exhibit
from reports.facts.claims import claim, subject
from reports.facts.records import Entries, Records
from reports.facts.standings import Verdict
from reports.facts.verdicts import judge
from reports.frames.device import gpu_caption
from reports.frames.gpus import (
    Pairs,
    gain_frame,
    is_several,
    kinds,
    printed_columns,
    simulated_how,
    with_option,
)

CLAIM = "fig17_source_scheduling"
DATA = subject("gsofa", CLAIM).data
INTER, INTRA = "inter_node over contiguous", "intra_node over inter_node"
BOTH = "intra_node over contiguous"
STEPS = {INTER: "inter_node", INTRA: "intra_node"}
PRINTED = {INTER: DATA["inter_node"], INTRA: DATA["intra_node_on_top"]}


def frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """Three rows per matrix, number of workers and machine: `ratio`, seconds in contiguous blocks over those
    with chunks that go round the nodes, these over those with rows that go round a node's GPUs, and the first
    over the last."""
    rows = gain_frame(records, entries, cases, _step, _both)
    return printed_columns(rows, {what: data["max"] for what, data in PRINTED.items()})


def verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """Beside the print: no machine here has 36 GPUs."""
    return [
        verdict
        for what, step in STEPS.items()
        for kind, rows in kinds(frame[frame["what"] == what])
        for end in ("mean", "largest")
        for verdict in judge(
            rows, claim("gsofa", CLAIM, f"{step}_{end}"), "ratio", status="pair", basis=f"seconds, {kind}",
            beside=True,
        )
    ]  # fmt: skip


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
            (INTER, "seconds, contiguous\nover inter_node", PRINTED[INTER]["mean"], PRINTED[INTER]["max"]),
            (INTRA, "seconds, inter_node\nover intra_node", PRINTED[INTRA]["mean"], PRINTED[INTRA]["max"]),
            (BOTH, "seconds, contiguous\nover intra_node", None, {}),
        ]
    ),
    """Above: contiguous blocks of sources, a GPU each, over chunks of 128 sources that go round the nodes; in
    the middle: these over rows that go round the GPUs of a node; below: both steps at once. A host is one
    node, whose GPUs get whole chunks in turn by the first step. Of two GPUs none can gain more than twice.
    The paper has six nodes of six V100. {simulated}{gpu}""",
    lambda frame: {"simulated": simulated_how(), "gpu": gpu_caption(frame)},
    held=(verdicts,),
    claims=(CLAIM,),
    edges=True,
    one_run=True,
    topic="scheduling of sources over nodes and GPUs",
)
