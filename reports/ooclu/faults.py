"""Beyond the paper: what the number of page faults is of, first touches or density."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reports.exhibit import Exhibit
from reports.facts.printed import printed_table
from reports.ooclu.arrays import FAULTS, MATRICES, OVERSUBSCRIBED, PAPER, PLAIN, PREFETCHED, managed_bytes
from reports.ooclu.page_faults import counted
from reports.shapes.axes import legend_above, write_names
from reports.shapes.style import PALETTE, headline, new_figure

PRINT, MEASURED = "the paper (V100)", "measured"
WAYS = {PLAIN: "on demand", PREFETCHED: "prefetched"}
# Bytes that the driver moves at most for a fault: what is touched first costs a group each.
BLOCK = 2**21


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix, way of having unified memory, and source, the paper or what was measured.

    groups : of faults, over_first_touches : over the blocks of 2 MiB in 24 n^2 bytes
    """
    rows = counted(cases).rename(columns={"gpu_fault_groups": "groups"}).assign(source=MEASURED)
    rows = pd.concat([_printed(), rows[rows["way"].isin(WAYS)]], ignore_index=True)
    rows["managed_bytes"] = managed_bytes(rows["n"])
    touches = rows["managed_bytes"] / BLOCK
    return rows.assign(first_touches=touches, over_first_touches=rows["groups"] / touches)


def _printed() -> pd.DataFrame:
    """Return two rows for each matrix of Table 3, without prefetching and with."""
    table = printed_table(FAULTS).merge(printed_table(MATRICES), on="abbr", validate="one_to_one")
    columns = {PLAIN: "gpu_fault_groups_without_prefetch", PREFETCHED: "gpu_fault_groups_with_prefetch"}
    rows = pd.concat([table.assign(way=way, groups=table[name]) for way, name in columns.items()])
    rows = rows.rename(columns={"order": "n"})[["abbr", "matrix", "way", "groups", "n", "nnz_per_row"]]
    label = rows["matrix"] + " (" + rows["abbr"] + ")"
    return rows.assign(label=label, source=PRINT, status="printed", told="printed", regime=OVERSUBSCRIBED)


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw groups per block against density, and groups against bytes."""
    figure = new_figure(14.0, 7.2)
    headline(figure, title)
    left, right = figure.subplots(1, 2)
    known = frame[frame["groups"].notna()].assign(gigabytes=frame["managed_bytes"] / 1e9)
    most = {name: max([1.0, *known[name]]) for name in ("nnz_per_row", "over_first_touches", "groups")}
    far = 1.1 * max([1.0, *known["gigabytes"]])
    left.axhline(1, color="black", linewidth=1)
    left.set(xlim=(0, 1.1 * most["nnz_per_row"]), ylim=(0, 1.15 * most["over_first_touches"]))
    left.set_xlabel("nnz / n")
    left.set_ylabel("fault groups over blocks of 2 MiB in 24 n\N{SUPERSCRIPT TWO} bytes")
    right.plot([0, far], [0, 1e9 * far / BLOCK], color="black", linewidth=1)
    right.set(xlim=(0, far), ylim=(0, 1.1 * max(1e9 * far / BLOCK, most["groups"])))
    right.set(xlabel="24 n\N{SUPERSCRIPT TWO} bytes, GB", ylabel="fault groups")
    handles = _points(left, known, "nnz_per_row", "over_first_touches")
    _points(right, known, "gigabytes", "groups")
    legend_above(figure, handles)
    return figure


def _points(axes: Axes, frame: pd.DataFrame, across: str, up: str) -> list[Line2D]:
    """Draw a point per row, full without prefetching, and the matrix beside each full one: the paper's by its
    abbreviation. Returns a legend."""
    handles = []
    for (source, way), rows in frame.groupby(["source", "way"], sort=False):
        look = _look(source == PRINT, way == PLAIN) | {"linestyle": "none"}
        axes.plot(rows[across], rows[up], clip_on=False, zorder=3, **look)
        handles.append(Line2D([], [], label=f"{source}, {WAYS[str(way)]}", **look))
    plain = frame[frame["way"] == PLAIN]
    points = list(zip(plain[across], plain[up], strict=True))
    write_names(axes, points, plain["abbr"].where(plain["source"] == PRINT, plain["label"]).tolist())
    return handles


def _look(printed: bool, full: bool) -> dict[str, Any]:
    colour = "black" if printed else PALETTE[0]
    shape = {"marker": "*", "markersize": 13} if printed else {"marker": "o", "markersize": 8}
    return shape | {"markeredgecolor": colour, "markeredgewidth": 1.5, "color": colour if full else "white"}


def facts(frame: pd.DataFrame) -> dict[str, object]:
    """Return what the paper's own numbers say, and what was counted."""
    printed = frame[(frame["source"] == PRINT) & (frame["way"] == PLAIN)]
    ratios = printed["over_first_touches"]
    counts = int(frame.loc[frame["source"] == MEASURED, "groups"].notna().sum())
    return {
        "least": ratios.min(),
        "most": ratios.max(),
        "ranks": float(printed["nnz_per_row"].corr(ratios, "spearman")),
        "matrices": len(printed),
        "here": f"{counts} cases were counted here" if counts else "No case has been counted here",
    }


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, beyond the paper",
    "page faults, first touches, density",
    frame,
    draw,
    """The paper explains the cost of page faults by density. Its own counts on demand (not prefetched) are
    {least:.2f} to {most:.2f} times the blocks of 2 MiB in 24 n\N{SUPERSCRIPT TWO} bytes, and grow with nnz/n
    (rank correlation {ranks:+.2f} over {matrices} matrices), while their share of the time falls: there,
    denser matrices have no fewer faults but more other work. Lines: one group per block. {here}.""",
    facts,
)
