"""The papers' part of the page: each figure beside what is printed, its caption, data and commands."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from fillpath.paths import results
from reports.exhibit import Exhibit
from reports.facts.claims import PAPERS
from reports.facts.standings import JUDGED, Standing
from reports.figures import exhibits, stem
from reports.pages.ledger import measured_text
from reports.pages.webpage.markup import (
    Cell,
    Column,
    address,
    code,
    element,
    facts,
    folded,
    items,
    link,
    table,
)
from reports.pages.webpage.scoreboard import by_claim, chip, claim_name, machines_of, place, rank, told
from reports.shapes import style

# Pixels, at `style.DPI`, below which a picture leaves room for the numbers beside it.
NARROW = 2000


def paper_section(paper: str, standings: Sequence[Standing]) -> str:
    """A paper: its figures, then those that are not drawn, then the claims that no figure speaks to."""
    own = [standing for standing in standings if standing.claim.paper == paper]
    machines = machines_of(own)
    shown, bare = [], []
    for figure, exhibit in exhibits(paper).items():
        found = [standing for standing in own if standing.figure == figure]
        if found or _is_drawn(paper, figure):
            shown.append(_exhibit(paper, figure, exhibit, found, machines))
        else:
            bare.append(exhibit.heading)
    rest = [standing for standing in own if not standing.figure]
    return element(
        "section",
        "\n".join(
            [
                element("h2", escape(PAPERS[paper])),
                *shown,
                *([_not_drawn(paper, bare)] if bare else []),
                *([_elsewhere(paper, rest, machines)] if rest else []),
            ]
        ),
        id=paper,
    )


def _exhibit(
    paper: str, figure: str, exhibit: Exhibit, standings: Sequence[Standing], machines: Sequence[str]
) -> str:
    """A figure: its picture beside the printed numbers, caption, data, command."""
    name = stem(paper, figure)
    head = element("h3", escape(exhibit.heading))
    claims = _claims(f"{name}-claims", "printed, and measured", standings, machines) if standings else ""
    if not _is_drawn(paper, figure):
        absent = element("p", f"Not drawn: no machine has a record of it. {_measure(paper)}")
        return element("article", head + absent + claims, id=name, class_="exhibit")
    try:
        comments = style.read_comments(style.figure_path(name, "csv"))
        width, height = _size(style.figure_path(name, style.PICTURE))
    except (OSError, ValueError, struct.error) as error:
        again = code(f"fillpath draw {paper} {figure}")
        reason = escape(f"Not shown: its files cannot be read ({type(error).__name__}: {error}).")
        broken = element("p", f"{reason} Drawn again by {again}.")
        return element("article", head + broken + claims, id=name, class_="exhibit")
    image = (
        f'<img src="{address(style.figure_path(name, style.PICTURE))}" width="{width}" height="{height}" '
        f'loading="lazy" alt="{escape(exhibit.heading)}: its numbers are in the CSV linked below it">'
    )
    opened = element("a", image, href=address(style.figure_path(name, "svg")))
    kind = "beside" if width < NARROW and claims else ""
    pair = element("div", f"{opened}{claims}", class_=f"pair {kind}".strip())
    caption = _caption(name, comments, code(f"fillpath draw {paper} {figure}"))
    shown = element("figure", pair + element("figcaption", caption))
    return element("article", head + shown, id=name, class_="exhibit")


def _caption(name: str, comments: Mapping[str, str], command: str) -> str:
    """What the CSV says of its figure, the way to it, and how the figure is drawn again."""
    said = [f"{key}: {text}" for key, text in comments.items() if key.startswith("verdict ")]
    stamp = [
        (key, text) for key, text in comments.items() if key != "caption" and f"{key}: {text}" not in said
    ]
    files = ", ".join(
        link(address(style.figure_path(name, kind)), kind.upper()) for kind in ("csv", "svg", "png")
    )
    parts = [
        element("p", escape(comments.get("caption", ""))),
        element("p", f"Data and picture: {files}. Drawn by {command}."),
        folded("Everything that the figure says of claims", items([escape(text) for text in said]))
        if said
        else "",
        folded("Where its numbers come from", facts(stamp)),
    ]
    return "".join(parts)


def _not_drawn(paper: str, titles: Sequence[str]) -> str:
    told = f"Not drawn, because no machine has a record of it: {'; '.join(titles)}."
    return element("p", f"{escape(told)} {_measure(paper)}", class_="note")


def _elsewhere(paper: str, standings: Sequence[Standing], machines: Sequence[str]) -> str:
    head = element("h3", "Claims that no figure here speaks to")
    shown = _claims(f"{paper}-elsewhere", "printed, and what it would need", standings, machines)
    return element("article", head + shown, class_="exhibit")


def _measure(paper: str) -> str:
    return f"Measured by {code(f'make figures PAPER={paper}')}."


def _is_drawn(paper: str, figure: str) -> bool:
    kinds = (style.PICTURE, "svg", "png", "csv")
    return all(style.figure_path(stem(paper, figure), kind).is_file() for kind in kinds)


def _claims(id: str, caption: str, standings: Sequence[Standing], machines: Sequence[str]) -> str:
    """Claims against machines, with all that is known of each."""
    columns = [
        Column("claim", "claim"),
        Column("printed", "number"),
        *(Column(m, "verdict") for m in machines),
    ]
    rows = [
        (
            Cell(claim_name(claim)),
            Cell(escape(claim.printed), claim.value),
            *(_stands(found.get(machine)) for machine in machines),
        )
        for found in by_claim(standings).values()
        for claim in [next(iter(found.values())).claim]
    ]
    return table(id, caption, columns, rows, kind="claims")


def _stands(standing: Standing | None) -> Cell:
    """The verdict on a machine, what was measured, and how it comes about."""
    if standing is None:
        return Cell("")
    outcome, indicative, verdict = standing.outcome, standing.indicative, standing.verdict
    number = escape(measured_text(standing.claim, verdict)) if verdict else ""
    shown = f"{chip(outcome, indicative)} {element('span', number, class_='measured') if number else ''}"
    return Cell(
        f"{shown}{_how(standing)}", rank(outcome, indicative), told(outcome, indicative), id=place(standing)
    )


def _how(standing: Standing) -> str:
    """Why, what is missing or left out, the records, the command."""
    excluded = standing.verdict.excluded if standing.verdict else ()
    beside = [f"beside it: {escape(verdict.text)}" for verdict in standing.beside]
    parts = [
        element("p", escape(standing.why)),
        *(_named(f"missing {lack.kind}", lack.what) for lack in standing.missing),
        _named("left out", [f"{row.label}: {row.reason}" for row in excluded]),
        items(beside),
        _named("again", [standing.command] if standing.command else []),
        _records(standing.records),
    ]
    return folded("numbers" if standing.outcome in JUDGED else "why", "".join(parts))


def _named(title: str, texts: Sequence[str]) -> str:
    return element("p", f"{element('b', escape(title))} {escape('; '.join(texts))}") if texts else ""


def _records(found: Sequence[str]) -> str:
    if not found:
        return ""
    shown = [link(address(results() / path), Path(path).stem) for path in found]
    return folded(f"{len(shown)} record{'s' if len(shown) > 1 else ''}", items(shown, class_="records"))


def _size(picture: Path) -> tuple[int, int]:
    """Pixels of a PNG: width and height stand behind its signature and the head of its first chunk."""
    with picture.open("rb") as handle:
        width, height = struct.unpack(">II", handle.read(24)[16:])
    return width, height
