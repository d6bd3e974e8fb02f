"""Table 2: the words of each data structure per vertex and source, as printed and as allocated."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reports.exhibit import Exhibit, Held
from reports.gsofa.space import MEMORY, WORD, is_off, printed_words, told
from reports.shapes.sheet import Column, Sheet, TablePicture
from reports.verbs import fact, in_papers_order, option

CLAIM = "table2_space"
OFF, ON, DEFAULT = "all off", "all on", "default"
VARIANTS = (OFF, ON, DEFAULT)
STRUCTURES = {
    "queue": "frontierQueue, newFrontierQueue, tracker, newTracker",
    "maxid": "maxId",
    "fill": "fill",
    "sum": "sum",
}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and variant: words of each structure per vertex and source.

    The variants are the space optimisations all off, all on, or the default. `printed_...` is what is
    printed, `words_...` what gsofa allocated. `told` says `ok` where the latter is known.
    """
    names = cases["variant"]
    small = option(names, "queue_fraction") == "8"
    variants = np.select([is_off(names), small, names == "gsofa"], VARIANTS, "")
    rows = cases.assign(variant=variants)[variants != ""]
    words = WORD * rows["n"].astype(float) * fact(rows, "concurrent_sources")
    for name in MEMORY:
        structure = name.removeprefix("bytes_")
        rows[f"printed_{structure}"] = float(printed_words()[name])
        rows[f"words_{structure}"] = fact(rows, name) / words
    for side in ("printed", "words"):
        parts = rows[[f"{side}_{name}" for name in STRUCTURES if name != "sum"]]
        rows[f"{side}_sum"] = parts.sum(axis=1, min_count=len(MEMORY))
    return in_papers_order(rows.assign(told=told(rows, ["words_sum"])), "gsofa")


def draw(frame: pd.DataFrame, title: str) -> TablePicture:
    """Return one row per structure, as the paper has it, from the least to the most that any matrix has."""
    parts = {"printed": ("printed", frame)}
    parts |= {name: ("words", frame[frame["variant"] == name]) for name in VARIANTS}
    cells = {
        heading: [_spread(rows, f"{side}_{name}") for name in STRUCTURES]
        for heading, (side, rows) in parts.items()
    }
    return SHEET(pd.DataFrame({"structure": STRUCTURES.values(), **cells}), title)


def _spread(rows: pd.DataFrame, column: str) -> str:
    """Return `2`, or `0.0323 to 0.0336`; a status, or a dash, where no matrix has a number."""
    values = rows[column].dropna()
    if values.empty:
        return ", ".join(rows["told"].str.replace("_", " ").unique()) or "-"
    return " to ".join(dict.fromkeys(f"{value:.3g}" for value in (values.min(), values.max())))


SHEET = Sheet(
    [
        Column("data structure", "structure", left=True),
        Column("printed", "printed"),
        *(Column(f"here,\n{name}", name) for name in VARIANTS),
    ],
    matrix=False,
)
EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Table 2",
    "words of each data structure per vertex and concurrent source",
    frame,
    draw,
    f"""Here: what gsofa allocates, from the least to the most of {{matrices}} matrices, over {WORD} n bytes
    and the sources that it runs at a time. All off, all on: the space optimisations, all on with queues of
    n / 8 entries, both with the authors' number of sources. Default: queues of n entries.""",
    lambda frame: {"matrices": frame.loc[frame["told"] == "ok", "label"].nunique()},
    held=(Held(CLAIM, "words_sum", ("words",), "told", only={"variant": OFF}),),
)
