"""Draw docs/bitfronts.svg, the example of docs/bitfronts.md."""

from __future__ import annotations

import argparse
import logging
import tempfile
from pathlib import Path

from commands.maintain._part import add_check
from fillpath.paths import ROOT
from reports.frames.bitfronts_example import example
from reports.pages.bitfronts_picture import draw

add_arguments = add_check


def run(arguments: argparse.Namespace) -> int:
    picture = ROOT / "docs" / "bitfronts.svg"
    if not arguments.check:
        draw(example(), picture)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        today = Path(folder) / picture.name
        draw(example(), today)
        if picture.is_file() and today.read_bytes() == picture.read_bytes():
            return 0
    logging.getLogger("fillpath").warning("%s is out of date", picture.name)
    return 1
