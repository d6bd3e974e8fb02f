"""Print what ran and where the figures are."""

from collections.abc import Iterable, Sequence

import pandas as pd

from benchmarks.engine.run import machine_of
from benchmarks.runs.cases import suite_cases, suite_figures, suite_stages
from commands._parser import Arguments
from fetch import catalogue
from fillpath import paths
from fillpath.case import Case
from fillpath.columns import columns, counted
from fillpath.paths import ROOT
from fillpath.record import UNTRIED
from fillpath.settings import settings
from reports.facts.printed import Entries
from reports.facts.records import Records
from reports.figures import stem
from reports.shapes import style
from reports.shapes.bars import seconds
from reports.table import all_rows

# Characters of a line, and of a case's name: the longest status and a median fill the rest.
WIDTH, NAME = 110, 84


def run(arguments: Arguments) -> None:
    covered = settings()
    # On a cluster a stage may have been measured on another machine.
    machines = {stage: machine_of(stage) for stage in suite_stages(covered)}
    loaded = [Records.load(machine) for machine in sorted(set(machines.values()))]
    shown = [r for each in loaded for r in each.rows if r.machine == machines.get(r.parts["stage"])]
    records = Records(tuple(shown), tuple(record for each in loaded for record in each.earlier))
    print(summary(suite_figures(covered), suite_cases(covered), records, catalogue.entries()))


def summary(
    figures: Iterable[tuple[str, str]], cases: Sequence[Case], records: Records, entries: Entries
) -> str:
    """Return the closing text of a run: the table of cases, why some failed, where the figures are.

    figures : iterable of (paper, figure), those that the run draws
    cases : sequence, those that the run was to measure
    records : Records, of the machines that measured them
    entries : sequence, the catalogue
    """
    if not cases:
        return "nothing to measure: no experiment in config/experiments.yaml fits these settings"
    rows = all_rows(records, cases, entries)
    tried = rows[rows["status"] != "unavailable"]
    pictures = [style.figure_path(stem(*pair), "svg") for pair in figures]
    drawn = [path for path in [*pictures, paths.PAGE] if path.is_file()]
    files = [f"  {path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}" for path in drawn]
    blocks = [_table(tried), _untried(rows), _failures(tried), ["figures:", *files]]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _table(rows: pd.DataFrame) -> list[str]:
    """Return a line per case: name, status and median."""
    names = [_clip(name, NAME) for name in rows["case"]]
    medians = [f"{seconds(median):>9}" for median in rows["median"]]
    lines = columns([("case", "status", "   median"), *zip(names, rows["status"], medians, strict=True)])
    return [lines[0], "-" * max(map(len, lines)), *lines[1:]]


def _failures(rows: pd.DataFrame) -> list[str]:
    """Return one line per case that ran and is not ok."""
    failed = rows[~rows["status"].isin(["ok", "not_run"])]
    reasons = failed["status"] + ": " + failed["case"] + ": " + failed["reason"]
    return ["why not ok:", *(f"  {_clip(reason, WIDTH - 2)}" for reason in reasons)] if len(failed) else []


def _untried(rows: pd.DataFrame) -> list[str]:
    """Return a whole line per reason: `unavailable: 42 cases of fill2_gpu, gsofa: no NVIDIA GPU`."""
    lines = []
    untried = rows[rows["status"].isin(UNTRIED) & rows["reason"].astype("str").ne("")]
    for (status, reason), group in untried.groupby(["status", "reason"], sort=False):
        names = ", ".join(sorted(set(group["implementation"])))
        lines.append(" ".join(f"{status}: {counted(len(group), 'case')} of {names}: {reason}".split()))
    return lines


def _clip(text: str, width: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: width - 3]}..."
