"""A paper's part of the page: its figures, the claims that each decides, and the claims that none decides."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fillpath.papers import paper_names
from reports.claims.standing import Standing
from reports.figures import exhibits, stem
from reports.pages.ledger.order import ClaimRow, claim_rows, machines_of
from reports.shapes import files, style
from reports.shapes.sheet import Cells, read_cells

# Pixels, at `style.DPI`, below which a picture leaves room for the numbers beside it.
NARROW = 1300


@dataclass(frozen=True)
class Drawing:
    """What a figure's files say.

    picture : that the page shows, unless it is a table
    width, height : of its picture, in pixels
    verdicts : everything that the figure says of claims
    stamp : names and values of what its numbers come from
    cells : of a table; None of another picture, and of a table that was drawn before its cells were kept
    """

    picture: Path
    width: int
    height: int
    caption: str
    verdicts: tuple[str, ...]
    stamp: tuple[tuple[str, str], ...]
    cells: Cells | None = None

    @property
    def narrow(self) -> bool:
        """Whether the picture leaves room for the numbers beside it."""
        return self.width < NARROW


@dataclass(frozen=True)
class ExhibitPart:
    """A figure on the page.

    id : of its files and on the page
    claims : that the figure decides
    drawing : None where it is not drawn, or cannot be read
    damage : why its files cannot be read, empty where they can or where there are none
    """

    id: str
    figure: str
    heading: str
    claims: list[ClaimRow]
    drawing: Drawing | None = None
    damage: str = ""


@dataclass(frozen=True)
class PaperPart:
    """A paper on the page.

    machines : with claims of the paper, in the order of the page
    absent : headings of the figures that are neither drawn nor judged
    elsewhere : the claims that no figure speaks to
    """

    id: str
    title: str
    machines: list[str]
    exhibits: list[ExhibitPart]
    absent: list[str]
    elsewhere: list[ClaimRow]


def paper_part(paper: str, standings: Sequence[Standing]) -> PaperPart:
    """standings : of all papers and machines."""
    of_paper = [standing for standing in standings if standing.claim.paper == paper]
    measured = {standing.machine for standing in of_paper}
    machines = [name for name in machines_of(standings) if name in measured]
    claims = {
        figure: claim_rows([s for s in of_paper if s.figure == figure], machines)
        for figure in ["", *exhibits(paper)]
    }
    present = [figure for figure in exhibits(paper) if claims[figure] or _is_drawn(stem(paper, figure))]
    return PaperPart(
        id=paper,
        title=paper_names()[paper],
        machines=machines,
        exhibits=[_exhibit(paper, figure, claims[figure]) for figure in present],
        absent=[exhibit.heading for name, exhibit in exhibits(paper).items() if name not in present],
        elsewhere=claims[""],
    )


def _exhibit(paper: str, figure: str, claims: list[ClaimRow]) -> ExhibitPart:
    name = stem(paper, figure)
    heading = exhibits(paper)[figure].heading
    if not _is_drawn(name):
        return ExhibitPart(name, figure, heading, claims)
    try:
        return ExhibitPart(name, figure, heading, claims, drawing=_drawing(name))
    except (OSError, ValueError, struct.error) as error:
        return ExhibitPart(name, figure, heading, claims, damage=f"{type(error).__name__}: {error}")


def _drawing(name: str) -> Drawing:
    """Raises OSError, ValueError or struct.error where the files are damaged."""
    comments = files.read_comments(style.figure_path(name, "csv"))
    picture = style.page_picture(name)
    if picture is None:
        raise ValueError(f"no picture {name}.{style.PICTURES[0]}")
    width, height = _size(picture)
    verdicts = {key: text for key, text in comments.items() if key.startswith("verdict ")}
    cells = style.figure_path(name, style.TABLE)
    return Drawing(
        picture=picture,
        width=width,
        height=height,
        caption=comments.get("caption", ""),
        verdicts=tuple(f"{key}: {text}" for key, text in verdicts.items()),
        stamp=tuple(item for item in comments.items() if item[0] not in {"caption", *verdicts}),
        cells=read_cells(cells) if cells.is_file() else None,
    )


def _is_drawn(name: str) -> bool:
    files = all(style.figure_path(name, kind).is_file() for kind in ("svg", "csv"))
    return files and style.page_picture(name) is not None


def _size(picture: Path) -> tuple[int, int]:
    """Width and height in pixels. Of a PNG they stand behind its signature and the head of its first chunk;
    the head of an SVG says them in points."""
    if picture.suffix == ".png":
        with picture.open("rb") as handle:
            width, height = struct.unpack(">II", handle.read(24)[16:])
        return width, height
    with picture.open() as handle:
        head = re.search(r'<svg\b[^>]*? width="([\d.]+)pt" height="([\d.]+)pt"', handle.read(4096))
    if head is None:
        raise ValueError(f"{picture.name} does not begin as an SVG of matplotlib's")
    return round(float(head[1]) * style.DPI / 72), round(float(head[2]) * style.DPI / 72)
