"""What tests of figures share: frames of made records, and the texts of a drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from fillpath.case import Case
from fillpath.record import Record
from reports.facts.records import Records
from tests.test_reports import FACTS


def counting(**facts: float | None) -> dict[str, Any]:
    """The work of a record with these facts in place of FACTS' own; None leaves one out."""
    known = {name: value for name, value in {**FACTS, **facts}.items() if value is not None}
    return {"edges": 10**8, "fills": 10**6, "facts": known}


def made_frame(
    function: Any, entries: Sequence[Any], records: Sequence[Record], more: Sequence[Case] = ()
) -> pd.DataFrame:
    """The figure's frame from these records, and cases without one."""
    cases = [*(Case.parse(record.case) for record in records), *more]
    frame = function(Records(tuple(records)), entries, list(dict.fromkeys(cases)))
    assert isinstance(frame, pd.DataFrame)
    return frame


def texts(axes: Any) -> str:
    return "\n".join([axes.get_title(loc="left"), *(text.get_text() for text in axes.texts)])


def names(axes: Any) -> list[str]:
    return [label.get_text() for label in axes.get_xticklabels()]


def one(frame: pd.DataFrame) -> Mapping[Any, Any]:
    """The only row that is of a case."""
    (row,) = frame[frame["case"].notna()].to_dict("records")
    return row
