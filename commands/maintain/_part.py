"""The argument and the work of the commands that generate a part of a page."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

from commands._parser import Parser
from reports.pages.generated_part import Part


def add_check(parser: Parser) -> None:
    """The argument `--check`."""
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit status 1 if it is out of date"
    )


def update(part: Part, page: Path, content: str, arguments: argparse.Namespace) -> int:
    """Write the page's part, or with --check only compare it. Returns the exit status."""
    if part.is_current(page, content):
        return 0
    if arguments.check:
        logging.getLogger("fillpath").warning("%s: its generated part is out of date", page.name)
        return 1
    part.write(page, content)
    return 0
