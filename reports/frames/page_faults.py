"""What Table 3 and the figure of faults share: the page faults that were counted of a case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from fillpath.dicts import dicts
from reports.facts.inputs import Inputs
from reports.facts.probes import read_faults
from reports.frames.arrays import WORD, WORDS, add_memory, stand_in_among, the_seven, variants_of
from reports.frames.device import NOT_MEASURED, device_frame
from reports.frames.seconds import add_columns

# Bytes that the driver moves at most for a fault: what is touched first costs a group each.
BLOCK = 2**21
COUNTED = (
    "gpu_fault_groups", "gpu_fault_records", "fault_seconds", "cpu_faults", "bytes_to_device",
    "bytes_to_host", "thrashing", "fault_share", "counted_seconds", "uncounted_seconds", "overhead",
    "link_bytes_per_second",
)  # fmt: skip


def counted_frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case and machine: its `variant`, what `fillpath faults` counted of it (`told` says `ok`
    where it is known), nnz/n with explicit zeros, the managed memory and the regime."""
    frame = device_frame(inputs, ("bytes_matrix", "spilled"))
    stand_in_among(frame, the_seven())
    frame["variant"] = variants_of(frame)
    counted = [_counted(row) for row in dicts(frame)]
    add_columns(frame, counted, COUNTED)
    known = frame["gpu_fault_groups"].notna()
    frame["told"] = frame["status"].where((frame["status"] != "ok") | known, NOT_MEASURED)
    frame["nnz_per_row"] = frame["entries"].astype("float64") / frame["n"].astype("float64")
    add_memory(frame, inputs.records)
    return frame


def first_touches(order: pd.Series[float]) -> pd.Series[float]:
    """Blocks of the arrays of all rows: 24 n^2 bytes over 2 MiB."""
    return WORDS * WORD * order.astype("float64") ** 2 / BLOCK


def _counted(row: Mapping[Any, Any]) -> Mapping[str, float]:
    """Of a verified result; nothing of any other."""
    return (row["status"] == "ok" and read_faults(row["machine"], row["case"], row["key"])) or {}
