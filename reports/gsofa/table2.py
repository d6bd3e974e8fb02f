"""Table 2: the bytes of each data structure a source, by the paper's formula and as allocated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.claims import claim
from reports.device import (
    MEMORY,
    NOT_MEASURED,
    columns_of,
    device_frame,
    gpu_caption,
    is_gsofa,
    total,
)
from reports.figures import Entries, FigureSpec
from reports.gsofa.space import AFTER, WORD, printed_words, switched_on
from reports.naming import lines
from reports.records import Records
from reports.standings import Verdict
from reports.tables import Column, machine_column, matrix_column, table
from reports.verdicts import judge

CLAIM = "table2_space"
OFF, ON, DEFAULT = "all off", "all on", "default"
STRUCTURES = {"bytes_queue": "queues and\ntrackers", "bytes_maxid": "maxId", "bytes_fill": "fill"}


def table2_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix, variant (space optimisations all off, all on, or the default) and machine: bytes a
    source of each structure by the paper's formula and as gsofa allocated them. told : `ok` where they are
    known."""
    chosen = [case for case in cases if _variant(case)]
    facts = ("concurrent_sources", *MEMORY, "bytes_external")
    frame = device_frame(records, entries, chosen, facts)
    frame["variant"] = [_variant(Case.parse(case)) for case in frame["case"]]
    n, sources = frame["n"].astype("Float64"), frame["concurrent_sources"]
    for name, words in printed_words().items():
        frame[f"formula_{name}"] = (WORD * words * n).astype("float64")
        frame[f"source_{name}"] = frame[name] / sources
    for kind in ("formula", "source"):
        frame[f"{kind}_bytes"] = total(frame, [f"{kind}_{name}" for name in MEMORY])
    known = frame["source_bytes"].notna()
    frame["told"] = frame["status"].where((frame["status"] != "ok") | known, NOT_MEASURED)
    frame = frame.sort_values("group", kind="stable").reset_index(drop=True)
    own = [f"{kind}_{name}" for kind in ("formula", "source") for name in (*STRUCTURES, "bytes")]
    return columns_of(frame, "variant", "n", "concurrent_sources", *own, "bytes_external", "told")


def table2(frame: pd.DataFrame) -> Figure:
    """The formula's bytes beside gsofa's, one row a matrix and variant."""
    rows = [_row(row) for row in frame.to_dict("records")] or [
        ["no case of this figure in the suite", *[""] * 12]
    ]
    columns = [
        matrix_column(rows),
        Column("space\noptimisations", 1.5, left=True),
        Column("sources\nat a time", 1.1),
        *_columns("the paper's formula, bytes a source"),
        *_columns("allocated here, bytes a source"),
        Column("pinned on\nthe host", 1.4),
        machine_column(rows),
    ]
    shaded = [bool(group % 2) for group in frame["group"]] or [False]
    return table("GSoFA, Table 2: memory of each data structure", columns, rows, shaded)


def table2_caption(frame: pd.DataFrame) -> str:
    """The formula, and what stands for its structures here."""
    words = " + ".join(str(count) for count in printed_words().values())
    return (
        f"The paper's formula: ({words}) n words of {WORD} bytes a source for frontierQueue, "
        "newFrontierQueue and their trackers, maxId, and fill. Allocated: what gsofa tells of its queues "
        "(entries of vertex and source slot), of maxId and of fill (a set of bits), over the number of "
        "sources that it runs at a time, where most do. All off: bubble_removal, dynamic_space and "
        "external_frontiers off; all on: these on, and queues of n / 8 entries a source (queue_fraction=8); "
        "both with as many sources as the authors' rule says, at most what the card's blocks have slots for. "
        "Default: memory does not bind, queues have n entries. "
        f"{gpu_caption(frame, timed=False, slots=False)}"
    )


def table2_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """The words a vertex and source before the optimisations."""
    before = frame[frame["variant"] == OFF]
    words = before["source_bytes"] / (WORD * before["n"].astype("float64"))
    return judge(
        before.assign(words=words), claim("gsofa", CLAIM, "words"), "words", status="told", by_edges=False
    )


def _variant(case: Case) -> str:
    """Which row of its matrix a case is; empty for none."""
    if not case.options:
        return DEFAULT
    return OFF if switched_on(case) else ON if AFTER in case.options else ""


def _columns(group: str) -> list[Column]:
    return [*(Column(heading, 1.35, group) for heading in STRUCTURES.values()), Column("sum", 1.35, group)]


def _row(row: Mapping[Any, Any]) -> list[str]:
    names = [f"{kind}_{name}" for kind in ("formula", "source") for name in (*STRUCTURES, "bytes")]
    numbers = [row[name] for name in ("concurrent_sources", *names, "bytes_external")]
    told = str(row["told"]).replace("_", " ")
    return [
        lines(row).replace("\n", ", "),
        str(row["variant"]),
        *("-" if pd.isna(number) else f"{number:,.0f}" for number in numbers),
        str(row["where"]) if row["told"] == "ok" else told,
    ]


SPEC = FigureSpec(
    "Table 2: memory of each data structure",
    is_gsofa,
    table2_frame,
    table2,
    table2_caption,
    claims=(CLAIM,),
    judge=table2_verdicts,
)
