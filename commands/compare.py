"""Compare machines: what each achieves at best, and the same cases side by side."""

import argparse
import json
import re

from commands._parser import Arguments, Parser
from commands._records import load_records, machine_holdings
from fillpath import LOG, registry
from reports.hardware.comparison import compare
from reports.hardware.pictures import draw_comparison
from reports.hardware.text import text


def add_arguments(parser: Parser) -> None:
    machine = "folders of results/; the others are compared with the first"
    parser.add_argument("machine", nargs="+", help=machine)
    price = "what an hour of a machine costs, in any currency, once for each"
    metavar = "MACHINE=COST"
    parser.add_argument("--price", action="append", default=[], type=_price, metavar=metavar, help=price)
    parser.add_flag("--json", "print the comparison as JSON")


def run(arguments: Arguments) -> int:
    registry.load_all()
    for machine in arguments.machine:
        LOG.info("%s", machine_holdings(machine))
    records = load_records()
    comparison = compare(arguments.machine, records, dict(arguments.price))
    pictures = draw_comparison(comparison, records)
    print(json.dumps(comparison.to_json(), indent=1) if arguments.json else text(comparison))
    for path in pictures:
        LOG.info("%s", path)
    return 0


def _price(written: str) -> tuple[str, float]:
    match = re.fullmatch(r"(.+)=([0-9]{0,9}\.?[0-9]{1,9})", written)
    if match is None or float(match[2]) == 0:
        raise argparse.ArgumentTypeError(f"{written!r}: expected MACHINE=COST, a decimal number above 0")
    return match[1], float(match[2])
