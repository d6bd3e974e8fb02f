"""Table 2: words of each data structure per vertex and concurrent source."""

import numpy as np
import pandas as pd

from reports.exhibit import Exhibit
from reports.gsofa.memory import PRINTED_WORDS, WORD, device_bytes, is_off, told
from reports.shapes.sheet import Column, Sheet
from reports.verbs import fact, in_papers_order, option

VARIANTS = ("all off", "all on", "default")
QUEUES = "frontierQueue, newFrontierQueue, tracker, newTracker"
STRUCTURES = {"queue": QUEUES, "maxid": "maxId", "fill": "fill", "sum": "sum"}
COLUMNS = [Column("data structure", "structure", left=True), Column("printed", "printed")]


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and variant: words of each structure, `printed_...` and as `words_...`."""
    names = cases["variant"]
    small = option(names, "queue_fraction") == "8"
    variants = np.select([is_off(names), small, names == "gsofa"], VARIANTS, "")
    rows = cases.assign(variant=variants, bytes_sum=device_bytes(cases))[variants != ""]
    words = WORD * rows["n"].astype(float) * fact(rows, "concurrent_sources")
    for name in STRUCTURES:
        rows[f"printed_{name}"] = float(PRINTED_WORDS.get(name, PRINTED_WORDS.sum()))
        rows[f"words_{name}"] = fact(rows, f"bytes_{name}") / words
    return in_papers_order(rows.assign(told=told(rows, "words_sum")), "gsofa")


def structures(frame: pd.DataFrame) -> pd.DataFrame:
    """Return one row per structure of the paper, from the least to the most that any matrix has."""
    printed = frame[[f"printed_{name}" for name in STRUCTURES]].max().to_numpy()
    parts = {variant: frame[frame["variant"] == variant] for variant in VARIANTS}
    words = {each: [_span(rows, f"words_{name}") for name in STRUCTURES] for each, rows in parts.items()}
    return pd.DataFrame({"structure": STRUCTURES.values(), "printed": printed, **words})


def _span(rows: pd.DataFrame, column: str) -> str:
    """Return `2`, or `0.0323 to 0.0336`; a status, or a dash, where no matrix has a number."""
    values = rows[column].dropna()
    if values.empty:
        return ", ".join(rows["told"].str.replace("_", " ").unique()) or "-"
    return " to ".join(dict.fromkeys(f"{value:.3g}" for value in (values.min(), values.max())))


CAPTION = f"""Here: memory of gsofa, least to most of {{matrices}} matrices, over {WORD} n bytes and its
    sources. Off and on use the authors' number of sources; on has queues of n / 8 entries."""
EXHIBIT = Exhibit(
    frame,
    Sheet([*COLUMNS, *(Column(f"here,\n{name}", name) for name in VARIANTS)], structures, matrix=False),
    CAPTION,
    lambda frame: {"matrices": frame.loc[frame["told"] == "ok", "label"].nunique()},
    one_run=False,
)
