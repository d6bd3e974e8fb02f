"""Print what a machine's times vary by: docs/measuring.md holds what it printed."""

from __future__ import annotations

import argparse

from commands._parser import Parser
from commands._records import load_records, machine_holdings
from reports.facts.variance import Component, variances

HEAD = ("stage", "on", "samples", "processes", "runs", "hosts", "for 5 %")


def add_arguments(parser: Parser) -> None:
    parser.add_argument("machine", help="whose records: a folder of results/")


def run(arguments: argparse.Namespace) -> int:
    machine_holdings(arguments.machine)
    there = load_records().of_machine(arguments.machine)
    rows = [HEAD, ("---",) * len(HEAD)]
    for each in variances([*there.earlier, *there.rows]):
        components = (each.samples, each.processes, each.runs, each.hosts)
        most = each.processes or each.runs or each.hosts
        processes = "-" if most is None else str(most.values_for(0.05))
        rows.append((each.stage, each.device, *map(_text, components), processes))
    print("\n".join(f"| {' | '.join(row)} |" for row in rows))
    return 0


def _text(component: Component | None) -> str:
    """`8.2 % (90)`: the standard deviation, and of how many groups."""
    return "-" if component is None else f"{100 * component.sd:.1f} % ({component.groups})"
