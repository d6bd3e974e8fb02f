"""Predictions of a call from records: the median per entry of the NEAREST records in size.

The size of a case is the entries of L + U, or of the matrix in a stage that has no L + U.

    known = Predictions(records, "h200")
    known.call(Case.parse("symbolic.gsofa@audikw_1.metis"), "gpu", size=2.4e9)   # seconds, bytes, lender
"""

import functools
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.checks.residuals import BACKWARD
from fetch import catalogue
from fillpath.case import Case
from fillpath.paths import CONFIG
from fillpath.record import Record
from fillpath.stages import stage_of

# Records whose median predicts a call, and how far the nearest may lie in size, as a logarithm.
NEAREST, FAR = 5, np.log(100)
# The first lender with a record within FAR predicts a case, else the first with any. Its records share these
# columns with the case.
_LENDERS: Mapping[str, list[str]] = {
    "this case": ["machine", "kind", "input"],
    "own": ["machine", "kind"],
    "other options": ["machine", "stage", "implementation"],
    "another machine": ["stage", "kind"],
    "another code": ["stage", "device"],
}
_SHARED = ["machine", "kind", "stage", "implementation", "device", "input"]
_COLUMNS = [*_SHARED, "case", "family", "n", "nnz", "filled", "seconds", "memory"]


class Predictions:
    """Predictions for a run on one machine, from the records of all machines."""

    def __init__(self, records: Iterable[Record], machine: str) -> None:
        rows = pd.DataFrame([_row(r) for r in records if r.median and r.prepared], columns=_COLUMNS)
        counted = rows.dropna(subset=["filled"]).drop_duplicates("input", keep="last")
        scales = counted["filled"] / (counted["nnz"] * counted["n"] ** (1 / 3))
        self._machine = machine
        self._counted = counted.set_index("input")["filled"].to_dict()
        self._scales = scales.groupby(counted["family"]).median().to_dict()
        shapes = zip(rows["case"], rows["n"], rows["nnz"], strict=True)
        sizes = pd.Series([self.size(*shape)[0] for shape in shapes], rows.index, dtype=float)
        # Below a million entries, a process grows by its libraries.
        memory = (rows["memory"] / sizes).where(sizes >= 1e6, 0.0).fillna(0.0)
        self._rows = rows.assign(size=sizes, each=rows["seconds"] / sizes, bytes=memory)
        self._table = self._rows.to_records(index=False)
        self._places = {lender: self._rows.groupby(columns).indices for lender, columns in _LENDERS.items()}

    def size(self, case: Case, n: int, nnz: int) -> tuple[float, str]:
        """Return the size of a case on a matrix of n rows and nnz entries, and how it is known.

        An assumed L + U grows like nnz n^(1/3), as on a body in nested dissection (George 1973), times the
        median of counted matrices of its kind. Without these it grows like nnz log(n), as on a surface.
        """
        name, scale = _shared(case, "", "")["input"], self._scales.get(_family(case))
        if case.stage == "preparation" or stage_of(case.stage).on_graph:
            return float(nnz), "graph"
        if name in self._counted:
            return self._counted[name], "counted"
        if case.matrix in _printed():
            return nnz * _printed()[case.matrix], "printed"
        filled = nnz * float(np.log(n)) if scale is None else scale * nnz * n ** (1 / 3)
        return max(float(nnz), filled), "assumed"

    def call(self, case: Case, device: str, size: float, unseen: bool = False) -> tuple[float, float, str]:
        """Return a call's seconds, the bytes by which its process grows on the host, and the lender.

        The seconds are NaN without any record of the stage. unseen : leave out records of the case's input.
        """
        shared, first = _shared(case, self._machine, device), None
        for lender, columns in _LENDERS.items():
            lent = self._table[self._places[lender].get(tuple(shared[name] for name in columns), [])]
            if unseen:
                lent = lent[lent["input"] != shared["input"]]
            if len(lent):
                distance = np.abs(np.log(lent["size"] / size))
                near = lent[np.argsort(distance, kind="stable")[:NEAREST]]
                found = float(size * np.median(near["each"])), float(size * np.median(near["bytes"])), lender
                if distance.min() <= FAR:
                    return found
                first = first or found
        return first or (np.nan, 0.0, "none")

    def checks(self) -> pd.DataFrame:
        """Return each call measured on the machine, with the prediction of the records of other inputs.

        The columns are case, measured and predicted in seconds, and factor, by which they differ, at least 1.
        """
        own = self._rows[self._rows["machine"] == self._machine]
        calls = zip(own["case"], own["device"], own["size"], strict=True)
        predicted = [self.call(*call, unseen=True)[0] for call in calls]
        names = [case.name for case in own["case"]]
        checks = pd.DataFrame({"case": names, "measured": own["seconds"], "predicted": predicted}).dropna()
        return checks.assign(factor=np.exp(np.abs(np.log(checks["predicted"] / checks["measured"]))))


def _row(record: Record) -> dict[str, Any]:
    case, prepared, fills = Case.parse(record.case), record.prepared or {}, (record.work or {}).get("fills")
    # Codes that are checked by a residual may store more than L + U; a graph's code stores another factor.
    by_residual = record.verified is not None and record.verified.method in (BACKWARD, "relative residual")
    counted = fills is not None and not by_residual and not stage_of(case.stage).on_graph
    return {
        **_shared(case, record.machine, "gpu" if record.device else "cpu"),
        "case": case,
        "family": _family(case),
        "n": prepared.get("n", 1),
        "nnz": prepared["nnz"],
        "filled": fills + prepared["nnz"] if counted else np.nan,
        "seconds": record.median,
        "memory": np.nan if record.device else record.peak_memory,
    }


def _shared(case: Case, machine: str, device: str) -> dict[str, Any]:
    kind, name = replace(case, seed=0).name.partition("@")[0], f"{case.matrix}.{case.preparation.name}"
    return dict(zip(_SHARED, (machine, kind, case.stage, case.implementation, device, name), strict=True))


def _family(case: Case) -> str:
    return getattr(catalogue.find(case.matrix), "kind", "")


@functools.cache
def _printed() -> Mapping[Any, float]:
    """Return entries of L + U over those of the matrix, as GSoFA and GLU3.0 print them."""
    gsofa = pd.read_csv(CONFIG / "papers" / "gsofa_table1_matrices.csv")
    glu3 = pd.read_csv(CONFIG / "papers" / "glu3_table1_kernel_time.csv", index_col="matrix")
    fills = zip(gsofa["collection_name"].str.rpartition("/")[2], 1 + gsofa["fillins_per_nnz"], strict=True)
    return (glu3["nnz_filled"] / glu3["nz"]).to_dict() | dict(fills)
