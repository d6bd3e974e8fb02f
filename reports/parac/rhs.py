"""The text's other right-hand side: iterations for b = L x and for b at random."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports import bars
from reports.claims import claim
from reports.device import columns_of, option_of
from reports.figures import Entries, FigureSpec
from reports.gains import point_handles
from reports.labels import legend_above
from reports.parac.paper import PAPER, RULE, absent_in_words, count_axis, ordered_how, solved_frame
from reports.records import Records
from reports.standings import Verdict
from reports.style import LARGE, new_figure
from reports.timed import NO_RESULT, groups_of, name_matrices, told_in_words, width
from reports.verdicts import judge, remarks

CLAIM = "right_hand_side"
OURS, PEERS = ("parac_cpu", "parac_gpu"), ("ict", "ic0_gpu")
# As many times the iterations for the one b as for the other are none to speak of.
SAME = 1.25
ITERATIONS = bars.Panel(
    "iterations", "iterations", "iterations", "iterations", points=True, form="{:,.0f}".format
)


def is_either(case: Case) -> bool:
    """A solution with an implementation's defaults but for the right-hand side."""
    known = case.stage == "laplacian" and case.implementation in (*OURS, *PEERS) and not case.seed
    return known and set(dict(case.options)) <= {"rhs"}


def rhs_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a case and machine: iterations for its right-hand side (`rhs`); on those of random ones `ratio`,
    their iterations over those for L x."""
    frame = solved_frame(records, entries, [case for case in cases if is_either(case)])
    frame["rhs"] = [option_of(case, "rhs") or "random" for case in frame["case"]]
    words = frame["rhs"].map({"random": "b random", "product": "b = L x"})
    frame["series"] = frame["implementation"] + ", " + words
    keys = ["label", "preparation", "machine", "implementation"]
    rows = [(tuple(row[key] for key in keys), row) for row in frame.to_dict("records")]
    product = {key: row["iterations"] for key, row in rows if row["rhs"] == "product"}
    found = [product.get(key) for key, _ in rows]
    other = pd.Series(found, index=frame.index, dtype="float64")
    frame["ratio"] = (frame["iterations"] / other).where(frame["rhs"] == "random")
    frame["group"] = groups_of(frame)
    return columns_of(frame, "implementation", "rhs", "iterations", "residual", "ratio")


def rhs(frame: pd.DataFrame) -> Figure:
    """Iterations on a log axis, a panel a machine, a point an implementation and right-hand side."""
    idle, _ = told_in_words(frame)
    shown = frame[~idle]
    machines = shown["machine"].dropna().unique().tolist() or [None]
    figure = new_figure(max(11.0, width(frame)), 3.5 + 4.5 * len(machines))
    figure.suptitle("ParAC: iterations by right-hand side", x=0.01, ha="left", fontsize=LARGE, weight="bold")
    panels = figure.subplots(len(machines), 1, sharex=True, sharey=True, squeeze=False).ravel()
    for axes, machine in zip(panels, machines, strict=True):
        # What no machine ran stands in the first panel.
        own = shown["machine"] == machine
        own |= shown["machine"].isna() & (machine == machines[0])
        bars.bar_panel(axes, shown, ITERATIONS, own)
        if len(machines) > 1:
            axes.set_title(f"on {machine}", loc="left")
    for axes in panels:
        count_axis(axes, shown["iterations"])
    name_matrices(panels[-1], shown)
    legend_above(figure, point_handles(shown))
    return figure


def rhs_caption(frame: pd.DataFrame) -> str:
    """What the right-hand sides are."""
    return (
        "Iterations of conjugate gradients for a random right-hand side and for b = L x, x as random: that b "
        f"has little of the smooth vectors that an incomplete factor is bad at. {RULE}{NO_RESULT} "
        f"{absent_in_words(frame)}"
        f"{ordered_how(frame)}"
    )


def rhs_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """Iterations for b at random over those for b = L x: on how many matrices its peers need more, and ParAC
    as many."""
    own = frame[frame["implementation"].isin(OURS)]
    other = frame[frame["implementation"].isin(PEERS)]
    as_many = own["ratio"].between(1 / SAME, SAME).astype("float64").where(own["ratio"].notna())
    basis = "iterations, b at random over b = L x, "
    return [
        *judge(
            own.assign(as_many=as_many), claim(PAPER, CLAIM, "parac"), "as_many", by_edges=False, above=0.5
        ),
        *judge(other, claim(PAPER, CLAIM, "ichol"), "ratio", by_edges=False, above=SAME),
        *remarks(own, f"{PAPER}.{CLAIM}", "ratio", _span, basis=f"{basis}ParAC", by_edges=False),
        *remarks(
            other, f"{PAPER}.{CLAIM}", "ratio", _span, basis=f"{basis}incomplete Cholesky", by_edges=False
        ),
    ]


def _span(rows: pd.DataFrame) -> str:
    ordered = rows.sort_values("ratio").to_dict("records")
    ends = (ordered[0], ordered[-1])
    named = [f"{bars.times(row['ratio'])} {row['label']}" for row in ends]
    return f"mean {bars.times(float(rows['ratio'].mean()))} ({' to '.join(dict.fromkeys(named))})"


SPEC = FigureSpec(
    "The text: iterations by right-hand side",
    is_either,
    rhs_frame,
    rhs,
    rhs_caption,
    claims=(CLAIM,),
    judge=rhs_verdicts,
)
