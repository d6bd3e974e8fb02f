"""How figures look and how they are saved: one look, one stamp, the CSV beside the picture is the frame."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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
DPI = 150
# Letters per inch of the text below a picture, and lines of verdicts there at most.
LETTERS, LINES = 12.6, 3
# Inches around a picture.
PAD = 0.2
# The ending of the picture that the page shows, which is without the text below, as the page has that itself;
# it is a PNG where the SVG would take long to load.
PAGE = "page.svg"
LARGEST = 1_000_000
# That of the note of what a picture was drawn from.
DRAWN = "drawn"
# That of the cells of a table.
TABLE = "table.json"
OTHER = "other sources than today's"

_SETTINGS: Any = {
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
    "svg.fonttype": "path",
}


@dataclass(frozen=True)
class Stamp:
    """Where the numbers come from.

    items : in full, as the CSV carries it
    footer : as the figure carries it, where many are counted
    """

    items: Mapping[str, str]
    footer: str

    @classmethod
    def of(cls, rows: pd.DataFrame) -> Stamp:
        """Return that of rows of the table."""
        ok, lost = (rows[(rows["status"] == "ok") == own] for own in (True, False))
        commits, machines, runs = (
            sorted(set(rows[name].dropna().astype(str))) for name in ("commit", "machine", "run_id")
        )
        dirty = "+dirty" if rows["dirty"].eq(True).fillna(False).any() else ""
        whole = {
            "commit": (", ".join(commits) or "unknown") + dirty,
            "machine": ", ".join(machines) or "none",
            "run": ", ".join(runs) or "none",
            "n": f"{ok['matrix'].nunique()} matrices measured",
            "excluded": ", ".join(lost["case"] + " (" + lost["status"] + ")") or "none",
        }
        more = " ..." if len(commits) > 3 else ""
        shown = ", ".join(commit[:12] for commit in commits[:3]) or "unknown"
        dates = sorted(ok["started_at"].dropna().astype(str).str[:10])
        whole["measured"] = " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "never"
        short = {**whole, "commit": f"{shown}{more}{dirty}"}
        if len(lost) > 4:
            counts = ", ".join(f"{n} {status}" for status, n in sorted(Counter(lost["status"]).items()))
            short["excluded"] = f"{counts} (named in the CSV)"
        if len(runs) > 3:
            short["run"] = f"{len(runs)} runs, {runs[0]} to {runs[-1]}"
        # Cases measured with other sources than today's.
        if other := ok.loc[ok["current"].eq(False).fillna(False), "case"].tolist():
            whole[OTHER] = ", ".join(other)
            short[OTHER] = f"{len(other)} cases (named in the CSV)"
        return cls(whole, " | ".join(f"{key} {value}" for key, value in short.items()))


class Look(NamedTuple):
    """How a series is drawn."""

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
    """An empty figure of that size in inches, in the common look, under its title."""
    set_look()
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.suptitle(title, x=0.01, ha="left", fontsize=LARGE, weight="bold")
    return figure


def set_look() -> None:
    """The common look of what is drawn from now on; it touches no global state of pyplot."""
    matplotlib.use("Agg", force=False)
    matplotlib.rcParams.update(_SETTINGS)


def save(
    figure: Figure,
    frame: pd.DataFrame,
    stem: str,
    stamp: Stamp,
    caption: str = "",
    verdicts: Sequence[tuple[str, str]] = (),
    site: Path | None = None,
) -> list[Path]:
    """Write <stem>.svg, .csv and .pdf into the site, with caption, verdicts and stamp, and the bare picture
    for the page, or the cells of a table: same input, same bytes. Returns the paths of all, those first.

    verdicts : what each is called, and its text; the picture has the first of them.
    site : the folder, None for the page's own.
    """
    svg, csv, pdf, table, page = (
        figure_path(stem, kind, site) for kind in ("svg", "csv", "pdf", TABLE, PAGE)
    )
    # Of a large picture the page needs no SVG, which the whole one is.
    *large, picture = save_shown(figure, page)
    for path in large:
        path.unlink()
    write_below(figure, caption, in_brief(verdicts, int(LETTERS * figure.get_figwidth())), stamp.footer)
    box = measured(figure)
    for path in (svg, pdf):
        write_picture(figure, path, box)
    comments = [*stamp.items.items(), *verdicts, *([("caption", caption)] if caption else [])]
    write_text(csv, csv_text(frame, comments))
    table.unlink(missing_ok=True)
    if cells := getattr(figure, "cells", None):
        cells.write(table)
    return [svg, csv, pdf, picture, *([table] if cells else [])]


def save_shown(figure: Figure, svg: Path) -> list[Path]:
    """Write a picture that the page shows as it is: as SVG, and as PNG too if that is large. Returns their
    paths."""
    png = svg.with_suffix(".png")
    box = measured(figure)
    write_picture(figure, svg, box)
    if svg.stat().st_size <= LARGEST:
        png.unlink(missing_ok=True)
        return [svg]
    write_picture(figure, png, box)
    return [svg, png]


def shown(svg: Path) -> Path:
    """Return which form of a picture the page shows."""
    png = svg.with_suffix(".png")
    return png if png.is_file() else svg


def page_picture(stem: str) -> Path | None:
    """Return the picture of a figure that the page shows; None where it is not drawn."""
    picture = shown(figure_path(stem, PAGE))
    return picture if picture.is_file() else None


def figure_path(stem: str, kind: str, site: Path | None = None) -> Path:
    """Return a file of a figure. kind : its ending. site : its folder, None for the page's own."""
    return (site or paths.SITE) / "figures" / f"{stem}.{kind}"


def measured(figure: Figure) -> Bbox:
    """Return what the figure fills, in inches. It is laid out for good: text below is outside of its layout,
    and each picture would do it again."""
    if engine := figure.get_layout_engine():
        with matplotlib.rc_context(_SETTINGS):
            engine.execute(figure)
        figure.set_layout_engine(None)
    return figure.get_tightbbox()


def write_picture(figure: Figure, path: Path, box: Bbox) -> None:
    """Replace an SVG, PDF or PNG, whole or not at all: same input, same bytes."""
    metadata: Any = {
        ".svg": {"Date": None, "Creator": None, "Title": path.stem},
        ".pdf": {"CreationDate": None, "Creator": None, "Producer": None, "Title": path.stem},
        ".png": {"Software": None},
    }[path.suffix]
    kind = path.suffix[1:]
    with atomic_write(path, "wb") as handle, matplotlib.rc_context(_SETTINGS):
        figure.savefig(handle, format=kind, metadata=metadata, dpi=DPI, bbox_inches=box.padded(PAD))


def in_brief(verdicts: Sequence[tuple[str, str]], width: int) -> str:
    """Return at most LINES lines of so many letters: the first verdicts, and how many more there are."""
    lines = [textwrap.shorten(f"{key}: {text}", width, placeholder=" ...") for key, text in verdicts]
    more = len(lines) - LINES + 1
    return "\n".join(lines if more < 2 else [*lines[: LINES - 1], f"and {more} more verdicts, on the page"])


def write_below(figure: Figure, *paragraphs: str) -> None:
    """Write caption, verdicts and stamp under the figure, outside of its own area: `savefig` grows."""
    width, height = figure.get_size_inches()
    filled = [
        [textwrap.fill(line, int(width * LETTERS)) for line in text.splitlines()] for text in paragraphs
    ]
    text = "\n\n".join("\n".join(paragraph) for paragraph in filled if paragraph)
    if text:
        look: dict[str, Any] = {"ha": "left", "va": "top", "size": SMALL, "color": "#333333"}
        figure.text(0.005, -0.15 / height, text, linespacing=1.35, **look)
