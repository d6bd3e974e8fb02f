"""Figure 17: how sources are dealt out to nodes and GPUs."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.claims import claim, subject
from reports.device import gpu_caption
from reports.figures import Entries, FigureSpec
from reports.gsofa.several import (
    draw_pairs,
    gain_frame,
    is_several,
    kinds,
    printed_columns,
    simulated_how,
    with_option,
)
from reports.records import Records
from reports.standings import Verdict
from reports.verdicts import judge

CLAIM = "fig17_source_scheduling"
INTER, INTRA = "inter_node over contiguous", "intra_node over inter_node"
BOTH = "intra_node over contiguous"


def fig17_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """Three rows a matrix, number of workers and machine: `ratio`, seconds in contiguous blocks over those
    with chunks that go round the nodes, these over those with rows that go round a node's GPUs, and the first
    over the last."""
    frame = gain_frame(records, entries, cases, _step, _both)
    return printed_columns(frame, {what: _printed(what) for what in (INTER, INTRA)})


def fig17(frame: pd.DataFrame) -> Figure:
    """The gain of each step, and of both, one above the other."""
    data = subject("gsofa", CLAIM).data
    return draw_pairs(
        frame,
        "GSoFA, Figure 17: scheduling of sources",
        [
            (
                INTER, "seconds, contiguous\nover inter_node", data["inter_node"]["mean"],
                _printed(INTER),
            ),
            (
                INTRA, "seconds, inter_node\nover intra_node", data["intra_node_on_top"]["mean"],
                _printed(INTRA),
            ),
            (BOTH, "seconds, contiguous\nover intra_node", None, {}),
        ],
    )  # fmt: skip


def fig17_caption(frame: pd.DataFrame) -> str:
    """What is compared, and on how many workers."""
    return (
        "Above: contiguous blocks of sources, a GPU each, over chunks of 128 sources that go round the "
        "nodes; in the middle: these over rows that go round the GPUs of a node; below: both steps at once. "
        "A host is one node, whose GPUs get whole chunks in turn by the first step. Of two GPUs none can "
        "gain more than twice. The paper has six nodes of six V100. "
        f"{simulated_how()}{gpu_caption(frame)}"
    )


def fig17_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """Beside the print: no machine here has 36 GPUs."""
    return [
        verdict
        for what, step in ((INTER, "inter_node"), (INTRA, "intra_node"))
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


def _printed(what: str) -> dict[str, float]:
    data = subject("gsofa", CLAIM).data
    found: dict[str, float] = data["inter_node" if what == INTER else "intra_node_on_top"]["max"]
    return found


SPEC = FigureSpec(
    "Figure 17: scheduling of sources over nodes and GPUs",
    is_several,
    fig17_frame,
    fig17,
    fig17_caption,
    claims=(CLAIM,),
    judge=fig17_verdicts,
    one_run=True,
)
