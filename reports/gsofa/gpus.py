"""GSoFA on several GPUs, measured or simulated in turn, and ratios of two ways of dealing out its sources."""

import re
from collections.abc import Callable, Mapping

import pandas as pd
from matplotlib.figure import Figure

from fillpath.record import UNTRIED, Record
from reports.exhibit import Subset
from reports.shapes.beside import BesidePrint, PanelRow
from reports.table import timed
from reports.verbs import beside, fact, in_papers_order, option, over_variant

SIMULATED = "Simulated: workers run in turn, and the slowest counts."


def parallel(cases: pd.DataFrame) -> pd.DataFrame:
    """Return the cases with parallel seconds, the `kind` of workers, and `gpus` as an option in `variant`."""
    rows = timed(cases, slowest)
    variant = rows["case"].str.extract(r"\.(.*)@", expand=False)
    nodes, each = (option(variant, name).fillna("1").astype(int) for name in ("nodes", "virtual_gpus"))
    gpus = rows["gpus"].clip(lower=1).map(lambda count: f"measured: {count} GPU{'s' * (count > 1)}")
    node = nodes.map(lambda count: f"simulated: {count} node{'s' * (count > 1)} of ")
    by = ", by " + rows["implementation"].str.removesuffix("_multi") + " in turn"
    return rows.assign(
        variant=variant,
        kind=gpus.where(nodes * each == 1, node + each.astype(str) + by),
        workers=fact(rows, "workers"),
        simulated=fact(rows, "simulated") > 0,
    )


def slowest(record: Record) -> list[float]:
    """Return the samples of the slowest of workers that ran in turn; of others those of the record."""
    in_turn = [values for name, values in record.phases.items() if re.fullmatch(r"gpu[0-9]+", name)]
    return [max(each) for each in zip(*in_turn, strict=True)] or record.samples


def compared(
    cases: pd.DataFrame,
    steps: Mapping[str, tuple["pd.Series[bool]", "pd.Series[str]"]],
    printed: Mapping[str, Mapping[str, float]],
) -> pd.DataFrame:
    """Return a row per step and pair of cases, with `ratio`, the other's parallel seconds over the case's.

    A step has the name `what`, its cases, and the variant that each case is compared with.
    """
    parts = []
    for what, (chosen, base) in steps.items():
        rows = cases[chosen]
        # A stopped call has no parallel seconds.
        found = over_variant(cases, rows, base[chosen], ("baseline", ""), inverse=True, bounds=False)
        parts.append(rows.join(found).dropna(subset="other_case").assign(what=what))
    by_matrix = pd.DataFrame(printed)
    rows = beside(pd.concat(parts, ignore_index=True), "gsofa", by_matrix.max(axis=1).to_frame("paper"))
    own = by_matrix.stack().reindex(pd.MultiIndex.from_frame(rows[["abbr", "what"]])).to_numpy()
    # A matrix of the paper that is absent here has a row without a step.
    paper = rows["paper"].where(rows["what"].isna(), own)
    return in_papers_order(rows.assign(paper=paper, simulated=rows["simulated"].eq(True)), "gsofa")


def by_kind(frame: pd.DataFrame) -> list[Subset]:
    """Return a subset for each number of GPUs and each kind of simulation: no mean mixes them."""
    kinds = dict.fromkeys(frame.loc[frame["has_number"], "kind"])
    parts = [Subset(frame[frame["kind"] == kind], f"{{}}, {kind}".format) for kind in kinds]
    return parts or [Subset(frame, "{}, not run".format)]


KINDS = {"kinds": by_kind}


def picture(row: PanelRow, printed_on: str, by: str = "kind") -> Callable[[pd.DataFrame, str], Figure]:
    """Return what draws a panel for each kind, fewer workers first, of pairs that were tried."""
    shape = BesidePrint([row], printed_on, by=by, height=5.2)

    def draw(frame: pd.DataFrame, title: str) -> Figure:
        tried = ~frame["pair"].astype(str).str.endswith(UNTRIED)
        return shape(frame[tried].sort_values(["simulated", "workers"], kind="stable"), title)

    return draw
