"""Beyond the paper: the parallel factors as preconditioners, beside the sequential one."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from fillpath.dicts import dicts, grouped
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.inputs import Inputs
from reports.frames.device import columns_of
from reports.frames.order import in_papers_order
from reports.frames.parac import PAPER, names_of, solved_frame, solved_how, tried
from reports.frames.seconds import beside
from reports.shapes.cells import TablePicture
from reports.shapes.tables import COUNT, Column, Table, matrix_column

SEQUENTIAL = "ac_sequential"
IMPLEMENTATIONS = (SEQUENTIAL, "parac_cpu", "parac_gpu")
SHOWN = {"iterations": "iterations", "nnz_factor": "entries of the factor"}


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case and machine: iterations, residual, entries of the factor, and by how many iterations
    and entries it differs from the sequential factor on that machine (more_iterations, more_entries)."""
    solved = in_papers_order(solved_frame(inputs), PAPER)
    solved["series"] = names_of(solved, solved["implementation"].tolist())
    sequential = solved["implementation"] == SEQUENTIAL
    for name, column in (("iterations", "more_iterations"), ("nnz_factor", "more_entries")):
        solved[column] = solved[name] - beside(solved, sequential, name)
    numbers = ("iterations", "residual", "nnz_factor", "more_iterations", "more_entries")
    return columns_of(solved, "implementation", *numbers)


def facts(frame: pd.DataFrame) -> Mapping[str, str]:
    """How many parallel factors are the sequential one, and how it was solved."""
    others = frame[(frame["implementation"] != SEQUENTIAL) & frame["more_entries"].notna()]
    same = int(((others["more_entries"] == 0) & (others["more_iterations"] == 0)).sum())
    equal = f"{same} of {len(others)} parallel factors have the sequential one's entries and iterations. "
    return {"equal": equal if len(others) else "", "solved": solved_how(frame)}


def draw(frame: pd.DataFrame, title: str) -> TablePicture:
    """A line per matrix, under each implementation's name its numbers."""
    rows = []
    for group in grouped(dicts(tried(frame)), "label", "preparation", "machine").values():
        by_name = {row["implementation"]: row for row in group}
        numbers = {f"{name}_{shown}": row[shown] for name, row in by_name.items() for shown in SHOWN}
        statuses = {f"status_{name}": row["status"] for name, row in by_name.items()}
        rows.append({**group[0], **numbers, **statuses})
    names = [name for name in IMPLEMENTATIONS if (frame["implementation"] == name).any()]
    needed = [
        f"{prefix}_{name}" if prefix == "status" else f"{name}_{prefix}"
        for name in names
        for prefix in ("status", *SHOWN)
    ]
    table = pd.DataFrame(rows).reindex(columns=list(dict.fromkeys([*frame, *needed])))
    columns = [
        Column(name, 1.2, heading, f"{name}_{shown}", COUNT, why=f"status_{name}")
        for shown, heading in SHOWN.items()
        for name in names
    ]
    return Table([matrix_column(), *columns])(table, title)


EXHIBIT = Exhibit(
    PAPER,
    "Beyond the paper",
    "iterations with the sequential and the parallel factors",
    frame,
    draw,
    """Of one seed ac_sequential, parac_cpu and parac_gpu give one factor, bit for bit, which the gate checks:
    parallelism costs no quality. {equal}{solved}""",
    facts,
)
