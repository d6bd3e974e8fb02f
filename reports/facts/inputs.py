"""What a figure is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from fillpath.case import Case
from reports.facts.entries import Entries, MatrixEntry, find_entry
from reports.facts.records import Records


@dataclass(frozen=True)
class Inputs:
    """What a frame is made of.

    paper : the id of the paper whose figure it is.
    records : of all machines, or of one.
    entries : the catalogue's.
    cases : those of the figure's experiments.
    """

    paper: str
    records: Records
    entries: Entries
    cases: Sequence[Case]

    def rows(self) -> pd.DataFrame:
        """One row per case and machine, as `Records.frame` has them."""
        return self.records.frame(self.cases)

    def entry(self, matrix: str) -> MatrixEntry | None:
        """The catalogue's entry of a case's matrix."""
        return find_entry(matrix, self.entries)
