"""The page's templates, and the functions by which they write addresses, numbers and verdicts."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from fillpath import paths
from fillpath.papers import paper_names
from fillpath.twins import LIMITS as TWIN_LIMITS
from fillpath.twins import without_twin
from reports.claims.standing import Standing
from reports.claims.verdict import JUDGED, outcome_label
from reports.facts.distance import LIMITS
from reports.hardware.comparison import by_input, plain
from reports.hardware.pictures import comparison_folder
from reports.hardware.solved import PROBLEMS
from reports.hardware.text import EQUAL_CORES, HARDWARE, ONE_PROCESS, described, mean_lines, together
from reports.pages.ledger.text import HARDWARE_DIFFERS, measured_text, value_text
from reports.pages.webpage.scoreboard import MARKS, direction_and_size, rank
from reports.shapes import style
from reports.shapes.bars import seconds, times

HERE = Path(__file__).parent


def render(name: str, **values: object) -> str:
    """A template of this folder with its values."""
    return _ENVIRONMENT.get_template(name).render(values)


def address(path: Path) -> str:
    """A file as the page links to it."""
    return quote(Path(os.path.relpath(path, paths.PAGE.parent)).as_posix())


def _asset(name: str) -> str:
    """A style sheet or script, which the page holds as it is."""
    return (HERE / "assets" / name).read_text()


def _number(cell: str) -> float | None:
    """The number that a table's cell begins with, by which the page sorts it; None where it has none."""
    number = re.match(r"[-+]?[\d,]*\.?\d+(e[-+]?\d+)?", cell)
    return float(number[0].replace(",", "")) if number else None


def _place(standing: Standing) -> str:
    """The id under which the page shows a claim on a machine."""
    return f"{standing.claim.id}.{standing.machine}"


# Values are escaped, and an unknown name is an error.
_ENVIRONMENT = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_ENVIRONMENT.filters |= {
    "address": address,
    "direction_and_size": direction_and_size,
    "described": described,
    "figure_file": lambda name, kind: address(style.figure_path(name, kind)),
    "measured_text": measured_text,
    "number": _number,
    "place": _place,
    "plain": plain,
    "rank": lambda standing: rank(standing.outcome, standing.indicative),
    "record_file": lambda path: address(paths.results() / path),
    "seconds": seconds,
    "shown": lambda stem: style.shown(Path(f"{stem}.svg")),
    "stem": lambda path: Path(path).stem,
    "times": times,
    "together": together,
    "value_text": value_text,
}
_ENVIRONMENT.globals |= {
    "EQUAL_CORES": EQUAL_CORES,
    "HARDWARE": HARDWARE,
    "HARDWARE_DIFFERS": HARDWARE_DIFFERS,
    "JUDGED": JUDGED,
    "LIMITS": LIMITS,
    "MARKS": MARKS,
    "ONE_PROCESS": ONE_PROCESS,
    "PROBLEMS": PROBLEMS,
    "TWIN_LIMITS": TWIN_LIMITS,
    "asset": _asset,
    "by_input": by_input,
    "comparison_folder": comparison_folder,
    "label": outcome_label,
    "mean_lines": mean_lines,
    "paper_names": paper_names,
    "without_twin": without_twin,
}
