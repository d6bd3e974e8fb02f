"""Figure 21: the size of the chunks in which sources are dealt out."""

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
from reports.timed import RATIO
from reports.verdicts import judge

CLAIM = "fig21_chunk_size"
SMALLEST = "64"
SIZES = ("128", "256")


def fig21_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """Two rows a matrix, number of workers and machine: `ratio`, seconds with chunks of 128 and of 256
    sources over those with 64."""
    frame = gain_frame(records, entries, cases, _pairing)
    # The pair has the seconds at 64 on top.
    frame[list(RATIO[1:])] = 1 / frame[["ratio", "ratio_high", "ratio_low"]].astype(float).to_numpy()
    return printed_columns(frame, {SIZES[1]: _printed()})


def fig21(frame: pd.DataFrame) -> Figure:
    """The slowdown at each size, one above the other."""
    means = subject("gsofa", CLAIM).data["mean"]
    return draw_pairs(
        frame,
        "GSoFA, Figure 21: size of the chunks",
        [
            (size, f"seconds, chunks of {size}\nover chunks of {SMALLEST}", means[int(size)],
             _printed() if size == SIZES[1] else {})
            for size in SIZES
        ],
    )  # fmt: skip


def fig21_caption(frame: pd.DataFrame) -> str:
    """What is compared."""
    return (
        "Seconds with chunks of 128 (above) and 256 (below) sources over those with 64, intra_node. The "
        f"paper has six nodes of six V100. {simulated_how()}{gpu_caption(frame)}"
    )


def fig21_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """Beside the print: no machine here has 36 GPUs."""
    return [
        verdict
        for size, name in (("128", "mean_128"), ("256", "mean_256"), ("256", "largest_256"))
        for kind, rows in kinds(frame[frame["what"] == size])
        for verdict in judge(
            rows, claim("gsofa", CLAIM, name), "ratio", status="pair", basis=f"seconds, {kind}", beside=True
        )
    ]  # fmt: skip


def _pairing(case: Case) -> tuple[Case, str] | None:
    """128 is the default, which a case does not write."""
    size = dict(case.options).get("maxsup", "128")
    if not is_several(case) or size not in SIZES:
        return None
    return with_option(case, "maxsup", SMALLEST), size


def _printed() -> dict[str, float]:
    found: dict[str, float] = subject("gsofa", CLAIM).data["max_256"]
    return found


SPEC = FigureSpec(
    "Figure 21: size of the chunks of sources",
    is_several,
    fig21_frame,
    fig21,
    fig21_caption,
    claims=(CLAIM,),
    judge=fig21_verdicts,
    one_run=True,
)
