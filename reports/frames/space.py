"""What Figure 5, Table 2 and Table 3 share: gsofa with every space optimisation off, and on."""

from __future__ import annotations

import functools
from dataclasses import replace

import pandas as pd

from fillpath.case import Case
from reports.facts.inputs import Inputs
from reports.facts.printed import printed_table
from reports.frames.device import MEMORY, NOT_MEASURED, Partner, pair_frame, without
from reports.frames.seconds import groups_of

SPACE = ("bubble_removal", "dynamic_space", "external_frontiers")
# Bytes of a word of the paper's Table 2.
WORD = 4
FACTS = ("concurrent_sources", "bytes_matrix", *MEMORY, "bytes_external", "queue_mean", "queue_peak")
# What is on "after": queues of so much of n entries per source, the rest in pinned host memory.
AFTER = ("queue_fraction", "8")
_without_any: Partner = without(*SPACE)


def switched_on(case: Case) -> Case | None:
    """The same case with every space optimisation on, for one that has them off."""
    on = _without_any(case)
    return replace(on, options=tuple(sorted((*on.options, AFTER)))) if on else None


def space_frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case with every space optimisation off, and machine: its facts, those of the same case with
    all of them on as `other_<fact>`, and those of gsofa as it runs by default as `default_<fact>`; `told`
    and `pair_status` say `ok` where a case's facts are known."""
    frame = pair_frame(inputs, switched_on, role="space optimisations on", facts=FACTS)
    plain = pair_frame(inputs, _default, role="by default", facts=FACTS)
    for name in (*FACTS, "median"):
        frame[f"default_{name}"] = plain[f"other_{name}"]
    frame["default_status"] = plain["pair_status"]
    for status, prefix in (("status", ""), ("pair_status", "other_"), ("default_status", "default_")):
        known = frame[[f"{prefix}{name}" for name in (*MEMORY, "bytes_matrix")]].notna().all(axis=1)
        statuses = frame[status].where((frame[status] != "ok") | known, NOT_MEASURED)
        frame["told" if status == "status" else status] = statuses
    frame["group"] = groups_of(frame)
    return frame


@functools.cache
def printed_words() -> dict[str, int]:
    """Words per vertex and source of each structure, as Table 2 prints it, by gsofa's facts."""
    table = printed_table("gsofa_table2_space").set_index("structure")["words"]
    queues = [name for name in table.index if name not in ("maxId", "fill")]
    return {
        "bytes_queue": int(table[queues].sum()),
        "bytes_maxid": int(table["maxId"]),
        "bytes_fill": int(table["fill"]),
    }


def _default(case: Case) -> Case | None:
    """gsofa as it runs by default, for a case with every space optimisation off."""
    return Case(case.stage, case.implementation, case.matrix, case.preparation) if switched_on(case) else None
