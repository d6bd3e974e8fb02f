"""Open a run, or resume the unfinished one."""

from benchmarks.engine import run as runs
from commands._parser import Arguments
from fillpath import LOG
from fillpath.settings import settings


def run(arguments: Arguments) -> int:
    before = runs.current()
    begun = runs.begin(settings().text(), settings().limit)
    if before is not None and before.id == begun.id:
        LOG.info("resuming the unfinished run %s", begun.id)
    print(begun.id)
    return 0
