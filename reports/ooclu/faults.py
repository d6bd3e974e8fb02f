"""Beyond the paper: what the number of page faults is of, first touches or density."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fillpath.dicts import dicts
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.inputs import Inputs
from reports.facts.printed import printed_table
from reports.frames.arrays import FAULTS_TABLE, MATRICES, OVERSUBSCRIBED, PAPER, PLAIN, PREFETCHED, how
from reports.frames.device import columns_of
from reports.frames.page_faults import BLOCK, counted_frame, first_touches
from reports.shapes.labels import legend_above, write_names
from reports.shapes.style import MARKERS, PALETTE, headline, new_figure

PRINT = "the paper (V100)"
WAYS = {PLAIN: "on demand", PREFETCHED: "prefetched"}


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, way of having unified memory and source (the paper, or a machine): fault groups,
    the blocks of 2 MiB in 24 n^2 bytes, the first over the second, and nnz/n."""
    frame = counted_frame(inputs)
    frame = frame.rename(columns={"gpu_fault_groups": "groups"})
    frame["first_touches"] = first_touches(frame["n"])
    columns = ("source", "variant", "n", "nnz_per_row", "managed_bytes", "regime", "first_touches", "groups")
    frame = columns_of(frame.assign(source=frame["where"]), *columns, "told")
    printed = _printed().reindex(columns=frame.columns)
    typed = [printed.astype(frame.dtypes.to_dict()), frame] if len(frame) else [printed]
    whole = pd.concat(typed, ignore_index=True)
    whole["over_first_touches"] = whole["groups"] / whole["first_touches"]
    return whole


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Groups per block against density, and groups against bytes."""
    figure = new_figure(14.0, 7.2)
    headline(figure, title)
    left, right = figure.subplots(1, 2)
    known = frame[frame["groups"].notna()]
    _scatter(left, known, "nnz_per_row", "over_first_touches")
    left.axhline(1, color="black", linewidth=1)
    left.set_xlabel("nnz / n")
    left.set_ylabel("fault groups over blocks of 2 MiB in 24 n\N{SUPERSCRIPT TWO} bytes")
    left.set_xlim(0, 1.1 * _most(known["nnz_per_row"]))
    left.set_ylim(0, 1.15 * _most(known["over_first_touches"]))
    gigabytes = known.assign(gigabytes=known["managed_bytes"] / 1e9)
    _scatter(right, gigabytes, "gigabytes", "groups")
    most = 1.1 * _most(gigabytes["gigabytes"])
    right.plot([0, most], [0, 1e9 * most / BLOCK], color="black", linewidth=1)
    right.set_xlim(0, most)
    right.set_ylim(0, 1.1 * max(1e9 * most / BLOCK, _most(known["groups"])))
    right.set_xlabel("24 n\N{SUPERSCRIPT TWO} bytes, GB")
    right.set_ylabel("fault groups")
    _name(left, known, "nnz_per_row", "over_first_touches")
    _name(right, gigabytes, "gigabytes", "groups")
    _legend(figure, known)
    return figure


def _facts(frame: pd.DataFrame) -> Mapping[str, object]:
    """What the paper's own numbers say, and what was counted."""
    printed = frame[(frame["source"] == PRINT) & (frame["variant"] == PLAIN)]
    ratios = printed["over_first_touches"]
    here = frame[frame["source"] != PRINT]
    counted = int(here["groups"].notna().sum())
    return {
        "least": ratios.min(),
        "most": ratios.max(),
        "ranks": float(printed["nnz_per_row"].corr(ratios, "spearman")),
        "matrices": len(printed),
        "here": f"{counted} cases were counted here" if counted else "No case has been counted here",
        "how": how(here),
    }


def _most(values: pd.Series[float]) -> float:
    """At least 1, so that an axis of nothing has an end."""
    return max([1.0, *values.tolist()])


def _printed() -> pd.DataFrame:
    """Two rows for each matrix of Table 3, without prefetching and with."""
    joined = printed_table(FAULTS_TABLE).merge(printed_table(MATRICES), on="abbr", validate="one_to_one")
    columns = {PLAIN: "gpu_fault_groups_without_prefetch", PREFETCHED: "gpu_fault_groups_with_prefetch"}
    touches = first_touches(joined["order"])
    shared = {
        "label": joined["matrix"] + " (" + joined["abbr"] + ")", "matrix": joined["matrix"],
        "abbr": joined["abbr"], "source": PRINT, "where": PRINT, "series": PRINT, "n": joined["order"],
        "nnz_per_row": joined["nnz_per_row"], "first_touches": touches, "managed_bytes": touches * BLOCK,
        "regime": OVERSUBSCRIBED, "status": "printed", "told": "printed", "group": joined.index,
    }  # fmt: skip
    parts = [pd.DataFrame({**shared, "variant": way, "groups": joined[c]}) for way, c in columns.items()]
    return pd.concat(parts, ignore_index=True)


def _scatter(axes: Axes, frame: pd.DataFrame, across: str, up: str) -> None:
    """One point per row: full without prefetching, empty with."""
    looks = _looks(frame)
    for row in dicts(frame):
        colour, marker = looks[row["source"]]
        plain = row["variant"] == PLAIN
        axes.plot(
            row[across], row[up], linestyle="none", **_point(colour, marker, plain), clip_on=False, zorder=3
        )


def _name(axes: Axes, frame: pd.DataFrame, across: str, up: str) -> None:
    """The matrix beside each full point: the paper's by its abbreviation."""
    plain = frame[frame["variant"] == PLAIN]
    printed = plain["source"] == PRINT
    points = list(zip(plain[across], plain[up], strict=True))
    write_names(axes, points, plain["label"].where(~printed, plain["abbr"]).tolist())


def _looks(frame: pd.DataFrame) -> Mapping[str, tuple[str, str]]:
    """(colour, marker) of each source: a star is the paper's."""
    others = [source for source in dict.fromkeys(frame["source"]) if source != PRINT]
    count = len(PALETTE)
    looks = {source: (PALETTE[k % count], MARKERS[k % count]) for k, source in enumerate(others)}
    return {PRINT: ("black", "*"), **looks}


def _point(colour: str, marker: str, filled: bool) -> dict[str, Any]:
    return {
        "marker": marker, "markersize": 13 if marker == "*" else 8, "markeredgecolor": colour,
        "markeredgewidth": 1.5, "color": colour if filled else "white",
    }  # fmt: skip


def _legend(figure: Figure, frame: pd.DataFrame) -> None:
    looks, shown = _looks(frame), frame.drop_duplicates(["source", "variant"])
    handles = [
        Line2D(
            [], [], linestyle="none", label=f"{_name_of(row['source'])}, {WAYS[row['variant']]}",
            **_point(*looks[row["source"]], row["variant"] == PLAIN),
        )
        for row in dicts(shown)
    ]  # fmt: skip
    legend_above(figure, handles)


def _name_of(source: str) -> str:
    """The caption says which machine it was."""
    return source if source == PRINT else "measured"


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, beyond the paper",
    "page faults, first touches, density",
    frame,
    draw,
    """The paper explains the cost of page faults by density. Its own counts on demand (not prefetched) are
    {least:.2f} to {most:.2f} times the blocks of 2 MiB in 24 n\N{SUPERSCRIPT TWO} bytes, and grow with nnz/n
    (rank correlation {ranks:+.2f} over {matrices} matrices), while their share of the time falls: there,
    denser matrices have no fewer faults but more other work. Lines: one group per block.
    {here}. {how}""",
    _facts,
)
