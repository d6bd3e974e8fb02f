"""What figures of ParAC share: printed tables, seconds of a solution by phase, how matrices were ordered."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fillpath.case import Case
from fillpath.dicts import Row, dicts
from fillpath.paths import results
from fillpath.processes import Rounds, Samples
from fillpath.record import Record
from reports.exhibit import Subset
from reports.facts.inputs import Inputs
from reports.facts.naming import listed
from reports.facts.printed import printed_column
from reports.facts.records import Records
from reports.frames.device import device_frame
from reports.frames.order import in_papers_order
from reports.frames.seconds import STAND_INS, add_columns, groups_of, idle_series, slots_how
from reports.frames.variants import variant_of

PAPER = "parac"
SIZES, CPU, GPU = "parac_table1_matrices", "parac_table2_cpu", "parac_table3_gpu"
ORDERINGS = {"amd": "AMD", "nnz": "nnz-sort", "random": "random"}
# The phases of each part of a solution; what a peer needs beside (a threshold at equal fill) is in none.
PARTS = {"factor": ("matrix", "factor"), "analysis": ("analysis",), "solve": ("solve",)}
WHOLE = tuple(name for names in PARTS.values() for name in names)
# What of a solution has samples of its own, beside the whole. `setup` : without the forming of the matrix.
SPANS = {"factor": PARTS["factor"], "setup": ("factor", "analysis"), "solve": PARTS["solve"]}
FACTS = ("iterations", "residual", "nnz_factor")
# Threads from which on a claim about times of the CPU can be judged: the paper does not say how many it had.
ENOUGH = 16
# Up to this factor two numbers are about the same, as with a tolerance of 25 %; many are twice as many.
SAME, MUCH = 1.25, 2.0
GENERATED = "Names with a colon: generated matrices. "
RULE = "Conjugate gradients until the true relative residual is at most 1e-6. "


def printed_sum(table: str, *columns: str) -> dict[str, float | None]:
    """Sums of columns of a printed table, by matrix; None where one is no number."""
    parts = [printed_column(PAPER, table, column) for column in columns]
    return {
        name: None if any(part[name] is None for part in parts) else sum(part[name] or 0.0 for part in parts)
        for name in parts[0]
    }


def over(top: Mapping[str, float | None], bottom: Mapping[str, float | None]) -> dict[str, float | None]:
    """Ratios by matrix; None where one of the two is not printed."""
    pairs = {name: (top[name], bottom[name]) for name in top}
    return {name: a / b if a is not None and b else None for name, (a, b) in pairs.items()}


def solved_frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case and machine: its `variant`, FACTS, `threads_used`, and median seconds of each part of
    a solution, of `setup`, and of their sum, `total`, of which are median, low, high and `rounds` too; of
    each of SPANS `rounds_<span>`; `solve_low` and `solve_high`."""
    frame = device_frame(inputs, FACTS)
    frame["variant"] = [variant_of(Case.parse(case)) for case in frame["case"]]
    seconds = [_seconds(inputs.records, row) for row in dicts(frame)]
    ends = ("solve_low", "solve_high", "total_low", "total_high")
    add_columns(frame, seconds, [*PARTS, "setup", "total", *ends, "threads_used"])
    for name in ("rounds", *(f"rounds_{span}" for span in SPANS)):
        frame[name] = pd.Series([each.get(name) for each in seconds], index=frame.index, dtype="object")
    frame["median"], frame["low"], frame["high"] = frame["total"], frame["total_low"], frame["total_high"]
    return frame.drop(columns=["total_low", "total_high"])


def of_span(row: Row, span: str) -> Row:
    """The row with the seconds of that one of SPANS as its own."""
    rounds = row[f"rounds_{span}"]
    if not isinstance(rounds, Rounds):
        return row
    low, high = rounds.interval
    return {**row, "median": rounds.median, "low": low, "high": high, "rounds": rounds}


def sorted_orderings(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows by the paper's matrices, and of each by its `ordering`, which is the series; one group per
    matrix."""
    rank = list(ORDERINGS)
    frame = frame.assign(ordering=frame["preparation"])
    frame["series"] = names_of(frame, [ORDERINGS[name] for name in frame["ordering"]])
    frame = frame.sort_values("ordering", key=lambda names: names.map(rank.index), kind="stable")
    frame = in_papers_order(frame, PAPER)
    return frame.assign(group=groups_of(frame.assign(preparation=None)))


def short_names(frame: pd.DataFrame) -> pd.DataFrame:
    """For a picture: without preparations, and of several matrices that one stands in for the first."""
    firsts = [
        str(names).partition(", ")[0] if isinstance(names, str) else None for names in frame["stand_in_for"]
    ]
    return frame.assign(preparation=None, stand_in_for=pd.Series(firsts, index=frame.index, dtype="object"))


def names_of(frame: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """The series of each row, with its machine where there are several."""
    several = frame["machine"].nunique() > 1
    hosts = [f" on {name}" if several and isinstance(name, str) else "" for name in frame["machine"]]
    return [f"{name}{host}" for name, host in zip(names, hosts, strict=True)]


def samples_of(record: Record, names: Sequence[str]) -> list[float]:
    """The sum of these phases in each sample, 0 for one that the implementation does not have."""
    samples = [record.phases[name] for name in names if name in record.phases]
    return [float(sum(values)) for values in zip(*samples, strict=False)] or [0.0] * len(record.seconds)


def by_threads(rows: pd.DataFrame, threads: str) -> list[Subset]:
    """The rows, of which those of fewer than ENOUGH threads cannot test what the paper says of its CPUs.

    threads : the column with their number, empty where nothing was measured.
    """
    few = rows[threads] < ENOUGH
    if not few.any():
        return [Subset(rows)]
    most = f"{int(rows.loc[few, threads].max())} threads"
    untestable = Subset(rows[few], f"{{}}, {most}".format, untestable=f"fewer than {ENOUGH} threads")
    return [Subset(rows[~few]), untestable] if (rows[threads] >= ENOUGH).any() else [untestable]


def cores_of(machine: str) -> int | None:
    """Cores of a machine whose records are here, None where it does not say."""
    try:
        cores = json.loads((results() / machine / "machine.json").read_text())["cores"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return int(cores)


def ordered_how(frame: pd.DataFrame) -> str:
    """How matrices were ordered, or that nothing was measured."""
    nothing = "" if (frame["status"] == "ok").any() else "Nothing of it was measured here. "
    names = [ORDERINGS.get(name, name) for name in frame["preparation"].dropna()]
    return f"{nothing}Ordering: {listed(names)}. {GENERATED}{STAND_INS}"


def tried(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of the series that some machine could run; the caption says what becomes of the others."""
    idle, _ = idle_series(frame)
    return frame[~idle]


def solved_how(frame: pd.DataFrame) -> str:
    """When a solution is one, what stands for none, what no machine could run, and how matrices were
    ordered."""
    _, absent = idle_series(frame)
    return f"{RULE}{slots_how(frame)}{f'{absent}. ' if absent else ''}{ordered_how(frame)}"


def _seconds(records: Records, row: Row) -> dict[str, Any]:
    """Medians of the parts, and of their sum; of this and of the solve the interval; nothing without a
    result."""
    record = records.result(row["case"], row["machine"]) if row["status"] == "ok" else None
    if record is None or not any(name in record.phases for name in WHOLE):
        return {}
    parts = {**PARTS, **SPANS, "total": WHOLE}
    rounds = {part: records.rounds(record, _sampled(names)) for part, names in parts.items()}
    return {
        **{part: of_part.median for part, of_part in rounds.items()},
        **{f"rounds_{span}": rounds[span] for span in SPANS},
        **_ends("total", rounds["total"]),
        **_ends("solve", rounds["solve"]),
        "rounds": rounds["total"],
        "threads_used": record.threads_used or np.nan,
    }


def _sampled(names: Sequence[str]) -> Samples:
    return lambda record: samples_of(record, names)


def _ends(name: str, rounds: Rounds) -> dict[str, float]:
    low, high = rounds.interval
    return {f"{name}_low": low, f"{name}_high": high}
