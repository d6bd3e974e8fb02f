"""A paper's part of the page: its figures, the claims that each decides, and the claims that none decides."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fillpath.papers import paper_names
from reports.claims.verdict import CONCLUSIVE, JUDGED, Outcome, Standing
from reports.facts.claims import Claim
from reports.figures import exhibits, stem
from reports.shapes import files, style
from reports.shapes.sheet import read_cells

# A claim, and its standing on each machine or None.
ClaimRow = tuple[Claim, list[Standing | None]]
# The order of outcomes for a reader of all claims.
_ORDER = [*reversed(CONCLUSIVE), Outcome.OPEN, Outcome.NOT_JUDGED]


def machines_of(standings: Sequence[Standing]) -> list[str]:
    """Return the machines, that with the most judged claims first."""
    judged = Counter(s.machine for s in standings if s.outcome in JUDGED)
    return sorted({s.machine for s in standings}, key=lambda name: (-judged[name], name))


def claim_rows(standings: Sequence[Standing], machines: Sequence[str]) -> list[ClaimRow]:
    """Return claims with standings: claims not reproduced anywhere come first, claims judged nowhere last."""
    claims = {s.claim.id: s.claim for s in standings}
    found = {(s.claim.id, s.machine): s for s in standings}
    rows = [(claim, [found.get((id, machine)) for machine in machines]) for id, claim in claims.items()]
    return sorted(rows, key=lambda row: min((_ORDER.index(s.outcome) for s in row[1] if s), default=9))


def paper_part(
    paper: str, standings: Sequence[Standing], machines: Sequence[str], undrawn: Mapping[tuple[str, str], str]
) -> dict[str, Any]:
    """Return what the page shows of a paper, by all standings and machines.

    `absent` are headings of figures without a claim, a picture and a record, `rows` claims without a figure.
    """
    own = [standing for standing in standings if standing.claim.paper == paper]
    parts = [
        {
            "id": stem(paper, figure),
            "figure": figure,
            "heading": exhibit.heading,
            "undrawn": undrawn.get((paper, figure), ""),
            **_claims(figure, own, machines),
            **_files(stem(paper, figure)),
        }
        for figure, exhibit in exhibits(paper).items()
    ]
    present = [part for part in parts if any(map(part.get, ("rows", "drawing", "damage", "undrawn")))]
    return {
        "id": paper,
        "title": paper_names()[paper],
        "exhibits": present,
        "absent": [part["heading"] for part in parts if part not in present],
        **_claims("", own, machines),
    }


def _claims(figure: str, own: Sequence[Standing], machines: Sequence[str]) -> dict[str, Any]:
    """Return the claims of a figure on the machines that have a number of one, else on the first."""
    own = [standing for standing in own if standing.figure == figure]
    measured = {standing.machine for standing in own if standing.verdict and standing.verdict.n}
    shown = [name for name in machines if name in measured] or list(machines[:1])
    return {"machines": shown, "rows": claim_rows(own, shown)}


def _files(name: str) -> dict[str, Any]:
    """Return the `drawing` of a figure where its files can be read, else their `damage`."""
    paths = {kind: style.figure_path(name, kind) for kind in ("svg", "pdf", "csv", style.PAGE)}
    try:
        whole = all(path.is_file() for path in paths.values())
        return {"drawing": {**paths, **_drawing(name, paths[style.PAGE])} if whole else None, "damage": ""}
    except (OSError, ValueError) as error:
        return {"drawing": None, "damage": f"{type(error).__name__}: {error}"}


def _drawing(name: str, picture: Path) -> dict[str, Any]:
    """Return the content of a figure's files. Raises OSError or ValueError where they are damaged."""
    comments = files.read_comments(style.figure_path(name, "csv"))
    cells = style.figure_path(name, style.TABLE)
    size = re.search(rb'<svg\b[^>]*? width="([\d.]+)pt" height="([\d.]+)pt"', picture.read_bytes()[:4096])
    if size is None:
        raise ValueError(f"{picture.name} does not begin as an SVG of matplotlib's")
    # 150 pixels an inch.
    width, height = (round(float(points) * 150 / 72) for points in size.groups())
    return {
        "picture": picture,
        "width": width,
        "height": height,
        "caption": comments.get("caption", ""),
        "measured": comments.get("measured", ""),
        "again": len(list(filter(None, comments.get(style.OTHER, "").split(", ")))),
        "stamp": [item for item in comments.items() if not item[0].startswith(("caption", "verdict "))],
        "cells": read_cells(cells) if cells.is_file() else None,
    }
