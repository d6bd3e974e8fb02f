"""One row per matrix and machine for several variants: which column is of which, and ratios of two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from fillpath.case import Case
from fillpath.dicts import Row
from reports.frames.seconds import RATIO, ratio_of
from reports.frames.variants import by_matrix, number, paired, status_of, variant_of


@dataclass(frozen=True)
class VariantTable:
    """What a row says of the variants of its matrix.

    variants : as experiments write them, by short name.
    values : by column, the column of the variants' rows and the variants; the first that has a number gives
        it.
    ratios : by what their columns begin with, the two variants.
    deciding : the variants whose failure is the row's.
    called : variants that `pair` calls otherwise than experiments do.
    """

    variants: Mapping[str, str]
    values: Mapping[str, tuple[str, ...]]
    ratios: Mapping[str, tuple[str, str]]
    deciding: Sequence[str]
    called: Mapping[str, str] = field(default_factory=dict)

    def rows(self, frame: pd.DataFrame) -> pd.DataFrame:
        """One row per matrix, preparation and machine: `status_<variant>`, the values and ratios, and order,
        entries and samples of the first variant with a result. frame : one row per case and machine."""
        frame["variant"] = [variant_of(Case.parse(case)) for case in frame["case"]]
        return by_matrix(frame, tuple(self.variants.values()), self._numbers)

    @property
    def texts(self) -> list[str]:
        """The columns of text."""
        return [*(f"status_{short}" for short in self.variants), *(f"{prefix}pair" for prefix in self.ratios)]

    @property
    def ratio_columns(self) -> list[str]:
        """The columns of ratios and of what their intervals allow."""
        return [f"{prefix}{name}" for prefix in self.ratios for name in RATIO if name != "pair"]

    def _numbers(self, by_variant: Mapping[str, Row]) -> dict[str, Any]:
        rows = {short: by_variant.get(variant) for short, variant in self.variants.items()}
        statuses = {short: status_of(row) for short, row in rows.items()}
        failed = [statuses[short] for short in self.deciding if statuses[short] != "ok"]
        ok = next((row for row in rows.values() if row is not None and row["status"] == "ok"), None)
        return {
            **{f"status_{short}": status for short, status in statuses.items()},
            **{name: _first(rows, *source) for name, source in self.values.items()},
            **{name: value for prefix in self.ratios for name, value in self._ratio(rows, prefix).items()},
            "status": failed[0] if failed else "ok",
            "n": ok["n"] if ok else None,
            "nz": number(ok, "entries"),
            "samples": ok["samples"] if ok else 0,
        }

    def _ratio(self, rows: Mapping[str, Row | None], prefix: str) -> dict[str, Any]:
        top, bottom = self.ratios[prefix]
        names = {**self.variants, **self.called}
        return paired(prefix, ratio_of(rows[top], rows[bottom], (names[top], names[bottom])))


def _first(rows: Mapping[str, Row | None], column: str, *variants: str) -> float | None:
    numbers = (number(rows[short], column) for short in variants)
    return next((value for value in numbers if value is not None), None)
