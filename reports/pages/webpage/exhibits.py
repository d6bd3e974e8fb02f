"""A paper's part of the page: its figures, the claims that each decides, and the claims that none decides."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fillpath.papers import paper_names
from reports.claims.standing import Standing
from reports.exhibit import Exhibit
from reports.figures import exhibits, stem
from reports.pages.webpage.scoreboard import claim_rows
from reports.shapes import files, style
from reports.shapes.sheet import read_cells


def paper_part(paper: str, standings: Sequence[Standing], machines: Sequence[str]) -> dict[str, Any]:
    """Return what the page shows of a paper.

    standings, machines : all, the machines in the order of the page

    `absent` are headings of figures that are neither drawn nor judged, `elsewhere` the claims that no figure
    speaks to.
    """
    own = [standing for standing in standings if standing.claim.paper == paper]
    parts = [_part(paper, *item, own, machines) for item in exhibits(paper).items()]
    present = [part for part in parts if part["rows"] or part["drawing"] or part["damage"]]
    return {
        "id": paper,
        "title": paper_names()[paper],
        "exhibits": present,
        "absent": [part["heading"] for part in parts if part not in present],
        **_claims("", own, machines),
    }


def _claims(figure: str, own: Sequence[Standing], machines: Sequence[str]) -> dict[str, Any]:
    """The claims of a figure on those machines that have a number of one, else on the first."""
    own = [standing for standing in own if standing.figure == figure]
    measured = {standing.machine for standing in own if standing.verdict and standing.verdict.n}
    shown = [name for name in machines if name in measured] or list(machines[:1])
    return {"machines": shown, "rows": claim_rows(own, shown)}


def _part(
    paper: str, figure: str, exhibit: Exhibit, own: Sequence[Standing], machines: Sequence[str]
) -> dict[str, Any]:
    """A figure, with its `drawing` where its files can be read, else with their `damage` where it has any."""
    name, drawing, damage = stem(paper, figure), None, ""
    picture = style.page_picture(name)
    try:
        written = {kind: style.figure_path(name, kind) for kind in ("svg", "pdf", "csv")}
        if picture and written["svg"].is_file() and written["csv"].is_file():
            drawing = {**written, **_drawing(name, picture)}
    except (OSError, ValueError, struct.error) as error:
        damage = f"{type(error).__name__}: {error}"
    part = {"id": name, "figure": figure, "heading": exhibit.heading, **_claims(figure, own, machines)}
    return {**part, "drawing": drawing, "damage": damage}


def _drawing(name: str, picture: Path) -> dict[str, Any]:
    """Return what a figure's files say. Of a table drawn before its cells were kept there are none.

    Raises OSError, ValueError or struct.error where the files are damaged.
    """
    comments = files.read_comments(style.figure_path(name, "csv"))
    cells = style.figure_path(name, style.TABLE)
    verdicts = {key for key in comments if key.startswith("verdict ")}
    width, height = _size(picture)
    return {
        "picture": picture,
        "width": width,
        "height": height,
        "caption": comments.get("caption", ""),
        "measured": comments.get("measured", ""),
        "again": len(list(filter(None, comments.get(style.OTHER, "").split(", ")))),
        "stamp": [item for item in comments.items() if item[0] not in {"caption", *verdicts}],
        "cells": read_cells(cells) if cells.is_file() else None,
    }


def _size(picture: Path) -> tuple[int, int]:
    """Width and height in pixels: of a PNG behind its signature and the head of its first chunk, of an SVG in
    its head, in points."""
    head = picture.read_bytes()[:4096]
    if picture.suffix == ".png":
        width, height = struct.unpack(">II", head[16:24])
        return width, height
    size = re.search(rb'<svg\b[^>]*? width="([\d.]+)pt" height="([\d.]+)pt"', head)
    if size is None:
        raise ValueError(f"{picture.name} does not begin as an SVG of matplotlib's")
    return round(float(size[1]) * style.DPI / 72), round(float(size[2]) * style.DPI / 72)
