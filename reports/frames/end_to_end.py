"""LU end to end, put together from records of its stages: what Figures 4 and 5 of the second paper share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from fillpath.case import Case
from fillpath.dicts import Row, dicts
from reports.facts.inputs import Inputs
from reports.facts.records import Records
from reports.frames.arrays import MATRICES, PAPER, add_memory, by_density, how, printed_of, stand_in_among
from reports.frames.device import NOT_MEASURED, add_printed, columns_of
from reports.frames.phase_sums import PhaseSum, row_of_phases
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
# What a row says of the record of its numeric stage.
OF_RECORD = ("run_id", "host", "host_cpu", "device", "edges")
# A fact of direct_gpu: 0 where it left the matrix to lu_gpu's chain, whose phases its record then has.
ON_FRONTS = "on_fronts"


@dataclass(frozen=True)
class Way:
    """One bar, of a record per stage. symbolic, levels : of its stages, as a case writes them; the numeric
    one is that of all."""

    name: str
    symbolic: str
    levels: str

    def cases(self, of: Case) -> dict[str, Case]:
        """Its stages on the matrix of that case, prepared in the same way."""
        written = dict(zip(STAGES, (self.symbolic, self.levels, NUMERIC), strict=True))
        return {stage: _case(f"{stage}.{text}", of) for stage, text in written.items()}


@dataclass(frozen=True)
class Chain:
    """One bar, of phases of one record on fronts.

    whole : of the stage `solve`, as a case writes it.
    parts : what stands for each of STAGES.
    how : what the bar is, in a caption.
    """

    name: str
    whole: str
    parts: tuple[PhaseSum, ...]
    how: str

    def cases(self, of: Case) -> dict[str, Case]:
        """Its one case on the matrix of that case, prepared in the same way, for each stage."""
        return dict.fromkeys(STAGES, _case(f"solve.{self.whole}", of))


Bar = Way | Chain

# Beside the paper's ways, in the order of their bars.
FRONTS = Way("bitfronts_gpu, not the paper's", "bitfronts_gpu", "kahn_gpu")
DIRECT = Chain(
    "direct_gpu, not the paper's",
    "direct_gpu.static_pivoting=true",
    (PhaseSum(("fronts",)), PhaseSum(("maps",)), PhaseSum(("numeric",))),
    "of one record the phases fronts, maps (of indices, in place of levels) and numeric, in float64, without "
    "its solves",
)
BESIDE = (FRONTS, DIRECT)
PLACES = ("Third", "Fourth")


def composed_frame(inputs: Inputs, ways: Sequence[Bar], among: Sequence[str]) -> pd.DataFrame:
    """One row per matrix, way and machine: `median`, the sum of its stages' medians in one run, and `low` and
    `high`, those of the ends of their intervals; the seconds of each stage, and their share of the seconds of
    the second way, which the figure holds the first against; `ratio`, over the first of the ways,
    `moved_ratio`, with each stage's transfers, and `levels_ratio`, of the levels alone; `before_numeric`, the
    share of the seconds that the other stages take; the regime of unified memory. `status` says `ok`, or
    which stage failed and how; `case` is the numeric one of the ways that have a record per stage.

    among : abbreviations of the matrices that the figure shows; one without a row is `not_run`.
    """
    matrices = dict.fromkeys((case.matrix, case.preparation) for case in inputs.cases)
    firsts = [
        Case.parse(f"numeric.{NUMERIC}@{matrix}.{preparation.name}") for matrix, preparation in matrices
    ]
    parts = [part for first in firsts for way in ways for part in way.cases(first).values()]
    timed = timed_frame(replace(inputs, cases=parts))
    stand_in_among(timed, among)
    by_case = {(row["case"], _machine(row)): row for row in dicts(timed)}
    numeric = timed[timed["stage"] == "numeric"]
    several = numeric["machine"].nunique() > 1
    rows: list[dict[Any, Any]] = []
    for base in dicts(numeric):
        composed = [_composed(way, base, _rows(way, base, by_case, inputs.records), several) for way in ways]
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
    other = " other" if DIRECT in _tried_beside(frame) else ""
    return (
        f"Each{other} bar adds records of stages of one run (numeric: {NUMERIC}); time between stages is in "
        f"none. {how(frame)}"
    )


def beside_how(frame: pd.DataFrame) -> str:
    """What each bar that is not the paper's is, and whether there is one."""
    tried = _tried_beside(frame)
    texts = [f"{place} bar: {_words(way)}. " for place, way in zip(PLACES, tried, strict=False)]
    texts += [f"Not measured yet: {way.name}. " for way in BESIDE if way not in tried]
    return "".join(texts)


def _words(way: Bar) -> str:
    return f"{way.name}; {way.how}" if isinstance(way, Chain) else way.name


def _tried_beside(frame: pd.DataFrame) -> list[Bar]:
    """Those of BESIDE that anything was tried of."""
    tried = set(frame.loc[~frame["status"].isin(UNTRIED), "way"])
    return [way for way in BESIDE if way.name in tried]


def _case(text: str, of: Case) -> Case:
    """The case that begins so, on the matrix of that one, prepared in the same way."""
    return Case.parse(f"{text}@{of.matrix}.{of.preparation.name}")


def _rows(
    way: Bar, base: Row, by_case: Mapping[tuple[str, str], Row], records: Records
) -> dict[str, Row | None]:
    """The row of each stage, None without a record there. base : as `_composed` has it."""
    cases = way.cases(Case.parse(base["case"]))
    rows = {stage: by_case.get((case.name, _machine(base))) for stage, case in cases.items()}
    if isinstance(way, Way):
        return rows
    return {
        stage: row and _of_fronts(row, part, records)
        for (stage, row), part in zip(rows.items(), way.parts, strict=True)
    }


def _of_fronts(row: Row, part: PhaseSum, records: Records) -> Row:
    """The row of a chain's record with the seconds of a stage alone; `not_measured` where it left the matrix
    to another chain."""
    if row["status"] != "ok":
        return row
    if records.facts(row["case"], row["machine"]).get(ON_FRONTS) != 1:
        return {**row, "status": NOT_MEASURED, "reason": "not on fronts: its phases are those of lu_gpu"}
    return row_of_phases(row, part, records)


def _composed(way: Bar, base: Row, rows: Mapping[str, Row | None], several: bool) -> dict[Any, Any]:
    """The row of a way. base : that of its numeric stage in the ways with a record per stage. rows : of its
    stages."""
    cases = way.cases(Case.parse(base["case"]))
    status, reason = _status(rows, cases, base)
    last = rows["numeric"] or base
    composed = {
        **base,
        **{name: last[name] for name in OF_RECORD},
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


def _status(rows: Mapping[str, Row | None], cases: Mapping[str, Case], base: Row) -> tuple[str, str]:
    """`ok`, or what the first stage that failed became; what was not tried, where no stage failed. And the
    reason. base : as `_composed` has it, of whose run and host all bars are."""
    became = {stage: str(row["status"]) if row else "not_run" for stage, row in rows.items()}
    failed = [stage for stage, status in became.items() if status not in ("ok", NOT_MEASURED, *UNTRIED)]
    lacking = [stage for stage, status in became.items() if status != "ok"]
    if lacking:
        stage = (failed or lacking)[0]
        row = rows[stage]
        reason = str(row["reason"]) if row else "no record yet"
        name = cases[stage].stage
        return (f"{name} {became[stage]}", reason) if failed else (became[stage], f"{name}: {reason}")
    every = [base, *filter(None, rows.values())]
    if len({row["run_id"] for row in every}) > 1:
        return "two_runs", "not all of it was measured in one run"
    if of_several_hosts(every):
        return "two_hosts", "not all of it was measured on one host"
    return "ok", ""


def _over(row: Row, first: Row, name: str, by_case: Mapping[tuple[str, str], Row]) -> dict[str, Any]:
    """Its ratios; none for the first way itself. And that of its levels, where they are another's."""
    if row is first:
        return {"pair": BASELINE, LEVELS[0]: BASELINE}
    levels = _over_levels(row, first, name, by_case)
    ratios = ratio_of(row, first, ("", name)) | {"moved_ratio": with_transfers(row, first)}
    return ratios | {f"levels_{key}": value for key, value in levels.items()}


def _over_levels(
    row: Row, first: Row, name: str, by_case: Mapping[tuple[str, str], Row]
) -> Mapping[str, Any]:
    """The ratio of its levels; none where it has none."""
    if Case.parse(row["levels_case"]).stage != "levels":
        return {"pair": NOT_MEASURED}
    ours, theirs = (by_case.get((each["levels_case"], _machine(each))) for each in (row, first))
    return ratio_of(ours, theirs, ("", name)) if ours is not theirs else {"pair": BASELINE}


def _machine(row: Row) -> str:
    return row["machine"] if isinstance(row["machine"], str) else ""
