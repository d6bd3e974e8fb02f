"""Write the README's table of what is reproduced, from the claims and the figures."""

from __future__ import annotations

import argparse

from commands.maintain._part import add_check, update
from fillpath.paths import ROOT
from reports.pages.readme_table import PART, state_table

add_arguments = add_check


def run(arguments: argparse.Namespace) -> int:
    return update(PART, ROOT / "README.md", state_table(), arguments)
