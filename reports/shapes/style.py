"""How figures look and how they are saved: one look, one stamp, the CSV beside the picture is the frame."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import matplotlib
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from fillpath import paths
from fillpath.paths import atomic_write, write_text
from reports.shapes.cells import TablePicture
from reports.shapes.frame_csv import csv_text

# Okabe and Ito's palette, told apart by the colour-blind; hatches and markers tell the series apart in grey.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
HATCHES = ("", "//", "..", "xx", "\\\\", "oo", "--")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
SMALL, NORMAL, LARGE = 10, 12, 14
DPI = 150
# Inches around a picture.
PAD = 0.2
# The endings of the picture that the page shows, which is without the text below, as the page has that
# itself: an SVG, or a PNG where the SVG would take long to load.
PICTURES = ("page.svg", "page.png")
LARGEST = 1_000_000
# That of the note of what a picture was drawn from.
DRAWN = "drawn"
# That of the cells of a table.
TABLE = "table.json"

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

    measured : matrices with a result.
    excluded : (case, status) of those without.
    other : cases measured with other sources than today's.
    """

    commits: tuple[str, ...]
    dirty: bool
    machines: tuple[str, ...]
    run_ids: tuple[str, ...]
    measured: int
    excluded: tuple[tuple[str, str], ...]
    other: tuple[str, ...] = ()

    @classmethod
    def of(cls, rows: pd.DataFrame) -> Stamp:
        """Of rows of the table."""
        ok = rows[rows["status"] == "ok"]
        others = rows[rows["status"] != "ok"]
        return cls(
            commits=_distinct(rows["commit"]),
            dirty=bool(rows["dirty"].eq(True).fillna(False).any()),
            machines=_distinct(rows["machine"]),
            run_ids=_distinct(rows["run_id"]),
            measured=int(ok["matrix"].nunique()),
            excluded=tuple(zip(others["case"].tolist(), others["status"].tolist(), strict=True)),
            other=tuple(ok.loc[ok["current"].eq(False).fillna(False), "case"]),
        )

    def items(self) -> list[tuple[str, str]]:
        """The stamp in full, as the CSV carries it."""
        return [
            ("commit", ", ".join(self.commits or ("unknown",)) + ("+dirty" if self.dirty else "")),
            ("machine", ", ".join(self.machines) or "none"),
            ("run", ", ".join(self.run_ids) or "none"),
            ("n", f"{self.measured} matrices measured"),
            ("excluded", ", ".join(f"{case} ({status})" for case, status in self.excluded) or "none"),
            *([("other sources than today's", ", ".join(self.other))] if self.other else []),
        ]

    def footer(self) -> str:
        """The stamp in short, as the figure carries it: many excluded cases are counted by status."""
        values = dict(self.items())
        commits = ", ".join(c[:12] for c in self.commits[:3]) or "unknown"
        if len(self.excluded) > 4:
            counted = Counter(status for _, status in self.excluded)
            listed = ", ".join(f"{count} {status}" for status, count in sorted(counted.items()))
            values["excluded"] = f"{listed} (named in the CSV)"
        if len(self.run_ids) > 3:
            values["run"] = f"{len(self.run_ids)} runs, {self.run_ids[0]} to {self.run_ids[-1]}"
        if self.other:
            values["other sources than today's"] = f"{len(self.other)} cases (named in the CSV)"
        more = " ..." if len(self.commits) > 3 else ""
        values["commit"] = f"{commits}{more}{'+dirty' if self.dirty else ''}"
        return " | ".join(f"{key} {value}" for key, value in values.items())


def new_figure(width: float, height: float, layout: Literal["constrained"] | None = "constrained") -> Figure:
    """An empty figure of that size in inches, in the common look."""
    set_look()
    return Figure(figsize=(width, height), layout=layout)


def set_look() -> None:
    """The common look of what is drawn from now on; it touches no global state of pyplot."""
    matplotlib.use("Agg", force=False)
    matplotlib.rcParams.update(_SETTINGS)


def headline(figure: Figure, title: str) -> None:
    """The title, where every figure has it."""
    figure.suptitle(title, x=0.01, ha="left", fontsize=LARGE, weight="bold")


def save(
    figure: Figure,
    frame: pd.DataFrame,
    stem: str,
    stamp: Stamp,
    caption: str = "",
    verdicts: Sequence[tuple[str, str]] = (),
    site: Path | None = None,
) -> list[Path]:
    """Write <stem>.svg and .csv into the site, with caption, verdicts and stamp, and the bare picture for the
    page, or the cells of a table: same input, same bytes. Returns the paths of all, those two first.

    verdicts : what each is called, and its text.
    site : the folder, None for the page's own.
    """
    svg, csv = (figure_path(stem, kind, site) for kind in ("svg", "csv"))
    bare = measured(figure)
    write_below(figure, caption, "\n".join(f"{key}: {text}" for key, text in verdicts), stamp.footer())
    whole = measured(figure)
    write_picture(figure, svg, whole)
    picture = _save_bare(figure, svg, bare, whole)
    comments = [*stamp.items(), *verdicts, *([("caption", caption)] if caption else [])]
    write_text(csv, csv_text(frame, comments))
    return [svg, csv, picture, *_save_cells(figure, figure_path(stem, TABLE, site))]


def _save_bare(figure: Figure, svg: Path, bare: Bbox, whole: Bbox) -> Path:
    """The page's picture: the part of the whole one that is above the text, as SVG, or as PNG if that is
    large. The other of the two goes."""
    small, large = (svg.with_suffix(f".{kind}") for kind in PICTURES)
    if svg.stat().st_size > LARGEST:
        write_picture(figure, large, bare)
        small.unlink(missing_ok=True)
        return large
    write_text(small, cropped(svg.read_text(), bare, whole))
    large.unlink(missing_ok=True)
    return small


def cropped(svg: str, part: Bbox, whole: Bbox) -> str:
    """An SVG that `write_picture` wrote of the whole, as that of a part of it: only what it shows and its
    size are others. part, whole : in inches."""
    inner, outer = part.padded(PAD), whole.padded(PAD)
    left, top = 72 * (inner.x0 - outer.x0), 72 * (outer.y1 - inner.y1)
    width, height = 72 * inner.width, 72 * inner.height
    begin, tag, rest = re.split(r"(<svg\b[^>]*>)", svg, maxsplit=1)
    names = {
        "width": f"{width:.6f}pt",
        "height": f"{height:.6f}pt",
        "viewBox": f"{left:.6f} {top:.6f} {width:.6f} {height:.6f}",
    }
    for name, value in names.items():
        tag, count = re.subn(rf'( {name}=)"[^"]*"', rf'\1"{value}"', tag, count=1)
        if not count:
            raise ValueError(f"matplotlib's SVG begins otherwise than expected: no {name}")
    return f"{begin}{tag}{rest}"


def save_shown(figure: Figure, svg: Path) -> list[Path]:
    """Write a picture that the page shows as it is: as SVG, and as PNG too if that is large. Returns their
    paths."""
    box, png = measured(figure), svg.with_suffix(".png")
    write_picture(figure, svg, box)
    if svg.stat().st_size <= LARGEST:
        png.unlink(missing_ok=True)
        return [svg]
    write_picture(figure, png, box)
    return [svg, png]


def shown(svg: Path) -> Path:
    """Which form of it the page shows."""
    png = svg.with_suffix(".png")
    return png if png.is_file() else svg


def _save_cells(figure: Figure, path: Path) -> list[Path]:
    """Beside the picture of a table its cells, which the page shows; none beside another picture."""
    if not isinstance(figure, TablePicture):
        path.unlink(missing_ok=True)
        return []
    figure.cells.write(path)
    return [path]


def page_picture(stem: str) -> Path | None:
    """The picture of a figure that the page shows; None where it is not drawn."""
    paths = (figure_path(stem, kind) for kind in PICTURES)
    return next((path for path in paths if path.is_file()), None)


def figure_path(stem: str, kind: str, site: Path | None = None) -> Path:
    """A file of a figure in the site. kind : its ending. site : the folder, None for the page's own."""
    return (site or paths.SITE) / "figures" / f"{stem}.{kind}"


def measured(figure: Figure) -> Bbox:
    """What the figure fills, in inches. It is laid out for good: text below is outside of its layout, and
    each picture would do it again."""
    if figure.get_layout_engine() is not None:
        with matplotlib.rc_context(_SETTINGS):
            figure.draw_without_rendering()
        figure.set_layout_engine("none")
    return figure.get_tightbbox()


def write_picture(figure: Figure, path: Path, box: Bbox) -> None:
    """Replace an SVG or PNG, whole or not at all: same input, same bytes. box : of the figure, in inches."""
    svg: dict[str, Any] = {"Date": None, "Creator": None, "Title": path.stem}
    metadata = svg if path.suffix == ".svg" else {"Software": None}
    with atomic_write(path, "wb") as handle, matplotlib.rc_context(_SETTINGS):
        figure.savefig(
            handle, format=path.suffix[1:], dpi=DPI, metadata=metadata, bbox_inches=box.padded(PAD)
        )


def write_below(figure: Figure, *paragraphs: str) -> None:
    """Caption, verdicts and stamp under the figure, outside of its own area: `savefig` grows by them."""
    width, height = figure.get_size_inches()
    wrapped = [
        [textwrap.fill(line, int(width * 12.6)) for line in text.splitlines()] for text in paragraphs if text
    ]
    lines = ["\n".join(paragraph) for paragraph in wrapped]
    if lines:
        figure.text(
            0.005, -0.15 / height, "\n\n".join(lines), ha="left", va="top", size=SMALL, color="#333333",
            linespacing=1.35,
        )  # fmt: skip


def _distinct(column: pd.Series[Any]) -> tuple[str, ...]:
    return tuple(sorted({str(value) for value in column.dropna()}))
