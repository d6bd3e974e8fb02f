"""What one figure says on one machine: its rows, its verdicts, or why it has none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fillpath.case import Case
from fillpath.dicts import Row
from reports.claims.verdict import Verdict
from reports.facts.entries import Entries
from reports.facts.naming import names_in
from reports.facts.records import Records
from reports.figures import exhibits


@dataclass(frozen=True)
class View:
    """What a figure says on a machine.

    rows : one row per case of the figure, as `Records.table` has it, with its matrix's label and abbr
    verdicts : in the order of the figure
    has_gpu : whether any record of the machine is of a GPU
    failure : why the figure could not be judged, empty where it could
    """

    rows: Sequence[Row] = ()
    verdicts: tuple[Verdict, ...] = ()
    has_gpu: bool = False
    failure: str = ""


def view(paper: str, figure: str, here: Records, entries: Entries, cases: Sequence[Case]) -> View:
    """What a figure says on the machine of these records.

    A figure may fail at whatever records hold: that costs the claims that it speaks to, and no others.
    """
    try:
        return _view(paper, figure, here, entries, cases)
    except Exception as error:
        return View(failure=f"{type(error).__name__}: {error}")


def _view(paper: str, figure: str, here: Records, entries: Entries, cases: Sequence[Case]) -> View:
    exhibit = exhibits(paper)[figure]
    records = here.of_one_run(cases) if exhibit.one_run else here
    table = records.table(cases)
    names = names_in((row["matrix"] for row in table), entries, paper)
    rows = [{**row, "label": names[row["matrix"]].label, "abbr": names[row["matrix"]].abbr} for row in table]
    verdicts = exhibit.verdicts(exhibit.frame(records, entries, cases))
    return View(rows, tuple(verdicts), has_gpu=any(record.device for record in here.rows))
