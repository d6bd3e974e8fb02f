"""Who launches the levels."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.shapes.axes import Panels
from reports.shapes.bars import ends, seconds
from reports.shapes.beside import PanelRow, Step
from reports.verbs import on, over, with_groups

COOPERATIVE, CORE = "kahn_gpu", "glu3_relaxed"
TAIL, HOST = f"{COOPERATIVE}.driver=tail_launch", f"{COOPERATIVE}.driver=host"
WAYS = {
    COOPERATIVE: "one cooperative launch",
    TAIL: "tail launches, a level each",
    HOST: "launches of the host, a level each",
    CORE: "glu3_relaxed, one core",
}
STEPS = [Step(name, "median", {"variant": way}) for way, name in WAYS.items()]
ROW = PanelRow("seconds (log)", STEPS, {}, status="status", even=None, log=True, form=seconds)


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case: `ratio` over the cooperative launch; `host_ratio`, host over tail launches."""
    rows = with_groups(cases.assign(series=cases["variant"].map(WAYS)))
    host, tail, cooperative = (rows[rows["variant"] == way] for way in (HOST, TAIL, COOPERATIVE))
    over_tail = over(host, on(host, tail), ("", "tail launches")).add_prefix("host_")
    return rows.join(over(rows, on(rows, cooperative), ("", COOPERATIVE))).join(over_tail)


def facts(frame: pd.DataFrame) -> dict[str, str]:
    """Return by how much the others take longer, empty where no ratio is known."""
    others = frame[(frame["pair"] == "ok") & (frame["variant"] != COOPERATIVE)]
    texts = [f"{way}: {ends(rows['ratio'])}" for way, rows in others.groupby("series", sort=False)]
    moved = others.loc[others["variant"] == CORE, "moved_ratio"].dropna()
    texts += [f"with transfers {ends(moved)}"] if len(moved) else []
    return {"over": f"Over one cooperative launch, in one run: {'; '.join(texts)}." if texts else ""}


CAPTION = """Levels of the relaxed dependencies. The paper launches each level from the device, expects less
    time than from the host, and prints no number. {over}"""
EXHIBIT = Exhibit(frame, Panels([ROW], 6.5), CAPTION, facts, span="from F to its levels, both resident")
