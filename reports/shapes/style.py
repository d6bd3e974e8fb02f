"""The look, the stamp and the saved files of figures: the CSV is the frame of the picture.

svg, csv, *others = save(figure, frame, "gsofa_fig10", stamp(rows), "Caption.")
"""

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from fillpath import paths
from fillpath.paths import atomic_write, write_text
from reports.shapes.files import csv_text

# Okabe and Ito's palette, told apart by the colour-blind; hatches and markers tell the series apart in grey.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
HATCHES = ("", "//", "..", "xx", "\\\\", "oo", "--")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
SMALL, NORMAL, LARGE = 10, 12, 14
# Letters per inch of the text below a picture, and lines of verdicts there at most.
LETTERS, LINES = 12.6, 3
# Inches around a picture.
PAD = 0.2
# Endings of the page's picture, which lacks the text below, of the note of what is drawn, of a table's cells.
PAGE, DRAWN, TABLE = "page.svg", "drawn", "table.json"
OTHER = "other sources than today's"
# Metadata that files leave out.
UNSAID = {".svg": ("Creator", "Date"), ".pdf": ("Creator", "CreationDate", "Producer")}

# One look for all that is drawn.
matplotlib.rcParams.update(
    {
        "font.family": "DejaVu Sans",
        "font.size": NORMAL,
        "axes.titlesize": NORMAL,
        "axes.grid": True,
        "axes.grid.axis": "y",
        "axes.axisbelow": True,
        "grid.color": "#d0d0d0",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "hatch.linewidth": 0.6,
        "legend.frameon": False,
        "svg.hashsalt": "fillpath",
    }
)


def stamp(rows: pd.DataFrame) -> dict[str, str]:
    """Return the whole origin of the numbers of these rows of the table, for the CSV."""
    ok, lost = (rows[(rows["status"] == "ok") == own] for own in (True, False))
    columns = ("commit", "machine", "run_id")
    commits, machines, runs = (", ".join(sorted(set(rows[name].dropna()))) for name in columns)
    dates = sorted(ok["started_at"].dropna().astype(str).str[:10])
    other = ok.loc[ok["current"].eq(False).fillna(False), "case"]
    return {
        "commit": (commits or "unknown") + "+dirty" * bool(rows["dirty"].eq(True).fillna(False).any()),
        "machine": machines or "none",
        "run": runs or "none",
        "n": f"{ok['matrix'].nunique()} matrices measured",
        "excluded": ", ".join(lost["case"] + " (" + lost["status"] + ")") or "none",
        "measured": " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "never",
    } | ({OTHER: ", ".join(other)} if len(other) else {})


def footer(stamp: Mapping[str, str]) -> str:
    """Return a stamp as it is below the picture: commits in 12 digits, and of many names their number."""
    parts = [(key, text, text.count(", ") + 1) for key, text in stamp.items()]
    short = [f"{key} {text if n < 4 else f'{n}, named in the CSV'}" for key, text, n in parts]
    return re.sub(r"\b([0-9a-f]{12})[0-9a-f]{28}", r"\1", " | ".join(short))


class Look(NamedTuple):
    """The look of a series."""

    colour: str
    hatch: str
    marker: str


def looks(names: Iterable[str]) -> dict[str, Look]:
    """Return the look of each series, in their order; no two share colour and hatch, or colour and marker."""
    count, known = len(PALETTE), {}
    for i, name in enumerate(dict.fromkeys(names)):
        mark = (i + i // count) % count
        known[name] = Look(PALETTE[i % count], HATCHES[mark], MARKERS[mark])
    return known


def new_figure(width: float, height: float, title: str) -> Figure:
    """Return an empty figure of that size in inches, in the common look, under its title."""
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.suptitle(title, x=0.01, ha="left", fontsize=LARGE, weight="bold")
    return figure


def save(
    figure: Figure,
    frame: pd.DataFrame,
    stem: str,
    stamp: Mapping[str, str],
    caption: str = "",
    verdicts: Sequence[tuple[str, str, str]] = (),
    site: Path | None = None,
) -> list[Path]:
    """Write SVG, CSV, PDF, the page's picture and a table's cells; return their paths in this order.

    verdicts : claim, basis and text of each; the picture has the first of them.
    site : the folder, None for the page's own.
    """
    kinds = ("svg", "csv", "pdf", PAGE, TABLE)
    svg, csv, pdf, page, table = (figure_path(stem, kind, site) for kind in kinds)
    write_picture(figure, page)
    write_below(figure, caption, in_brief(verdicts, int(LETTERS * figure.get_figwidth())), footer(stamp))
    box = measured(figure)
    for path in (svg, pdf):
        write_picture(figure, path, box)
    judged = [(f"verdict {claim} ({basis})", text) for claim, basis, text in verdicts]
    comments = [*stamp.items(), *judged, *([("caption", caption)] if caption else [])]
    write_text(csv, csv_text(frame, comments))
    table.unlink(missing_ok=True)
    if cells := getattr(figure, "cells", None):
        cells.write(table)
    return [svg, csv, pdf, page, *([table] if cells else [])]


def figure_path(stem: str, kind: str, site: Path | None = None) -> Path:
    """Return a file of a figure. kind : its ending. site : its folder, None for the page's own."""
    return (site or paths.SITE) / "figures" / f"{stem}.{kind}"


def measured(figure: Figure) -> Bbox:
    """Return what the figure fills, in inches, laid out for good: text below is outside of its layout."""
    if figure.axes and (engine := figure.get_layout_engine()):
        engine.execute(figure)
    figure.set_layout_engine(None)
    return figure.get_tightbbox()


def write_picture(figure: Figure, path: Path, box: Bbox | None = None) -> None:
    """Replace an SVG or a PDF, whole or not at all: same input, same bytes.

    box : what the figure fills, None to measure it.
    """
    metadata = {**dict.fromkeys(UNSAID[path.suffix]), "Title": path.stem}
    box = (box or measured(figure)).padded(PAD)
    with atomic_write(path, "wb") as handle:
        figure.savefig(handle, format=path.suffix[1:], metadata=metadata, bbox_inches=box)


def in_brief(verdicts: Sequence[tuple[str, str, str]], width: int) -> str:
    """Return at most LINES lines of `width` letters: the first verdicts, and the number of others."""
    # The basis comes last, as it may be cut off.
    whole = [f"verdict {claim}: {text} ({basis})" for claim, basis, text in verdicts]
    lines = [textwrap.shorten(each, width, placeholder=" ...") for each in whole]
    more = len(lines) - LINES + 1
    return "\n".join(lines if more < 2 else [*lines[: LINES - 1], f"and {more} more verdicts, on the page"])


def write_below(figure: Figure, *paragraphs: str) -> None:
    """Write caption, verdicts and stamp under the figure, outside of its own area: `savefig` grows."""
    width, height = figure.get_size_inches()
    fill = partial(textwrap.fill, width=int(width * LETTERS))
    text = "\n\n".join("\n".join(map(fill, each.splitlines())) for each in paragraphs if each)
    look: dict[str, Any] = {"ha": "left", "va": "top", "size": SMALL, "color": "#333333"}
    figure.text(0.005, -0.15 / height, text, linespacing=1.35, **look)
