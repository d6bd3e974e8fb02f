"""Beyond the paper: page faults, first touches, density."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from reports.exhibit import Exhibit
from reports.facts.printed import printed_table
from reports.ooclu.arrays import ARRAYS, FAULTS, MATRICES, OVERSUBSCRIBED, PLAIN, PREFETCHED, counted
from reports.shapes.axes import legend_above, write_names
from reports.shapes.style import PALETTE, new_figure

PRINT, MEASURED = "the paper (V100)", "measured"
WAYS = {
    PLAIN: ("gpu_fault_groups_without_prefetch", "on demand"),
    PREFETCHED: ("gpu_fault_groups_with_prefetch", "prefetched"),
}
MARKS = {PRINT: ("*", 13, "black"), MEASURED: ("o", 8, PALETTE[0])}
# Bytes that the driver moves at most for a fault: what is touched first costs a group each.
BLOCK = 2**21
SHARE = "over_first_touches"


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix, way and source: `groups` of faults, also `over_first_touches`."""
    table = printed_table(FAULTS).merge(printed_table(MATRICES), on="abbr", validate="one_to_one")
    printed = pd.concat([table.assign(way=way, groups=table[name]) for way, (name, _) in WAYS.items()])
    printed = printed.rename(columns={"order": "n"})[["abbr", "matrix", "way", "groups", "n", "nnz_per_row"]]
    label = printed["matrix"] + " (" + printed["abbr"] + ")"
    said = {"source": PRINT, "status": "printed", "told": "printed", "regime": OVERSUBSCRIBED}
    rows = counted(cases).query("way in @WAYS").assign(source=MEASURED)
    rows = pd.concat([printed.assign(label=label, **said), rows], ignore_index=True)
    managed = ARRAYS * rows["n"] ** 2
    return rows.assign(managed_bytes=managed, over_first_touches=rows["groups"] * BLOCK / managed)


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw groups per block against density: full markers without prefetching, named at the point."""
    figure = new_figure(10.0, 7.2, title)
    axes, known = figure.subplots(), frame.dropna(subset="groups")
    for (source, way), rows in known.groupby(["source", "way"], sort=False):
        marker, size, edge = MARKS[str(source)]
        look: Any = {"color": edge if way == PLAIN else "white", "markeredgecolor": edge, "clip_on": False}
        label = f"{source}, {WAYS[str(way)][1]}"
        axes.plot(rows["nnz_per_row"], rows[SHARE], marker, markersize=size, label=label, **look)
    axes.axhline(1, color="black", linewidth=1)
    axes.set(xlim=(0, None), ylim=(0, None), xlabel="nnz / n")
    axes.set_ylabel("fault groups over blocks of 2 MiB in 24 n² bytes")
    plain = known[known["way"] == PLAIN]
    names = plain["abbr"].where(plain["source"] == PRINT, plain["label"]).tolist()
    write_names(axes, [*zip(plain["nnz_per_row"], plain[SHARE], strict=True)], names)
    legend_above(figure)
    return figure


def facts(frame: pd.DataFrame) -> dict[str, object]:
    """Return groups per block of the paper's own numbers."""
    printed = frame[(frame["source"] == PRINT) & (frame["way"] == PLAIN)]
    ranks = printed["nnz_per_row"].corr(printed[SHARE], "spearman")
    return {"ratios": printed[SHARE].describe(), "ranks": ranks}


CAPTION = """The paper explains the cost of page faults by density. Its own counts on demand (not prefetched)
    are {ratios[min]:.2f} to {ratios[max]:.2f} times the blocks of 2 MiB in 24 n² bytes. They grow with nnz/n
    (rank correlation {ranks:+.2f} over {ratios[count]:.0f} matrices), while their share of the time falls.
    Line: one group per block."""
EXHIBIT = Exhibit(frame, draw, CAPTION, facts, one_run=False)
