"""Beyond the paper: what the number of page faults is of, first touches or density."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from reports.exhibit import Exhibit
from reports.facts.printed import printed_table
from reports.ooclu.arrays import ARRAYS, FAULTS, MATRICES, OVERSUBSCRIBED, PAPER, PLAIN, PREFETCHED, counted
from reports.shapes.axes import legend_above, write_names
from reports.shapes.style import PALETTE, new_figure

PRINT, MEASURED = "the paper (V100)", "measured"
WAYS = {PLAIN: "on demand", PREFETCHED: "prefetched"}
POINT: dict[str, Any] = {"markeredgewidth": 1.5, "linestyle": "none", "clip_on": False, "zorder": 3}
MARKS = {
    PRINT: {"marker": "*", "markersize": 13, "markeredgecolor": "black", **POINT},
    MEASURED: {"marker": "o", "markersize": 8, "markeredgecolor": PALETTE[0], **POINT},
}
# Bytes that the driver moves at most for a fault: what is touched first costs a group each.
BLOCK = 2**21
# Columns and names of the axes; the line of one group per block.
DENSITY = ("nnz_per_row", "over_first_touches", "nnz / n", "fault groups over blocks of 2 MiB in 24 n² bytes")
BYTES = ("gigabytes", "groups", "24 n² bytes, GB", "fault groups")
LINES = {DENSITY: (1.0, 0.0), BYTES: (0.0, 1e9 / BLOCK)}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix, way of having unified memory, and source, the paper or what was measured.

    groups : of faults, over_first_touches : over the blocks of 2 MiB in 24 n^2 bytes
    """
    rows = counted(cases).assign(source=MEASURED)
    rows = pd.concat([_printed(), rows[rows["way"].isin(WAYS)]], ignore_index=True)
    rows["managed_bytes"] = ARRAYS * rows["n"] ** 2
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
    """Draw groups per block against density, and groups against bytes: full without prefetching, with the
    matrix beside the point, the paper's by its abbreviation."""
    figure = new_figure(14.0, 7.2, title)
    known = frame.dropna(subset="groups").assign(gigabytes=frame["managed_bytes"] / 1e9)
    for axes, ((x, y, across, up), (start, rise)) in zip(figure.subplots(1, 2), LINES.items(), strict=True):
        far, high = (1.1 * max([1.0, *known[name]]) for name in (x, y))
        axes.set(xlim=(0, far), ylim=(0, max(high, start + rise * far)), xlabel=across, ylabel=up)
        axes.axline((0, start), slope=rise, color="black", linewidth=1)
        for (source, way), rows in known.groupby(["source", "way"], sort=False):
            mark = MARKS[str(source)]
            colour = mark["markeredgecolor"] if way == PLAIN else "white"
            axes.plot(rows[x], rows[y], color=colour, label=f"{source}, {WAYS[str(way)]}", **mark)
        plain = known[known["way"] == PLAIN]
        names = plain["abbr"].where(plain["source"] == PRINT, plain["label"]).tolist()
        write_names(axes, [*zip(plain[x], plain[y], strict=True)], names)
    legend_above(figure)
    return figure


def facts(frame: pd.DataFrame) -> dict[str, object]:
    """Return what the paper's own numbers say, and what was counted."""
    printed = frame[(frame["source"] == PRINT) & (frame["way"] == PLAIN)]
    counts = frame.loc[frame["source"] == MEASURED, "groups"].count()
    return {
        "ratios": printed["over_first_touches"].describe(),
        "ranks": printed["nnz_per_row"].corr(printed["over_first_touches"], "spearman"),
        "here": f"{counts} cases were counted here" if counts else "No case has been counted here",
    }


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, beyond the paper",
    "page faults, first touches, density",
    frame,
    draw,
    """The paper explains the cost of page faults by density. Its own counts on demand (not prefetched) are
    {ratios[min]:.2f} to {ratios[max]:.2f} times the blocks of 2 MiB in 24 n² bytes, and grow with nnz/n (rank
    correlation {ranks:+.2f} over {ratios[count]:.0f} matrices), while their share of the time falls: there,
    denser matrices have no fewer faults but more other work. Lines: one group per block. {here}.""",
    facts,
)
