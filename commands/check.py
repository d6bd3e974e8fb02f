"""Say whether folders of results/ are whole and readable.

One line per folder; exit status 1 where one cannot be used."""

from commands._parser import Arguments, Parser
from commands._records import machine_holdings
from fillpath import holdings
from fillpath.errors import InputError


def add_arguments(parser: Parser) -> None:
    parser.add_argument("machine", nargs="*", help="folders of results/ (default: all)")


def run(arguments: Arguments) -> int:
    refused = 0
    for machine in arguments.machine or holdings.machines():
        try:
            print(machine_holdings(machine))
        except InputError as error:
            print(f"{machine}: refused: {error}")
            refused += 1
    return int(bool(refused))
