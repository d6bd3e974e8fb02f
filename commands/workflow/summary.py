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
    loaded = [record for machine in set(machines.values()) for record in Records.load(machine).rows]
    records = Records(tuple(r for r in loaded if r.machine == machines.get(r.parts["stage"])))
    print(summary.summary(suite_figures(covered), suite_cases(covered), records, catalogue.entries()))
    return 0
