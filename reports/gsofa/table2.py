"""Table 2: the bytes of each data structure per source, by the paper's formula and as allocated."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from fillpath.case import Case
from reports.exhibit import Exhibit, Held
from reports.facts.inputs import Inputs
from reports.facts.verdicts import Subset
from reports.frames.device import MEMORY, NOT_MEASURED, columns_of, device_frame, gpu_caption, total
from reports.frames.space import AFTER, WORD, printed_words, switched_on
from reports.shapes.tables import COUNT, Column, Table, Words, matrix_column, where_column

CLAIM = "table2_space"
OFF, ON, DEFAULT = "all off", "all on", "default"
STRUCTURES = {
    "bytes_queue": "queues and\ntrackers", "bytes_maxid": "maxId", "bytes_fill": "fill", "bytes": "sum",
}  # fmt: skip
SIDES = {"formula": "the paper's formula, bytes per source", "source": "allocated here, bytes per source"}
TABLE = Table(
    [
        matrix_column(),
        Words("space\noptimisations", 1.5, lambda row: str(row["variant"]), left=True),
        Column("sources\nat a time", 1.1, "", "concurrent_sources", COUNT),
        *(
            Column(heading, 1.35, group, f"{side}_{name}", COUNT)
            for side, group in SIDES.items()
            for name, heading in STRUCTURES.items()
        ),
        Column("pinned on\nthe host", 1.4, "", "bytes_external", COUNT),
        where_column("told"),
    ],
    # Every other matrix.
    shaded=lambda row: bool(row["group"] % 2),
    empty="no case of this figure in the suite",
)


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, variant (space optimisations all off, all on, or the default) and machine: bytes a
    source of each structure by the paper's formula and as gsofa allocated them. told : `ok` where they are
    known."""
    chosen = [case for case in inputs.cases if _variant(case)]
    rows = device_frame(replace(inputs, cases=chosen), ("concurrent_sources", *MEMORY, "bytes_external"))
    rows["variant"] = [_variant(Case.parse(case)) for case in rows["case"]]
    n, sources = rows["n"].astype("Float64"), rows["concurrent_sources"]
    for name, words in printed_words().items():
        rows[f"formula_{name}"] = (WORD * words * n).astype("float64")
        rows[f"source_{name}"] = rows[name] / sources
    for side in SIDES:
        rows[f"{side}_bytes"] = total(rows, [f"{side}_{name}" for name in MEMORY])
    known = rows["source_bytes"].notna()
    rows["told"] = rows["status"].where((rows["status"] != "ok") | known, NOT_MEASURED)
    rows = rows.sort_values("group", kind="stable").reset_index(drop=True)
    columns = [f"{side}_{name}" for side in SIDES for name in STRUCTURES]
    return columns_of(rows, "variant", "n", "concurrent_sources", *columns, "bytes_external", "told")


def _words(frame: pd.DataFrame) -> list[Subset]:
    """With the words per vertex and source that gsofa allocated."""
    words = frame["source_bytes"] / (WORD * frame["n"].astype("float64"))
    return [Subset(frame.assign(words=words))]


def _variant(case: Case) -> str:
    """Which row of its matrix a case is; empty for none."""
    if not case.options:
        return DEFAULT
    return OFF if switched_on(case) else ON if AFTER in case.options else ""


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Table 2",
    "memory of each data structure",
    frame,
    TABLE,
    """The paper's formula: ({words}) n words of {word} bytes per source. Allocated: by gsofa, over the
    sources that it runs at a time. All off, all on: the space optimisations, all on with queues of n / 8
    entries, both with the authors' number of sources. Default: queues of n entries. {gpu}""",
    lambda frame: {
        "words": " + ".join(str(count) for count in printed_words().values()),
        "word": WORD,
        "gpu": gpu_caption(frame, "gsofa", timed=False, slots=False),
    },
    held=(Held(CLAIM, "words", ("words",), "told", only={"variant": OFF}, subsets=_words),),
)
