"""Print what ran and where the figures are."""

from __future__ import annotations

import argparse

import reports
from benchmarks.runs.experiments import Settings, suite_cases, suite_figures
from commands.workflow._stages import machine_of_each_stage
from fetch import catalogue
from reports import Records


def run(arguments: argparse.Namespace) -> int:
    settings = Settings.from_env()
    machines = machine_of_each_stage(settings)
    loaded = [record for machine in set(machines.values()) for record in Records.load(machine).rows]
    records = Records(tuple(r for r in loaded if r.machine == machines.get(r.parts["stage"])))
    print(reports.summary(suite_figures(settings), suite_cases(settings), records, catalogue.entries()))
    return 0
