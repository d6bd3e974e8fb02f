"""The generated part of docs/work.md and its picture: the edges that each symbolic algorithm examines.

`fillpath survey` measures docs/work.csv; `fillpath maintain work` writes the page from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.pages.generated_part import Part
from reports.shapes import frame_csv, style
from reports.shapes.style import LARGE, MARKERS, PALETTE, SMALL

PART = Part("work")
ALGORITHMS = ("fill1_pruned", "gilbert_peierls", "fill1", "fill2_cpu", "gsofa_cpu")
LINES = ("-", "--", ":", "-", "-.")
# Where the number of fill2's edges comes from.
HOW = {"counted": "counted", "symmetric": "exact, by the elimination tree", "estimate": "estimated"}
NAMED = 6


def work_frame(survey: Path) -> pd.DataFrame:
    """The survey, and the edges of each algorithm over the entries of F: `<algorithm>_over_filled`."""
    frame = frame_csv.read_csv(survey)[1]
    for name in ALGORITHMS:
        frame[f"{name}_over_filled"] = frame[name] / frame["filled"]
    return frame


def work_figure(frame: pd.DataFrame) -> Figure:
    """fill2 against nnz(L + U), and every algorithm over it on the matrices where all were counted."""
    figure = style.new_figure(15.0, 7.0)
    figure.suptitle(
        "Edges examined by symbolic factorisation", x=0.01, ha="left", fontsize=LARGE, weight="bold"
    )
    left, right = figure.subplots(1, 2)
    _against_filled(left, frame[frame["filled"].notna()])
    _each_sorted(right, _common(frame))
    style.write_below(figure, work_caption(frame))
    return figure


def work_caption(frame: pd.DataFrame) -> str:
    """What is drawn, of which matrices."""
    filled = frame[frame["filled"].notna()]
    counts = filled["fill2_how"].value_counts()
    how = ", ".join(f"{counts[key]} {text}" for key, text in HOW.items() if key in counts)
    return (
        f"{len(filled)} of {len(frame)} real matrices at hand, ordered by METIS, not matched; nnz(L + U): "
        f"the diagonal counted once, without pivoting. Left: edges of fill2 ({how}); the {NAMED} largest "
        f"ratios are named. Right: edges over nnz(L + U) on the {len(_common(frame))} matrices where all "
        "five were counted, in ascending order for each algorithm by itself. gsofa_cpu on one thread."
    )


def work_tables(frame: pd.DataFrame) -> str:
    """The generated part of the page as Markdown: picture, summary, and one row per matrix."""
    common = _common(frame)
    summary = [_summary_row(name, common) for name in ALGORITHMS]
    ordered = frame.sort_values("fill2_cpu_over_filled", ascending=False, kind="stable")
    rows = [_matrix_row(row) for row in ordered.to_dict("records")]
    return "\n".join(
        [
            "![Edges examined by symbolic factorisation](work.svg)", "",
            f"On the {len(common)} matrices where all five were counted:", "",
            *_markdown(["algorithm", "least", "median", "most", "median over fill2"], summary), "",
            "All matrices, the largest ratio first:", "",
            *_markdown(
                ["matrix", "n", "nnz(A)", "struct. symm.", "nnz(L+U)", "edges of fill2", "ratio", "how"], rows
            ),
        ]
    )  # fmt: skip


def draw(frame: pd.DataFrame, picture: Path) -> None:
    """Write the picture."""
    figure = work_figure(frame)
    style.write_picture(figure, picture, style.measured(figure))


def _common(frame: pd.DataFrame) -> pd.DataFrame:
    """The matrices where every algorithm's edges were counted."""
    counted: pd.DataFrame = frame[
        frame[list(ALGORITHMS)].notna().all(axis=1) & (frame["fill2_how"] == "counted")
    ]
    return counted


def _against_filled(axes: Axes, frame: pd.DataFrame) -> None:
    kinds = {
        "symmetric structure": frame["structural_symmetry"] == 1,
        "unsymmetric structure": frame["structural_symmetry"] < 1,
    }
    for number, (name, chosen) in enumerate(kinds.items()):
        for how, filling in (("counted", "full"), ("symmetric", "none"), ("estimate", "none")):
            points = frame[chosen & (frame["fill2_how"] == how)]
            if not points.empty:
                axes.plot(
                    points["filled"], points["fill2_cpu"], linestyle="none", marker=MARKERS[2 * number],
                    markersize=5.5, fillstyle=filling, color=PALETTE[5 * number], alpha=0.75,
                    label=f"{name}, {HOW[how]}",
                )  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    span = np.array([frame["filled"].min() / 2, frame["filled"].max() * 2])
    for factor in (1, 10, 100):
        axes.plot(span, factor * span, color="#777777", linewidth=1, zorder=1)
        axes.annotate(
            f"{factor}x", (span[1], factor * span[1]), (4, 0), textcoords="offset points", va="center",
            fontsize=SMALL,
        )  # fmt: skip
    named = frame.nlargest(NAMED, "fill2_cpu_over_filled").sort_values("fill2_cpu", ascending=False)
    for number, row in enumerate(named.to_dict("records")):
        axes.annotate(
            row["matrix"], (row["filled"], row["fill2_cpu"]), (0.36, 0.97 - 0.055 * number), ha="right",
            va="center", textcoords="axes fraction", fontsize=SMALL,
            arrowprops={"arrowstyle": "-", "color": "#777777", "linewidth": 0.7, "relpos": (1, 0.5)},
        )  # fmt: skip
    axes.set_xlabel("nnz(L + U)")
    axes.set_ylabel("edges of fill2")
    axes.legend(loc="lower right", fontsize=SMALL)


def _each_sorted(axes: Axes, frame: pd.DataFrame) -> None:
    for number, name in enumerate(ALGORITHMS):
        values = np.sort(frame[f"{name}_over_filled"])
        axes.plot(
            np.arange(1, len(values) + 1), values, linestyle=LINES[number], color=PALETTE[number],
            linewidth=2.2, label=name,
        )  # fmt: skip
    axes.axhline(1, color="#777777", linewidth=1, zorder=1)
    axes.set_yscale("log")
    axes.set_xlabel("matrices, in ascending order for each algorithm")
    axes.set_ylabel("edges / nnz(L + U)")
    axes.legend(loc="upper left", fontsize=SMALL)


def _summary_row(name: str, common: pd.DataFrame) -> list[str]:
    ratios = common[f"{name}_over_filled"]
    over_fill2 = common[name] / common["fill2_cpu"]
    numbers = (ratios.min(), ratios.median(), ratios.max(), over_fill2.median())
    return [f"`{name}`", *(f"{number:.2f}" for number in numbers)]


def _matrix_row(row: Mapping[Any, Any]) -> list[str]:
    if pd.isna(row["filled"]):
        return [str(row["matrix"]), *["-"] * 6, str(row["reason"])]
    return [
        str(row["matrix"]),
        *(f"{int(row[name]):,}" for name in ("n", "nnz")),
        f"{row['structural_symmetry']:.2f}",
        *(f"{int(row[name]):,}" for name in ("filled", "fill2_cpu")),
        f"{row['fill2_cpu_over_filled']:.1f}",
        HOW[row["fill2_how"]],
    ]


def _markdown(head: list[str], rows: list[list[str]]) -> list[str]:
    ruler = ["---", *["---:"] * (len(head) - 1)]
    return [f"| {' | '.join(cells)} |" for cells in (head, ruler, *rows)]
