"""Figure 21: size of the chunks of sources."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.gsofa.gpus import KINDS, SIMULATED, compared, parallel, picture
from reports.gsofa.symbolic import SPAN
from reports.shapes.beside import PanelRow, Step
from reports.verbs import inverted, option, with_option

DATA = subject("gsofa", "fig21_chunk_size")
MEANS = DATA["mean"]
SMALLEST, DEFAULT, LARGE = "64", "128", "256"
CHUNKS = {size: f"chunks of {size}" for size in (DEFAULT, LARGE)}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return two rows per matrix and number of workers: `ratio` over seconds with chunks of 64."""
    rows = parallel(cases)
    size = option(rows["variant"], "maxsup").fillna(DEFAULT)
    base = with_option(rows["variant"], "maxsup", SMALLEST)
    rows = compared(rows, {each: (size == each, base) for each in CHUNKS}, {LARGE: DATA["max_256"]})
    return rows.assign(**inverted(rows, "ratio"))


ROW = PanelRow(
    f"seconds over those\nwith chunks of {SMALLEST}",
    [Step(name, "ratio", {"what": size}) for size, name in CHUNKS.items()],
    {CHUNKS[DEFAULT]: {"mean": MEANS[128]}, CHUNKS[LARGE]: {"mean": MEANS[256], **DATA["max_256"]}},
    points=True,
)
CAPTION = f"""Seconds with chunks of 128 and 256 sources over seconds with 64. Whiskers are cut at the axis.
    {SIMULATED}"""
EXHIBIT = Exhibit(frame, picture(ROW, "printed: six nodes of six V100"), CAPTION, subsets=KINDS, span=SPAN)
