"""Files of a comparison: CSV tables, speeds, rooflines, and the best, a row per input."""

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fillpath import paths
from fillpath.paths import write_text
from reports.facts.records import Records
from reports.hardware.comparison import COPIED, RESIDENT, Comparison
from reports.hardware.roofline import rooflines
from reports.hardware.solved import PROBLEMS, each
from reports.hardware.text import ONE_PROCESS, SPANS, described, mean_lines
from reports.shapes import style
from reports.shapes.axes import Panels, legend_above
from reports.shapes.bars import label_log, seconds
from reports.shapes.beside import PanelRow, Step
from reports.shapes.style import SMALL, new_figure
from reports.verbs import with_groups

# Inches of a row, of a panel without rows, of a line above a panel.
ROW, REST, LINE = 0.42, 0.8, 0.2
CAPTION = f"""Medians with their 95% intervals; empty points: {SPANS[COPIED]}. On the right the fastest
implementation, and below it the slowest. Ordering is in no time. With copies another implementation may be
the best: best.csv names it. Means are geometric, over the inputs that both have solved."""


def comparison_folder(comparison: Comparison) -> Path:
    """Return where its pictures and its CSVs lie."""
    return paths.SITE / "compare" / "_".join(comparison.machines)


def draw_comparison(comparison: Comparison, records: Records) -> list[Path]:
    """Write two tables and three pictures into the comparison's folder, and return their paths.

    Raises InputError for damaged ceilings.
    """
    folder = comparison_folder(comparison)
    tables = {folder / "best.csv": comparison.best["answers"], folder / "ratios.csv": comparison.pairs}
    for path, table in tables.items():
        write_text(path, table.to_csv(index=False, lineterminator="\n"))
    pictures = {
        folder / "speeds.svg": speeds_picture(comparison),
        folder / "best.svg": best_picture(comparison),
        folder / "rooflines.svg": rooflines(comparison.machines, records),
    }
    for path, picture in pictures.items():
        style.write_picture(picture, path)
    return [*tables, *pictures]


def speeds_picture(comparison: Comparison) -> Figure:
    """Return each machine's mean speed on each problem, with the first machine as 1x."""
    (first, *others), means = comparison.machines, comparison.best["means"]
    rows = means[means["span"] == RESIDENT].assign(preparation="", stand_in_for=None, pair="ok")
    rows = with_groups(rows.assign(label=rows["problem"].map(PROBLEMS), series=rows["machine"]))
    steps = [Step(name, "ratio", {"machine": name}) for name in others]
    row = PanelRow(f"speed, {first} = 1x (log)", steps, {}, points=True, log=True)
    panels = Panels([lambda axes, shown: row.draw([axes], [row.marks(shown)], comparison.looks)], 4.5)
    return panels(rows, f"Speed on each problem, with {first} as 1x")


def best_picture(comparison: Comparison) -> Figure:
    """Return the best verified time of each machine on every input that the first and another have solved."""
    answers = comparison.best["answers"]
    parts = {name: part for name in PROBLEMS if len(part := answers[answers["problem"] == name])}
    heads = [[PROBLEMS[problem], *mean_lines(comparison, problem)] for problem in parts]
    rows = [ROW * part.index.nunique() for part in parts.values()]
    heights = [REST + row + LINE * (len(head) - 1) for row, head in zip(rows, heads, strict=True)] or [REST]
    title = "The best verified time to solution on each machine, by any implementation"
    figure = new_figure(12.0, 0.8 + sum(heights), title)
    panels = list(figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights).ravel())
    for axes, part, head in zip(panels, parts.values(), heads, strict=False):
        _draw(axes, part, comparison)
        axes.set_title("\n".join(head), loc="left", fontsize=SMALL)
    if parts:
        legend_above(figure, panels[0].get_legend_handles_labels()[0])
    else:
        panels[0].text(0.5, 0.5, "no input that two of them have solved", ha="center", va="center")
        panels[0].set_axis_off()
    one = [ONE_PROCESS] if comparison.of_one_process else []
    style.write_below(figure, " ".join([*CAPTION.split(), *one]))
    return figure


def _draw(axes: Axes, answers: pd.DataFrame, comparison: Comparison) -> None:
    """Draw the answers on a problem, its inputs from above in their order."""
    who = [f"{row.machine}: {described(row)}" for row in each(answers)]
    rows = answers.assign(y=pd.factorize(answers.index)[0], who=who)
    # On a processor nothing is copied.
    rows = rows.drop_duplicates(["y", "machine", "seconds"])
    resident, moved = (rows[rows["span"] == span] for span in (RESIDENT, COPIED))
    ordered = resident.sort_values("seconds", kind="stable").groupby("y")
    fastest, slowest = ordered.first(), ordered.last()
    axes.hlines(fastest.index, fastest["seconds"], slowest["seconds"], color="#d0d0d0", linewidth=3, zorder=1)
    for machine in comparison.machines:
        colour, _, marker = comparison.looks[machine]
        at, beside = (part[part["machine"] == machine] for part in (resident, moved))
        axes.hlines(at["y"], at["low"], at["high"], color=colour, linewidth=1.5, zorder=2)
        axes.plot(at["seconds"], at["y"], marker, color=colour, markersize=7, zorder=3, label=machine)
        axes.plot(beside["seconds"], beside["y"] + 0.3, marker, color=colour, fillstyle="none", markersize=5)
    # Preparation and options are written below the name of the matrix.
    axes.set_yticks(fastest.index, fastest["input"].str.replace(", ", "\n", n=1), fontsize=SMALL)
    axes.set(xscale="log", ylim=(len(fastest) - 0.4, -0.5))
    right = axes.secondary_yaxis("right")
    right.set_yticks(fastest.index, fastest["who"] + "\n" + slowest["who"], fontsize=SMALL - 1)
    right.tick_params(length=0)
    label_log(axes.xaxis, seconds)
    axes.tick_params(axis="x", labelsize=SMALL - 2)
    axes.grid(True, axis="x")
    axes.grid(False, axis="y")
