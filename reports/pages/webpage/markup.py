"""Pieces of HTML: elements, links from the page, tables that its script can sort and filter."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import quote

from fillpath import paths


@dataclass(frozen=True)
class Column:
    """A column of a table. choice : what the page offers to filter by its values is called, empty for none.
    kind : its cells' CSS class."""

    title: str
    kind: str = ""
    choice: str = ""


@dataclass(frozen=True)
class Cell:
    """A cell. html : its content. order : what it is sorted by, None for its text. value : what it is
    filtered by. kind : CSS class, beside the column's. id : for links to it."""

    html: str
    order: float | None = None
    value: str = ""
    kind: str = ""
    id: str = ""


# The first cell is the row's heading.
Row = tuple[Cell, ...]


def element(name: str, content: str, **attributes: str) -> str:
    """`<name key="value">content</name>`; `class_` is `class`, `data_x` is `data-x`, empty ones are left
    out."""
    told = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value
    )
    return f"<{name}{told}>{content}</{name}>"


def link(target: str, text: str) -> str:
    """A link. target : as `address` or `#id` has it."""
    return element("a", escape(text), href=target)


def address(path: Path) -> str:
    """A file as the page links to it."""
    return quote(Path(os.path.relpath(path, paths.PAGE.parent)).as_posix())


def code(text: str) -> str:
    return element("code", escape(text))


def items(texts: Sequence[str], **attributes: str) -> str:
    """A list of pieces of HTML; empty without any."""
    return element("ul", "".join(element("li", text) for text in texts), **attributes) if texts else ""


def folded(title: str, content: str) -> str:
    """Content that a reader opens."""
    return element("details", f"{element('summary', escape(title))}{content}")


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Names and their values, plain text both."""
    told = "".join(
        f"<div>{element('dt', escape(key))}{element('dd', escape(value))}</div>" for key, value in pairs
    )
    return element("dl", told, class_="facts")


def table(
    id: str, caption: str, columns: Sequence[Column], rows: Sequence[Row], *, search: str = "", kind: str = ""
) -> str:
    """A table that scrolls by itself where it is too large. caption : plain text. search : what its search
    box is called, empty for none. kind : CSS class."""
    heads = "".join(
        element("th", escape(column.title), scope="col", class_=column.kind, data_choice=column.choice)
        for column in columns
    )
    body = "\n".join(_row(row, columns) for row in rows)
    title = element("caption", escape(caption), id=f"{id}-caption")
    whole = f"{title}<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody>"
    made = element("table", whole, id=id, class_="data", data_search=search)
    named = {"role": "region", "tabindex": "0", "aria_labelledby": f"{id}-caption"}
    return element("div", made, class_=f"scroll {kind}".strip(), **named)


def _row(row: Row, columns: Sequence[Column]) -> str:
    first, *rest = zip(row, columns, strict=True)
    return element("tr", _cell("th", *first) + "".join(_cell("td", *pair) for pair in rest))


def _cell(name: str, cell: Cell, column: Column) -> str:
    return element(
        name, cell.html, id=cell.id, scope="row" if name == "th" else "",
        class_=f"{column.kind} {cell.kind}".strip(), data_value=cell.value,
        data_order="" if cell.order is None else f"{cell.order:.17g}",
    )  # fmt: skip
