"""Add the medians of a run of that id, which `processes` measured here, to asv's series of this commit.

With FILLPATH_FRESH=1 nothing of another run is taken."""

from benchmarks.engine import run as runs
from benchmarks.engine.follow import adopt, die_with_parent
from benchmarks.engine.machine import introduce
from benchmarks.runs.cases import suite_stages
from benchmarks.runs.stage import run_stage
from commands._parser import Arguments, Parser
from fillpath.settings import settings


def add_arguments(parser: Parser) -> None:
    parser.add_argument("run", help="its id")


def run(arguments: Arguments) -> int:
    die_with_parent()
    adopt()
    introduce()
    runs.begin(settings().text(), settings().limit, arguments.run)
    for stage in suite_stages(settings()):
        run_stage(stage)
    runs.finish()
    return 0
