"""Figure 6: the symbolic phase out of core, and in unified memory with and without prefetching."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from fillpath.processes import representative
from fillpath.record import Record
from reports.exhibit import Exhibit, Held, Subset
from reports.ooclu import arrays
from reports.ooclu.arrays import OUT_OF_CORE, PLAIN, PREFETCHED, held_in_regimes
from reports.shapes.panels import Panels
from reports.shapes.stacked import Over
from reports.verbs import on

CLAIM = "fig6_symbolic_three_ways"
# What unified memory does beside the traversal: its share of the seconds, and the phase that has it.
SHARES = {"pages_share": "prefetch", "release_share": "release"}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and way, by nnz/n: `ratio`, its seconds over those of out_of_core.

    prefetched_ratio : on the rows without prefetching, of the row with it
    pages_share, release_share : of its seconds, in per cent, what moving pages ahead and releasing the arrays
        take; unknown where no phase says it
    """
    rows = cases.assign(way=cases["variant"].map(arrays.WAYS)).dropna(subset="way")
    rows = arrays.over_baseline(rows, OUT_OF_CORE, "out of core").assign(series=rows["way"])
    prefetched = on(rows, rows[rows["way"] == PREFETCHED])[["ratio", "ratio_processes"]]
    rows = rows.join(prefetched[rows["way"] == PLAIN].add_prefix("prefetched_"))
    shares = {name: rows["runs"].map(partial(_share, phase=phase)) for name, phase in SHARES.items()}
    return arrays.by_density(rows.assign(**shares), arrays.the_seven())


def _share(runs: Sequence[Record], phase: str) -> float:
    """Return the per cent of the seconds of the record that stands for a case."""
    record = representative(runs) if runs else None
    if record is None or phase not in record.phases:
        return np.nan
    return 100 * float(np.median(record.phases[phase])) / float(np.median(record.samples))


def facts(frame: pd.DataFrame) -> dict[str, str]:
    """Return how much of the prefetched seconds the traversal is not."""
    shares = frame.loc[frame["way"] == PREFETCHED, list(SHARES)].dropna()
    pages, release = (f"{shares[name].min():.0f} to {shares[name].max():.0f} %" for name in SHARES)
    text = f"Of the prefetched seconds pages are {pages} and release {release}. "
    return {"shares": text if len(shares) else ""}


def least_steps(frame: pd.DataFrame) -> list[Subset]:
    """Return both steps of the paper's order at once: prefetched over out_of_core, and the other
    over that."""
    plain = frame[(frame["way"] == PLAIN) & frame["prefetched_ratio"].notna()]
    steps = plain["prefetched_ratio"].clip(upper=plain["ratio"] / plain["prefetched_ratio"])
    processes = plain[["ratio_processes", "prefetched_ratio_processes"]].min(axis=1)
    return arrays.by_regime(plain.assign(least_step=steps, least_step_processes=processes), "pair")


PREFETCHED_OVER = Over(OUT_OF_CORE, arrays.printed_range(CLAIM), ", of prefetched")
OF, BY_DENSITY = {"way": PREFETCHED}, "nnz_per_row"
EXHIBIT = Exhibit(
    arrays.PAPER,
    "PPoPP'23, Figure 6",
    "the symbolic phase, out of core and in unified memory",
    frame,
    Panels([PREFETCHED_OVER], 7.5, arrays.labelled_with_memory),
    f"""Seconds over those of out_of_core, which stand above its bars, by nnz/n. Unified memory's include
    allocating the arrays, making their pages and releasing them, except where arrays are kept; out_of_core
    has its memory from a pool. {{shares}}{arrays.REGIMES}""",
    facts,
    held=(
        held_in_regimes(CLAIM, "ratio", "range", "pair", only=OF),
        Held(CLAIM, "least_step", ("order",), "pair", subsets=least_steps),
        held_in_regimes(CLAIM, "ratio", "density", "pair", only={"way": PLAIN}, against=BY_DENSITY),
        held_in_regimes(CLAIM, "ratio", "density_prefetched", "pair", only=OF, against=BY_DENSITY),
    ),
    one_run=True,
    span=arrays.SYMBOLIC,
)
