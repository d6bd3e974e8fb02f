"""Draw docs/bitfronts.svg and docs/fronts.svg, the examples of those pages."""

from __future__ import annotations

import argparse
import logging
import tempfile
from collections.abc import Callable
from pathlib import Path

from commands.maintain._part import add_check
from fillpath.paths import ROOT
from reports.frames.bitfronts_example import example
from reports.frames.fronts_example import system
from reports.pages import bitfronts_picture, fronts_picture

add_arguments = add_check


def run(arguments: argparse.Namespace) -> int:
    docs = ROOT / "docs"
    if not arguments.check:
        for name, draw in _pictures().items():
            draw(docs / name)
        return 0
    outdated = [name for name, draw in _pictures().items() if not _is_current(docs / name, draw)]
    for name in outdated:
        logging.getLogger("fillpath").warning("%s is out of date", name)
    return int(bool(outdated))


def _pictures() -> dict[str, Callable[[Path], None]]:
    """How each is drawn."""
    return {
        "bitfronts.svg": lambda picture: bitfronts_picture.draw(example(), picture),
        "fronts.svg": lambda picture: fronts_picture.draw(system(), picture),
    }


def _is_current(picture: Path, draw: Callable[[Path], None]) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        today = Path(folder) / picture.name
        draw(today)
        return picture.is_file() and today.read_bytes() == picture.read_bytes()
