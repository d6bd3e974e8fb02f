"""Table 2: the words of each data structure per vertex and source, as printed and as allocated."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from fillpath.case import Case
from reports.exhibit import Held
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.inputs import Inputs
from reports.frames.device import MEMORY, NOT_MEASURED, columns_of, device_frame, gpu_caption, total
from reports.frames.space import AFTER, WORD, printed_words, switched_on
from reports.shapes.cells import TablePicture
from reports.shapes.tables import Table, Words

CLAIM = "table2_space"
OFF, ON, DEFAULT = "all off", "all on", "default"
VARIANTS = (OFF, ON, DEFAULT)
STRUCTURES = {
    "queue": "frontierQueue, newFrontierQueue, tracker, newTracker",
    "maxid": "maxId",
    "fill": "fill",
    "sum": "sum",
}


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, variant (space optimisations all off, all on, or the default) and machine: words of
    each structure per vertex and source, as printed and as gsofa allocated them. told : `ok` where they are
    known."""
    chosen = [case for case in inputs.cases if _variant(case)]
    rows = device_frame(replace(inputs, cases=chosen), ("concurrent_sources", *MEMORY, "bytes_external"))
    rows["variant"] = [_variant(Case.parse(case)) for case in rows["case"]]
    words = WORD * rows["n"].astype("float64") * rows["concurrent_sources"]
    for name, count in printed_words().items():
        structure = name.removeprefix("bytes_")
        rows[f"printed_{structure}"] = float(count)
        rows[f"words_{structure}"] = rows[name] / words
    for side in ("printed", "words"):
        rows[f"{side}_sum"] = total(rows, [f"{side}_{name}" for name in STRUCTURES if name != "sum"])
    known = rows["words_sum"].notna()
    rows["told"] = rows["status"].where((rows["status"] != "ok") | known, NOT_MEASURED)
    rows = rows.sort_values("group", kind="stable").reset_index(drop=True)
    columns = [f"{side}_{name}" for side in ("printed", "words") for name in STRUCTURES]
    return columns_of(rows, "variant", "n", "concurrent_sources", *MEMORY, *columns, "bytes_external", "told")


def draw(frame: pd.DataFrame, title: str) -> TablePicture:
    """One row per structure, as the paper has it: the print, and from the least to the most that any matrix
    has."""
    rows = [
        {"structure": text, "printed": _spread(frame, f"printed_{name}")}
        | {variant: _spread(frame[frame["variant"] == variant], f"words_{name}") for variant in VARIANTS}
        for name, text in STRUCTURES.items()
    ]
    return TABLE(pd.DataFrame(rows), title)


def _spread(frame: pd.DataFrame, column: str) -> str:
    """`2`, or `0.0323 to 0.0336`; a status, or a dash, where no matrix has a number."""
    values = frame[column].dropna()
    if values.empty:
        return ", ".join(dict.fromkeys(str(word).replace("_", " ") for word in frame["told"])) or "-"
    return " to ".join(dict.fromkeys(f"{value:.3g}" for value in (values.min(), values.max())))


def _variant(case: Case) -> str:
    """Which row of its matrix a case is; empty for none."""
    if not case.options:
        return DEFAULT
    return OFF if switched_on(case) else ON if AFTER in case.options else ""


def _column(name: str, heading: str) -> Words:
    return Words(heading, 1.5, lambda row: str(row[name]))


TABLE = Table(
    [
        Words("data structure", 3.0, lambda row: str(row["structure"]), left=True),
        _column("printed", "printed"),
        *(_column(name, f"here,\n{name}") for name in VARIANTS),
    ],
    shaded=lambda row: False,
)
EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Table 2",
    "words of each data structure per vertex and concurrent source",
    frame,
    draw,
    """Here: what gsofa allocates, from the least to the most of {matrices} matrices, over {word} n bytes and
    the sources that it runs at a time. All off, all on: the space optimisations, all on with queues of n / 8
    entries, both with the authors' number of sources. Default: queues of n entries. {gpu}""",
    lambda frame: {
        "matrices": frame.loc[frame["told"] == "ok", "label"].nunique(),
        "word": WORD,
        "gpu": gpu_caption(frame, "gsofa", timed=False, slots=False),
    },
    held=(Held(CLAIM, "words_sum", ("words",), "told", only={"variant": OFF}),),
)
