"""How the seconds of linear systems and of their phases grow with the matrix, and operations a second."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from fillpath.dicts import dicts
from fillpath.processes import Rounds
from fillpath.record import Record
from reports.facts.inputs import Inputs
from reports.facts.records import Records
from reports.frames.cost_growth import add_exponents, family_of
from reports.frames.device import NOT_MEASURED, columns_of
from reports.frames.phase_sums import PhaseSum
from reports.frames.preparation import add_way, with_preparation
from reports.frames.roofline import roofs
from reports.frames.seconds import timed_frame

# Kinds of generated matrices that make a line.
LINES = {"2D grid": "2D grids", "3D grid": "3D grids"}
FIRST, KEPT, FACTOR = "direct_gpu", "direct_gpu, maps kept", "multifrontal_gpu, no exchanges"
AMD = "direct_gpu, AMD"
HOST = "multifrontal_cpu"
CUDSS, REFACTORED, GIVEN = "cuDSS, its own order", "cuDSS, analysis kept", "cuDSS, prepared order"
SPSV, SWEEPS = "lu_gpu (SpSV)", "lu_gpu, sweeps"
# The codes in the order of a legend, those with lines first: each has a colour of its own.
CODES = (FIRST, AMD, KEPT, CUDSS, REFACTORED, GIVEN, FACTOR, HOST, SPSV, SWEEPS)
# By implementation and options.
NAMES = {
    ("direct_gpu", ""): FIRST,
    ("direct_gpu", "maps=kept"): KEPT,
    ("multifrontal_gpu", ""): FACTOR,
    ("multifrontal_cpu", ""): HOST,
    ("cudss", ""): CUDSS,
    ("cudss", "analysis=kept"): REFACTORED,
    ("cudss", "ordering=given"): GIVEN,
    ("lu_gpu", ""): SPSV,
    ("lu_gpu", "triangular=sweeps"): SWEEPS,
}
RAW, WHOLE, NUMERIC, TRIANGULAR, RATE = "raw", "whole", "numeric", "triangular", "rate"
# The phase of a record that a span is of. With maps kept inverses pay sooner, so that both may be others.
PHASES = {NUMERIC: PhaseSum(("numeric",)), TRIANGULAR: PhaseSum(("triangular",))}
_ENDS = ("median", "low", "high")


def system_frame(inputs: Inputs) -> pd.DataFrame:
    """Return one row per case, machine and span.

    Spans: `raw` and `whole`, seconds to x from the raw matrix and from the prepared one; `numeric` and
    `triangular`, those of the phase; `rate`, GFLOP/s of the numeric one, where the record has `flops`.
    `exponent` of n as in `cost_frame`; `peak`, GFLOP/s of `peak_of`, the card or the host, in double
    precision, as measured.
    """
    rows = with_preparation(timed_frame(inputs))
    rows["code"] = [_code(row) for row in dicts(rows)]
    rows["family"] = [family_of(inputs, matrix, LINES) for matrix in rows["matrix"]]
    rows["peak_of"] = ["host" if code == HOST else "gpu" for code in rows["code"]]
    peaks = {name: _peaks(name) for name in rows["machine"].dropna().unique()}
    known = [peaks.get(row["machine"], {}).get(row["peak_of"], np.nan) for row in dicts(rows)]
    rows["peak"] = pd.Series(known, index=rows.index, dtype="float64")
    spans = [_span(rows, inputs.records, span) for span in (RAW, WHOLE, NUMERIC, TRIANGULAR, RATE)]
    frame = pd.concat(spans, ignore_index=True)
    return columns_of(frame, "code", "family", "span", "n", *_ENDS, "exponent", "flops", "peak_of", "peak")


def _span(rows: pd.DataFrame, records: Records, span: str) -> pd.DataFrame:
    """The rows that have the span, with its numbers."""
    shown = pd.Series([_has(row, span) for row in dicts(rows)], index=rows.index, dtype=bool)
    part = rows[shown].assign(span=span, flops=np.nan)
    if span == RAW:
        # A peer's own order is within its seconds: to it any order is as good as the raw matrix's.
        add_way(part, part["code"] != CUDSS)
    elif span != WHOLE:
        for place, row in part.to_dict("index").items():
            record = records.result(row["case"], row["machine"]) if row["status"] == "ok" else None
            numbers = _numbers(record, records, span) if record is not None else {}
            part.loc[place, [*_ENDS, "flops"]] = [numbers.get(name, np.nan) for name in (*_ENDS, "flops")]
        part.loc[(part["status"] == "ok") & part["median"].isna(), "status"] = NOT_MEASURED
        part.loc[part["status"] != "ok", list(_ENDS)] = np.nan
    add_exponents(part, "exponent", "median")
    return part


def _has(row: Mapping[Any, Any], span: str) -> bool:
    """Whether the span is drawn of a code, and is not another's too."""
    spans = {
        FIRST: (RAW, WHOLE, NUMERIC, TRIANGULAR, RATE),
        AMD: (RAW, WHOLE),
        CUDSS: (RAW, WHOLE, NUMERIC, TRIANGULAR),
        KEPT: (WHOLE,),
        REFACTORED: (WHOLE,),
        FACTOR: (NUMERIC, RATE),
        HOST: (NUMERIC, RATE),
    }
    # A matching of ours would be given to cuDSS for nothing.
    is_given = span == RAW and row["code"] == CUDSS and row["matching"] != "none"
    return span in spans.get(row["code"], (WHOLE, NUMERIC, TRIANGULAR)) and not is_given


def _code(row: Mapping[Any, Any]) -> str:
    """Return what the picture calls the code of a case."""
    name = NAMES[row["implementation"], row["options"]]
    return AMD if (name, row["preparation"]) == (FIRST, "amd") else name


def _numbers(record: Record, records: Records, span: str) -> dict[str, float]:
    """The median and its interval, of a rate with its operations; nothing where the record does not say."""
    rounds = _rounds(record, records, NUMERIC if span == RATE else span)
    if not rounds.numbers or not rounds.median > 0:
        return {}
    low, high = rounds.interval
    if span != RATE:
        return {"median": rounds.median, "low": low, "high": high}
    flops = float(((record.work or {}).get("facts") or {}).get("flops", np.nan))
    return {
        "median": flops / rounds.median / 1e9,
        "low": flops / high / 1e9,
        "high": flops / low / 1e9,
        "flops": flops,
    }


def _rounds(record: Record, records: Records, span: str) -> Rounds:
    """Of the phase, or of the seconds of a record of the stage `numeric`."""
    if record.parts["stage"] == NUMERIC:
        return records.rounds(record)
    return records.rounds(record, PHASES[span].samples)


def _peaks(machine: str) -> dict[str, float]:
    """GFLOP/s in double precision of one card and of the host; without what was not measured."""
    return {roof.kind: roof.flops / 1e9 for roof in roofs(machine)}
