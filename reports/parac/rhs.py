"""The text's other right-hand side: iterations for b = L x and for b at random."""

import pandas as pd

from reports.exhibit import Exhibit, Subset
from reports.parac.orderings import first_names
from reports.parac.solution import PAPER, RULE
from reports.shapes.axes import Panels
from reports.shapes.beside import PanelRow, Step
from reports.table import KEY
from reports.verbs import by_input, fact, in_papers_order, mean, option

DEVICES = {"CPU": ("parac_cpu", "ict"), "GPU": ("parac_gpu", "ic0_gpu")}
OURS = {peer: ours for ours, peer in DEVICES.values()}
METHODS = ("ParAC", "incomplete Cholesky")
SIDES = {"iterations": "b at random", "iterations_product": "b = L x"}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and code: iterations for both b, their `ratio`; `less`, over ParAC's."""
    is_product = option(cases["variant"], "rhs") == "product"
    rows = in_papers_order(cases[~is_product], PAPER)
    own = pd.MultiIndex.from_frame(rows[[*KEY, "implementation"]])
    other = by_input(cases[is_product], "implementation").reindex(own).set_axis(rows.index)
    is_peer = rows["implementation"].isin(OURS)
    rows = rows.assign(
        iterations=fact(rows, "iterations"),
        iterations_product=fact(other, "iterations"),
        status=rows["status"].where(rows["status"] != "ok", other["status"].fillna("not_run")),
        series=is_peer.map(dict(zip((False, True), METHODS, strict=True))),
        group=pd.factorize(rows["label"])[0],
    )
    rows["ratio"] = rows["iterations"] / rows["iterations_product"]
    beside = pd.MultiIndex.from_frame(rows[KEY].assign(code=rows["implementation"].map(OURS)))
    of_ours = by_input(rows[~is_peer], "implementation")["ratio"].reindex(beside)
    return rows.assign(less=rows["ratio"] / of_ours.to_numpy())


def by_matrix(frame: pd.DataFrame) -> list[Subset]:
    """Return of each matrix the geometric mean of incomplete Cholesky's `ratio`, and the least of `less`."""
    peers = frame[frame["implementation"].isin(OURS)]
    first = peers.iloc[peers["ratio"].isna().argsort(kind="stable")].drop_duplicates("label")
    numbers = peers.groupby("label").agg({"ratio": mean, "less": "min"})
    return [Subset(first.set_index("label").assign(**numbers).reset_index())]


def row(device: str) -> PanelRow:
    """Return the panel of a device: of each method the iterations for both b."""
    steps = [
        Step(f"{method}, {side}", name, {"implementation": code})
        for method, code in zip(METHODS, DEVICES[device], strict=True)
        for name, side in SIDES.items()
    ]
    label = f"iterations on the {device} (log)"
    return PanelRow(
        label, steps, {}, status="status", even=None, points=True, log=True, form="{:,.0f}".format
    )


EXHIBIT = Exhibit(
    "iterations by right-hand side",
    frame,
    Panels([row(device) for device in DEVICES], 9.4, first_names),
    f"""Iterations of conjugate gradients for b at random and for b = L x with a random x, which is mostly
    rough: an incomplete factor is slow on what is smooth. The CSV has the ratios. {RULE}""",
    more_claims=("right_hand_side",),
    subsets={"by_matrix": by_matrix},
    one_run=False,
)
