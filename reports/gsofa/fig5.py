"""Figure 5: memory of the auxiliary data structures over the matrix's."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.gsofa.memory import PRINTED_WORDS, WORD, device_bytes, told, with_and_without
from reports.shapes.beside import BesidePrint, PanelRow, Step
from reports.verbs import beside, fact, first_failure, in_papers_order

DATA = subject("gsofa", "fig5_auxiliary_memory")
WHEN = {"before": "", "after": "other_"}
PRINTED = {when: DATA[when]["max"] | DATA[when]["min"] for when in WHEN}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix: auxiliary bytes over the matrix's, `before`, `after` and by `table2`."""
    rows = with_and_without(cases)
    rows["bytes_matrix"] = fact(rows, "bytes_matrix")
    for when, prefix in WHEN.items():
        rows[f"bytes_{when}"] = device_bytes(rows, prefix)
        rows[when] = rows[f"bytes_{when}"] / fact(rows, f"{prefix}bytes_matrix")
    words = PRINTED_WORDS.sum() * rows["n"].astype(float) * fact(rows, "concurrent_sources")
    rows = rows.assign(table2=WORD * words / rows["bytes_matrix"], reduction=rows["before"] / rows["after"])
    both = [told(rows, "before"), told(rows, "after", status="other_status")]
    rows = rows.assign(both=first_failure(pd.concat(both, axis=1)))
    return in_papers_order(beside(rows, "gsofa", pd.DataFrame(PRINTED).add_prefix("paper_")), "gsofa")


LABEL, OVER = "auxiliary memory over\nthe matrix's (log axis)", "before over after"
STEPS = [Step("before", "before"), Step("after", "after"), Step("6 n words", "table2")]
ROW = PanelRow(LABEL, STEPS, PRINTED, status="both", even=None, log=True)
REDUCTION = PanelRow(OVER, [Step(OVER, "reduction")], {OVER: DATA["reduction"]}, status="both")
CAPTION = """Device bytes of fill, maxId and queues over bytes of the matrix's structure, at the authors'
    number of sources. Before: all space optimisations off. After: all on, with queues of n / 8 entries. 6 n
    words of each source: from Table 2."""
EXHIBIT = Exhibit(frame, BesidePrint([ROW, REDUCTION], "printed: one V100"), CAPTION)
