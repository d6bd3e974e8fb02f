"""Beyond the paper: how the seconds of row counts grow with the matrix, by each code."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reports.exhibit import Exhibit
from reports.facts.naming import listed
from reports.gsofa.symbolic import SYMBOLIC
from reports.laws import exponents, families
from reports.shapes.axes import legend_above, seconds_axis
from reports.shapes.lines import POINTS, draw_panels
from reports.shapes.style import looks, new_figure
from reports.table import timed

FRONTS, CUDSS = "bitfronts_gpu, by fronts", "cuDSS, symbolic phase"
# The codes in the order of a legend, with how much of the host they use.
CORES = dict.fromkeys(["fill1_pruned", "fill1_supernodal", "etree_cpu"], "one core")
CODES = ("fill2_gpu", "gsofa", *CORES, "bitfronts_cpu", "bitfronts_gpu", FRONTS, CUDSS)
NAMES = {code: f"{code}, {how}" for code, how in {**CORES, "bitfronts_cpu": "all cores"}.items()}
DRAWN = looks(NAMES.get(code, code) for code in CODES)
# Kinds of generated matrices that make a line; all others are points.
LINES = {"3D grid": "3D grids", "circuit": "circuits"}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case: its `code` and seconds; `filled` entries of L + U; the `family` of the matrix;
    of a line the exponents of n, `exponent` of the seconds and `exponent_filled`."""
    rows = timed(cases, SYMBOLIC)
    by_fronts, is_cudss = rows["options"].str.contains("path=fronts"), rows["implementation"] == "cudss"
    rows = rows.assign(
        code=np.select([is_cudss, by_fronts], [CUDSS, FRONTS], rows["implementation"]),
        family=families(rows, LINES),
        filled=rows["entries"] + rows["diagonal_added"] + rows["fills"],
    )
    return rows.assign(exponent=exponents(rows, "median"), exponent_filled=exponents(rows, "filled"))


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw a panel per family on common axes, with a line per code and the real matrices as points."""
    figure = new_figure(14.0, 7.0, title)
    ok = frame[frame["status"] == "ok"]
    names = (*LINES.values(), POINTS)
    panels = figure.subplots(1, len(names), sharex=True, sharey=True)
    for axes, family in zip(panels, names, strict=True):
        axes.set_title(_heading(ok[ok["family"] == family], family), loc="left")
        axes.set_xlabel("rows n (log)")
    draw_panels(panels, frame.replace({"code": NAMES}), names, DRAWN)
    if len(ok):
        seconds_axis(panels[0])
    panels[0].set_ylabel("seconds (log)")
    legend_above(figure)
    return figure


def _heading(rows: pd.DataFrame, family: str) -> str:
    """Return the family, with how the output of its longest line grows."""
    lines = rows.dropna(subset="exponent_filled")
    if lines.empty:
        return family
    longest = int(lines.groupby("code")["n"].transform("nunique").argmax())
    return f"{family}: entries of L + U as $n^{{{lines['exponent_filled'].iloc[longest]:.2f}}}$"


EXHIBIT = Exhibit(
    "seconds of row counts over n, by each code",
    frame,
    draw,
    """Not in the paper: rows are counted, none is stored. Lines: generated matrices, with the exponent of n
    at the end, by least squares. cuDSS orders the matrix itself and stores its factors' pattern; drawn is its
    symbolic phase alone. Not measured there: {absent}.""",
    lambda frame: {"absent": listed(set(CODES) - set(frame.loc[frame["status"] == "ok", "code"]))},
    span="from the input pattern to the counts of the filled rows, both resident",
    one_run=False,
)
