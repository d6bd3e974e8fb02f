"""Beyond the paper: seconds of row counts over n, by each code."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reports.exhibit import Exhibit
from reports.facts.naming import listed
from reports.gsofa.symbolic import COUNTS, SYMBOLIC
from reports.shapes.lines import Span, draw_spans, exponents, families
from reports.table import timed

FRONTS, CUDSS = "bitfronts_gpu, by fronts", "cuDSS, symbolic phase"
# The codes in the order of a legend, with how much of the host they use.
CORES = dict.fromkeys(["fill1_pruned", "fill1_supernodal", "etree_cpu"], "one core")
NAMES = {code: f"{code}, {how}" for code, how in {**CORES, "bitfronts_cpu": "all cores"}.items()}
CODES = ("fill2_gpu", "gsofa", *CORES, "bitfronts_cpu", "bitfronts_gpu", FRONTS, CUDSS)
DRAWN = [NAMES.get(code, code) for code in CODES]
LINES = {"3D grid": "3D grids", "circuit": "circuits"}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case: its `code` and seconds, the `family` of its matrix, a line's `exponent`."""
    rows = timed(cases, SYMBOLIC)
    by_fronts, is_cudss = rows["options"].str.contains("path=fronts"), rows["implementation"] == "cudss"
    codes = np.select([is_cudss, by_fronts], [CUDSS, FRONTS], rows["implementation"])
    rows = rows.assign(code=codes, family=families(rows, LINES))
    return rows.assign(exponent=exponents(rows))


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw one row of panels, with each code's use of the host in its label."""
    rows = frame.replace({"code": NAMES}).assign(span="counts")
    return draw_spans(rows, title, LINES, {"counts": Span("seconds (log)")}, DRAWN)


CAPTION = """Codes count rows and store none. cuDSS stores rows; its symbolic phase alone is drawn. Lines:
    generated matrices, with the exponent of n. Not measured there: {absent}."""
EXHIBIT = Exhibit(
    frame,
    draw,
    CAPTION,
    lambda frame: {"absent": listed(set(CODES) - set(frame.loc[frame["status"] == "ok", "code"]))},
    span=COUNTS,
    one_run=False,
)
