"""LU end to end, put together from records of its stages: what Figures 4 and 5 of the second paper share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from fillpath.case import Case
from reports.facts.inputs import Inputs
from reports.frames.arrays import MATRICES, PAPER, add_memory, by_density, how, printed_of, stand_in_among
from reports.frames.device import add_printed, columns_of
from reports.frames.seconds import (
    RATIO,
    add_columns,
    beside,
    of_several_hosts,
    ratio_of,
    timed_frame,
    with_transfers,
)
from reports.shapes.ratios import BASELINE
from reports.shapes.stacked import Part, add_shares, columns_of_parts
from reports.shapes.style import PALETTE
from reports.shapes.tables import Row

NUMERIC = "glu3.static_pivoting=true"
STAGES = ("symbolic", "levels", "numeric")
PARTS = (
    Part("symbolic", "symbolic", PALETTE[0]),
    Part("levels", "levels", PALETTE[1]),
    Part("numeric", "numeric", PALETTE[4]),
)
ENDS = ("median", "low", "high")
LEVELS = tuple(f"levels_{name}" for name in RATIO)
NUMBERS = (*ENDS, *(part.seconds for part in PARTS), "before_numeric", *LEVELS[1:])
TEXTS = ("way", *(f"{stage}_case" for stage in STAGES), LEVELS[0])
UNTRIED = ("not_run", "unavailable")


@dataclass(frozen=True)
class Way:
    """One bar. symbolic, levels : of its stages, as a case writes them; the numeric one is that of all."""

    name: str
    symbolic: str
    levels: str

    def cases(self, of: Case) -> dict[str, Case]:
        """Its stages on the matrix of that case, prepared in the same way."""
        written = dict(zip(STAGES, (self.symbolic, self.levels, NUMERIC), strict=True))
        on = f"{of.matrix}.{of.preparation.name}"
        return {stage: Case.parse(f"{stage}.{text}@{on}") for stage, text in written.items()}


# Beside the paper's ways.
FRONTS = Way("bitfronts_gpu, not the paper's", "bitfronts_gpu", "kahn_gpu")


def composed_frame(inputs: Inputs, ways: Sequence[Way], among: Sequence[str]) -> pd.DataFrame:
    """One row per matrix, way and machine: `median`, the sum of its stages' medians in one run, and `low` and
    `high`, those of the ends of their intervals; the seconds of each stage, and their share of the seconds of
    the second way, which the figure holds the first against; `ratio`, over the first of the ways,
    `moved_ratio`, with each stage's transfers, and `levels_ratio`, of the levels alone; `before_numeric`, the
    share of the seconds that the other stages take; the regime of unified memory. `status` says `ok`, or
    which stage failed and how.

    among : abbreviations of the matrices that the figure shows; one without a row is `not_run`.
    """
    matrices = dict.fromkeys((case.matrix, case.preparation) for case in inputs.cases)
    firsts = [
        Case.parse(f"numeric.{NUMERIC}@{matrix}.{preparation.name}") for matrix, preparation in matrices
    ]
    parts = [part for first in firsts for way in ways for part in way.cases(first).values()]
    timed = timed_frame(replace(inputs, cases=parts))
    stand_in_among(timed, among)
    by_case = {(row["case"], _machine(row)): row for row in timed.to_dict("records")}
    numeric = timed[timed["stage"] == "numeric"]
    several = numeric["machine"].nunique() > 1
    rows: list[dict[Any, Any]] = []
    for base in numeric.to_dict("records"):
        composed = [_composed(way, base, by_case, several) for way in ways]
        rows += [row | _over(row, composed[0], ways[0].name, by_case) for row in composed]
    # All columns, also where there is no row.
    frame = pd.DataFrame(rows, columns=list(dict.fromkeys([*timed.columns, *TEXTS, *NUMBERS])))
    frame = frame.astype(timed.dtypes.to_dict() | dict.fromkeys(TEXTS, "object"))
    frame = frame.astype(dict.fromkeys(NUMBERS, "float64"))
    add_columns(frame, rows, (*RATIO, "moved_ratio"))
    frame["nnz_per_row"] = frame["entries"].astype("float64") / frame["n"].astype("float64")
    frame = add_printed(frame, PAPER, {"paper_nnz_per_row": printed_of(MATRICES, among)})
    for name in ("way", LEVELS[0]):
        frame[name] = frame[name].astype("object").fillna("" if name == "way" else "not_run")
    add_memory(frame, inputs.records)
    add_shares(frame, PARTS, beside(frame, frame["way"] == ways[1].name, "median"))
    memory = ("n", "nnz_per_row", "paper_nnz_per_row", "managed_bytes", "card_bytes", "times_card", "regime")
    shown = (*ENDS, *columns_of_parts(PARTS), "before_numeric", *RATIO, "moved_ratio", *LEVELS)
    return columns_of(by_density(frame), *TEXTS[:-1], *shown, *memory)


def composed_caption(frame: pd.DataFrame) -> str:
    """What a bar is put together from."""
    return (
        f"Each bar adds records of stages of one run (numeric: {NUMERIC}); time between stages is in none. "
        f"{how(frame)}"
    )


def fronts_how(frame: pd.DataFrame) -> str:
    """What the bar that is not the paper's is, and whether there is one."""
    tried = ~frame.loc[frame["way"] == FRONTS.name, "status"].isin(UNTRIED)
    return f"{'Third bar' if tried.any() else 'Not measured yet'}: {FRONTS.name}. "


def _composed(way: Way, base: Row, by_case: Mapping[tuple[str, str], Row], several: bool) -> dict[Any, Any]:
    """The row of a way. base : that of its numeric stage."""
    first = Case.parse(base["case"])
    cases = way.cases(first)
    rows = {stage: by_case.get((case.name, _machine(base))) for stage, case in cases.items()}
    status, reason = _status(rows)
    composed = {
        **base,
        **{f"{stage}_case": case.name for stage, case in cases.items()},
        "way": way.name,
        "series": way.name + (f", {base['machine']}" if several and _machine(base) else ""),
        "threads": cases["symbolic"].threads,
        "status": status,
        "reason": reason,
        **dict.fromkeys(NUMBERS),
    }
    if status != "ok":
        return composed
    known = [row for row in rows.values() if row is not None]
    summed = {name: sum(row[name] for row in known) for name in (*ENDS, "transfers")}
    seconds = {part.seconds: row["median"] for part, row in zip(PARTS, known, strict=True)}
    before = 1 - known[-1]["median"] / summed["median"]
    least = {name: min(row[name] for row in known) for name in ("samples", "processes")}
    return composed | summed | seconds | least | {"before_numeric": before, "rounds": None}


def _status(rows: Mapping[str, Row | None]) -> tuple[str, str]:
    """`ok`, or what the first stage that failed became; what was not tried, where no stage failed. And the
    reason."""
    became = {stage: str(row["status"]) if row else "not_run" for stage, row in rows.items()}
    failed = [stage for stage, status in became.items() if status not in ("ok", *UNTRIED)]
    lacking = [stage for stage, status in became.items() if status != "ok"]
    if lacking:
        stage = (failed or lacking)[0]
        row = rows[stage]
        reason = str(row["reason"]) if row else "no record yet"
        return (f"{stage} {became[stage]}", reason) if failed else (became[stage], f"{stage}: {reason}")
    if len({row["run_id"] for row in rows.values() if row}) > 1:
        return "two_runs", "its stages were measured in several runs"
    if of_several_hosts(filter(None, rows.values())):
        return "two_hosts", "its stages were measured on several hosts"
    return "ok", ""


def _over(row: Row, first: Row, name: str, by_case: Mapping[tuple[str, str], Row]) -> dict[str, Any]:
    """Its ratios; none for the first way itself. And that of its levels, where they are another's."""
    if row is first:
        return {"pair": BASELINE, LEVELS[0]: BASELINE}
    ours, theirs = (by_case.get((each["levels_case"], _machine(each))) for each in (row, first))
    levels = ratio_of(ours, theirs, ("", name)) if ours is not theirs else {"pair": BASELINE}
    ratios = ratio_of(row, first, ("", name)) | {"moved_ratio": with_transfers(row, first)}
    return ratios | {f"levels_{key}": value for key, value in levels.items()}


def _machine(row: Row) -> str:
    return row["machine"] if isinstance(row["machine"], str) else ""
