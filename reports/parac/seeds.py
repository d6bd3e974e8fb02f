"""The text's robustness: how far iterations and time depend on the seed."""

import pandas as pd

from reports.exhibit import Exhibit, Subset
from reports.parac.orderings import first_names
from reports.parac.solution import RULE, SPAN, solved
from reports.shapes.axes import Panels
from reports.shapes.beside import PanelRow, Step
from reports.verbs import ENDS, with_groups

MATRIX = ["label", "preparation"]
SEEDS = [*MATRIX, "implementation"]


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case and seed; `relative`, seconds over the median of the seeds of a run."""
    seeds = cases["case"].str.extract(r"\.seed=(\d+)", expand=False).fillna(0).astype(int)
    places = pd.factorize(cases["case"].str.replace(r"\.seed=\d+", "", regex=True))[0]
    rows = solved(cases).assign(seed=seeds, place=places)
    rows = rows[(rows["status"] != "not_run") | (rows["seed"] == 0)]
    rows = with_groups(rows.sort_values(["place", "seed"]))
    of_run = rows.groupby([*SEEDS, "run_id", "host"], dropna=False)["median"]
    return rows.drop(columns="place").assign(relative=rows["median"] / of_run.transform("median"))


def by_matrix(frame: pd.DataFrame) -> list[Subset]:
    """Return each matrix's least over most iterations of any seed, of the code where that is least."""
    ok = frame[frame["status"] == "ok"].groupby(SEEDS)["iterations"]
    spread = (ok.min() / ok.max()).where(ok.size() > 1).groupby(level=MATRIX).min()
    first = frame.drop_duplicates(MATRIX).set_index(MATRIX)
    spread, is_known = spread.reindex(first.index), first.index.isin(spread.index)
    status = first["status"].mask(is_known, "one seed").mask(spread.notna(), "ok")
    return [Subset(first.assign(iterations=spread, status=status).reset_index())]


def drawn(frame: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and code: iterations of its seeds, and how far `apart` the times are."""
    of_seeds = frame[frame["status"] == "ok"].groupby(SEEDS)
    ends = zip(ENDS, ("median", "min", "max"), strict=True)
    spread = {f"iterations{end}": of_seeds["iterations"].agg(how) for end, how in ends}
    spread["apart"] = of_seeds["relative"].max() / of_seeds["relative"].min()
    first = frame.iloc[(frame["status"] != "ok").argsort(kind="stable")].drop_duplicates(SEEDS)
    return first_names(first.drop(columns="iterations").join(pd.DataFrame(spread), on=SEEDS))


def row(label: str, value: str, form: str, even: float | None = None) -> PanelRow:
    """Return a panel with a point for each code."""
    steps = [Step(code, value, {"series": code}) for code in ("parac_cpu", "parac_gpu")]
    return PanelRow(label, steps, {}, status="status", even=even, points=True, form=form.format)


EXHIBIT = Exhibit(
    "iterations and time by seed",
    frame,
    Panels(
        [row("iterations", "iterations", "{:g}"), row("most over least time", "apart", "{:.2f}x", 1.0)],
        8.5,
        drawn,
    ),
    f"""By the seeds of the sampling and of the ordering's ties. Iterations: medians, whiskers from least to
    most. Time: {SPAN}. Of one seed the CPU's and the GPU's factor are the same. {RULE}""",
    more_claims=("run_to_run",),
    subsets={"by_matrix": by_matrix},
    one_run=False,
)
