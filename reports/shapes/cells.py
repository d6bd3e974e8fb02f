"""The cells of a table: as a picture is made of them, so the page shows them as text."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from fillpath.paths import write_text


@dataclass(frozen=True)
class Heading:
    """Of a column.

    text : may have two lines.
    group : the heading above it and its neighbours; empty for none.
    left : whether its cells are aligned to the left.
    """

    text: str
    group: str = ""
    left: bool = False


@dataclass(frozen=True)
class Line:
    """A row of a table.

    cells : a text per column.
    below : a text per column that stands below it in grey, as what the paper prints in place of a number
        that was measured; empty for nothing.
    shaded : on grey.
    """

    cells: Sequence[str]
    below: Sequence[str] = ()
    shaded: bool = False


@dataclass(frozen=True)
class Cells:
    """A table as text."""

    headings: Sequence[Heading]
    lines: Sequence[Line]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The headings above the columns, each with how many neighbours it spans."""
        spans: list[tuple[str, int]] = []
        for heading in self.headings:
            before, count = spans[-1] if spans else ("", 0)
            if count and heading.group == before:
                spans[-1] = (before, count + 1)
            else:
                spans.append((heading.group, 1))
        return spans

    @property
    def prints(self) -> bool:
        """Whether anything stands below a number."""
        return any(any(line.below[1:]) for line in self.lines)

    def write(self, path: Path) -> None:
        """As JSON: same cells, same bytes."""
        write_text(path, json.dumps(dataclasses.asdict(self), ensure_ascii=False, indent=1) + "\n")


class TablePicture(Figure):
    """The picture of a table, which keeps its cells."""

    def __init__(self, cells: Cells, **options: Any) -> None:
        super().__init__(**options)
        self.cells = cells


def read_cells(path: Path) -> Cells:
    """What `Cells.write` wrote. Raises OSError, or ValueError where the file is damaged."""
    data = json.loads(path.read_text())
    try:
        cells = Cells(
            [Heading(**heading) for heading in data["headings"]], [Line(**line) for line in data["lines"]]
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path.name} holds no table: {error}") from None
    width = len(cells.headings)
    if any(len(line.cells) != width or len(line.below) not in (0, width) for line in cells.lines):
        raise ValueError(f"{path.name}: rows of other lengths than its headings")
    return cells
