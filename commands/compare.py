"""Compare machines: what each achieves at best, and the same cases side by side."""

import json

from commands._parser import Arguments, Parser, typed
from commands._records import load_records, machine_holdings
from fillpath import LOG
from fillpath.settings import matching
from reports.hardware.comparison import compare
from reports.hardware.pictures import draw_comparison
from reports.hardware.text import text

# Some digit of the cost is not 0.
_PRICE = r".+=(?=[0-9.]*[1-9])[0-9]{0,9}\.?[0-9]{1,9}"


def add_arguments(parser: Parser) -> None:
    machine = "folders of results/; the others are compared with the first"
    parser.add_argument("machine", nargs="+", help=machine)
    price = "what an hour of a machine costs, in any currency, once for each"
    kind, metavar = typed(matching(_PRICE, "MACHINE=COST, a decimal number above 0")), "MACHINE=COST"
    parser.add_argument("--price", action="append", default=[], type=kind, metavar=metavar, help=price)
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON")


def run(arguments: Arguments) -> None:
    for machine in arguments.machine:
        LOG.info("%s", machine_holdings(machine))
    records = load_records()
    prices = {machine: float(cost) for machine, cost in (each.rsplit("=", 1) for each in arguments.price)}
    comparison = compare(arguments.machine, records, prices)
    pictures = draw_comparison(comparison, records)
    print(json.dumps(comparison.to_json(), indent=1) if arguments.json else text(comparison))
    for path in pictures:
        LOG.info("%s", path)
