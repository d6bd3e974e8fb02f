"""Measure a stage of the suite."""

from benchmarks.engine import run as runs
from benchmarks.engine.machine import introduce
from benchmarks.runs.rounds import run_stage
from commands._parser import Arguments, Parser
from fillpath.stages import STAGES


def add_arguments(parser: Parser) -> None:
    parser.add_choice("stage", tuple(STAGES), help="a stage with a case in the run")


def run(arguments: Arguments) -> None:
    introduce()
    runs.note_machine(arguments.stage)
    run_stage(arguments.stage)
