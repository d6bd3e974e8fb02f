"""Print what ran and where the figures are."""

from __future__ import annotations

import argparse

from benchmarks.runs.cases import suite_cases, suite_figures
from commands.workflow._stages import machine_of_each_stage
from fetch import catalogue
from fillpath.settings import settings
from reports.facts.records import Records
from reports.pages import summary


def run(arguments: argparse.Namespace) -> int:
    covered = settings()
    machines = machine_of_each_stage(covered)
    loaded = [Records.load(machine) for machine in sorted(set(machines.values()))]
    shown = [r for each in loaded for r in each.rows if r.machine == machines.get(r.parts["stage"])]
    records = Records(tuple(shown), tuple(record for each in loaded for record in each.earlier))
    print(summary.summary(suite_figures(covered), suite_cases(covered), records, catalogue.entries()))
    return 0
