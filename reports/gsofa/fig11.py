"""Figure 11: GSoFA over sequential Gilbert-Peierls, over KLU's, and over good sequential codes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from fillpath.dicts import dicts
from reports.exhibit import Held
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.frames.device import GSOFA
from reports.frames.means import add_means
from reports.frames.order import in_papers_order
from reports.frames.phase_sums import SYMBOLIC, phases_of, put_symbolic_phases
from reports.frames.seconds import (
    STAND_INS,
    add_columns,
    groups_of,
    measured_how,
    moved_how,
    ratio_of,
    slots_how,
    timed_frame,
    with_transfers,
)
from reports.frames.sequential import (
    ENDS,
    SEQUENTIAL,
    add_sequential,
    sequential_how,
    sequential_over,
)
from reports.shapes import bars
from reports.shapes.coded_bars import CodedBars
from reports.shapes.strip import StripLine, mean_of, number_line

CLAIM = "fig11_vs_glu3_symbolic"
# What the paper sets GSoFA over, and another author's code of the same algorithm.
BASELINE, KLU = "gilbert_peierls", "klu"
SECONDS = bars.Panel("median", "low", "high", "seconds (log scale)")
SPEEDUP, PAIR, ONLY = f"over_{BASELINE}", f"pair_{BASELINE}", {"implementation": GSOFA}
# What the speedups are over, as columns name it, and the codes that these are of.
BASES, NAMED = (BASELINE, KLU, "sequential"), (BASELINE, KLU, *SEQUENTIAL)


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case and machine: its seconds, of peers those of their symbolic phases. On the rows of
    gsofa its speedup over gilbert_peierls on the same machine and in the same run (`over_<code>`; with
    transfers `moved_over_<code>`), likewise over KLU, and over the fastest of the good sequential codes,
    which `sequential` names (`over_sequential`); their geometric means, and what is printed of the matrix;
    `pair_<code>` says `ok` or why there is none."""
    timed = timed_frame(inputs)
    put_symbolic_phases(timed, inputs.records)
    result = in_papers_order(timed, inputs.paper)
    result["group"] = groups_of(result)
    rows = dicts(result)
    by_code = {(*_input(row), row["implementation"]): row for row in rows}
    ratios = [_over(row, by_code) for row in rows]
    for base in (BASELINE, KLU):
        names = [f"over_{base}{end}" for end in ENDS]
        add_columns(result, ratios, (f"pair_{base}", *names, f"moved_over_{base}"))
    add_sequential(result, ratios)
    add_means(result, [name for base in BASES for name in (f"over_{base}", f"moved_over_{base}")])
    printed = [{"paper": _printed_of(row)} for row in rows]
    add_columns(result, printed, ("paper",))
    return result


def lines(frame: pd.DataFrame) -> list[StripLine]:
    """The speedups as text."""
    printed = subject("gsofa", CLAIM)
    low, high = printed.extreme("min"), printed.extreme("max")
    assert low and high
    whole = f"printed mean {printed.mean:g}x, {low[1]:g}x ({low[0]}) to {high[1]:g}x ({high[0]})"
    # A peer that was not measured has no line of dashes.
    klu = frame if frame[f"over_{KLU}"].notna().any() else frame[:0]
    return [
        *_lines(frame, BASELINE, BASELINE, whole, printed="paper"),
        *_lines(klu, KLU, phases_of(KLU), "not in the paper"),
        *_lines(
            frame, "sequential", "the fastest sequential code", "not in the paper", mark="sequential_mark"
        ),
    ]


def _lines(
    frame: pd.DataFrame, base: str, name: str, remark: str, *, printed: str = "", mark: str = ""
) -> list[StripLine]:
    """None where a machine has no row of gsofa. remark : on what is printed. printed, mark : the columns of
    it, and of what stands behind a speedup."""
    column = f"over_{base}"
    speedups = number_line(frame, "speedup", column, f"pair_{base}", mark)
    moved = f"moved_{column}"
    in_all = f", with transfers {mean_of(frame, moved)}" if frame[moved].notna().any() else ""
    means = f"{mean_of(frame, column)}{in_all} (geometric mean of {frame[column].notna().sum()})"
    title = StripLine(title=f"gsofa over {name}: {means}; {remark}")
    beside = number_line(frame, "printed", printed) if printed else []
    return [title, *speedups, *number_line(frame, "with transfers", moved), *beside] if speedups else []


def _input(row: Mapping[Any, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in ("matrix", "preparation", "machine"))


def _over(row: Mapping[Any, Any], by_code: Mapping[tuple[str, ...], Mapping[Any, Any]]) -> dict[str, Any]:
    """The speedups of a row of GSoFA over the sequential codes; nothing for other rows."""
    if row["implementation"] != GSOFA:
        return {}
    codes = {name: by_code[*_input(row), name] for name in NAMED if (*_input(row), name) in by_code}
    numbers = [_over_one(codes.get(base), row, base) for base in (BASELINE, KLU)]
    return numbers[0] | numbers[1] | sequential_over(codes, row)


def _over_one(base: Mapping[Any, Any] | None, row: Mapping[Any, Any], name: str) -> dict[str, Any]:
    """The speedup over one code. name : its."""
    ratio = ratio_of(base, row, (name, ""))
    numbers = {f"over_{name}{end}": ratio.get(f"ratio{end}") for end in ENDS}
    return {f"pair_{name}": ratio["pair"], **numbers, f"moved_over_{name}": with_transfers(base, row)}


def _without(frame: pd.DataFrame) -> str:
    """The caption's part on the words in place of a speedup, where there are such."""
    shown = [base for base in BASES if base != KLU or frame[f"over_{KLU}"].notna().any()]
    pairs = set(pd.concat([frame[f"pair_{base}"].dropna() for base in shown]))
    texts = [
        "Two runs, or hosts: the two times are not of one, so their ratio is not taken. "
        if pairs & {"two_runs", "two_hosts"}
        else "",
        "A dash: one of the two codes has no time. " if pairs - {"ok", "two_runs", "two_hosts"} else "",
    ]
    return "".join(texts)


def _peers(frame: pd.DataFrame) -> str:
    """The caption's part on which phases the bars of peers are of."""
    timed = set(frame.loc[frame["status"] == "ok", "implementation"])
    there = [name for name in SYMBOLIC if name in timed]
    return f"Of other authors' codes: {', '.join(map(phases_of, there))}. " if there else ""


def _printed_of(row: Mapping[Any, Any]) -> float | None:
    """What is printed of a row of GSoFA."""
    own = row["implementation"] == GSOFA and isinstance(row["abbr"], str)
    return subject("gsofa", CLAIM).value(row["abbr"]) if own else None


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 11",
    "GSoFA on one GPU and sequential symbolic factorisation",
    frame,
    CodedBars(SECONDS, lines),
    f"""{BASELINE}: the algorithm of GLU3.0's symbolic phase. The other sequential codes are not in the paper.
    {{peers}}{{sequential}}The paper's: a V100, a POWER9. {{without}}{{moved}}{{how}} {{slots}}""",
    lambda frame: {
        "peers": _peers(frame),
        "sequential": sequential_how(frame),
        "moved": moved_how(frame[f"moved_{SPEEDUP}"].fillna(frame["moved_over_sequential"])),
        "without": _without(frame),
        "how": measured_how(frame, "gsofa"),
        "slots": slots_how(frame) + STAND_INS,
    },
    held=(
        Held(CLAIM, SPEEDUP, ("mean", "largest", "smallest"), PAIR, "seconds", ONLY),
        Held(CLAIM, SPEEDUP, ("with_work",), PAIR, only=ONLY, against="edges"),
        Held(
            CLAIM, f"over_{KLU}", ("mean",), f"pair_{KLU}",
            f"seconds of KLU ({SYMBOLIC[KLU].words}) over gsofa", ONLY, beside=True,
        ),
    ),
    one_run=True,
    topic="GSoFA and sequential symbolic factorisation (seconds)",
)  # fmt: skip
