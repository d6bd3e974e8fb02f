"""Move superseded records of a machine into its compressed archive, results/MACHINE/earlier.jsonl.xz.

Every command reads them there as before."""

from benchmarks.runs import archive
from commands._parser import Arguments, Parser
from commands._records import machine_holdings


def add_arguments(parser: Parser) -> None:
    parser.add_argument("machine", nargs="+", help="folders of results/")


def run(arguments: Arguments) -> None:
    for machine in arguments.machine:
        machine_holdings(machine)
        print(f"{machine}: {archive.set_aside(machine)} records moved")
