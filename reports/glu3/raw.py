"""Beyond the paper: from the raw matrix to x."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.glu3.solutions import PARTS as SOLVED
from reports.glu3.solutions import add_way, draw_solutions, unavailable, with_parts, with_preparation
from reports.shapes.stacked import Part, with_shares
from reports.verbs import fact, phase_medians, with_groups

PARTS = (
    Part("matching", "matching, scaling", "#ddcc77"),
    Part("permutation", "permuting", "#999933"),
    Part("transfer", "to the GPU and back", "#000000"),
    *SOLVED,
)
# Parts of a preparation and its phases.
_PREPARED = {f"seconds_{name}": [name] for name in ("ordering", "permutation")}
_PREPARED["seconds_matching"] = ["matching", "scaling"]


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per solution: seconds from the raw matrix to x, of each part and of the `solution`."""
    rows = with_parts(with_preparation(cases))
    before = phase_medians(rows.assign(runs=rows["before_runs"]), _PREPARED)
    # A peer is given the matrix as it comes.
    ok, is_prepared = rows["status"] == "ok", rows["preparation"] != "natural"
    sums = {name: before[name].add(fact(rows, name), fill_value=0.0).where(ok) for name in _PREPARED}
    rows = add_way(rows.assign(solution=rows["median"]), is_prepared).assign(
        **sums,
        seconds_transfer=rows["transfers"],
        height=rows["before_height"],
        entries_lu=rows["before_counted_entries"],
        series=rows["series"] + (", " + rows["ordering"]).where(is_prepared, ""),
    )
    return with_shares(rows.assign(group=with_groups(rows.assign(preparation=""))["group"]), PARTS)


CAPTION = """Solutions of A x = b for an unordered matrix, as sums of medians. lu_cpu and direct_gpu include
    the preparation on all cores. Peers take the matrix unordered.{absent}"""
SHAPE = draw_solutions(PARTS, "raw matrix to x, seconds (log)", 8.5)
SPAN = "preparation, transfers and solution, without making b"
EXHIBIT = Exhibit(frame, SHAPE, CAPTION, lambda frame: {"absent": unavailable(frame)}, span=SPAN)
