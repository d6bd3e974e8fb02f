"""Open a run, or resume the unfinished one."""

import argparse
import logging

from benchmarks.engine import run as runs
from fillpath.settings import settings


def run(arguments: argparse.Namespace) -> int:
    before = runs.current()
    begun = runs.begin(settings().text(), settings().limit)
    if before is not None and before.id == begun.id:
        logging.getLogger("fillpath").info("resuming the unfinished run %s", begun.id)
    print(begun.id)
    return 0
