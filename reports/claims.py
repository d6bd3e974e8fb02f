"""What the papers print: config/claims.yaml, read once and checked against its schema."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema
import pandas as pd
import yaml

from fillpath.case import Case
from fillpath.errors import ConfigError, UnknownNameError, suggest
from fillpath.paths import CONFIG
from reports.records import MatrixEntry, find_entry

PAPERS: Mapping[str, str] = {
    "gsofa": "GSoFA (TPDS 2021)",
    "ooclu": "End-to-end LU (PPoPP 2023)",
    "glu3": "GLU3.0",
    "parac": "ParAC (2025)",
}

# The table in which a paper lists its matrices, and its column of names; their abbreviations stand in `abbr`.
MATRICES: Mapping[str, tuple[str, str]] = {
    "gsofa": ("gsofa_table1_matrices", "collection_name"),
    "ooclu": ("ooclu_table2_matrices", "matrix"),
    "glu3": ("glu3_table1_kernel_time", "matrix"),
    "parac": ("parac_table1_matrices", "matrix"),
}

# Matrices of a paper's table that are generated: our name of each.
GENERATED: Mapping[str, Mapping[str, str]] = {
    "parac": {
        "uniform 3D poisson": "poisson3d:243",
        "anisotropic 3D poisson": "poisson3d:243:aniso",
        "high contrast 3D poisson": "poisson3d:243:contrast",
    }
}

# The claim that sets an implementation's bar beside the paper's, and what the ratio's upper side is.
CONCERNS: Mapping[tuple[str, str], tuple[str, str, str]] = {
    ("symbolic", "fill2_cpu"): ("gsofa", "fig10_vs_fill2_cpu", "GSoFA"),
    ("symbolic", "gilbert_peierls"): ("gsofa", "fig11_vs_glu3_symbolic", "GSoFA"),
    ("symbolic", "fill2_gpu"): ("gsofa", "fig10_vs_fill2_gpu", "GSoFA"),
}


@dataclass(frozen=True)
class Claim:
    """One printed claim. data : as claims.yaml has it; numbers are ratios unless `unit` says otherwise."""

    paper: str
    id: str
    data: Mapping[str, Any]

    @property
    def what(self) -> str:
        return str(self.data.get("what", self.id.partition("_")[2].replace("_", " ")))

    @property
    def figure(self) -> str:
        """`fig10` or `table1` where the id begins with one, else an empty string."""
        head = self.id.partition("_")[0]
        return head if head.startswith(("fig", "table")) and head[-1].isdigit() else ""

    @property
    def mean(self) -> float | None:
        value = self.data.get("mean")
        return float(value) if isinstance(value, int | float) else None

    def extreme(self, which: str) -> tuple[str, float] | None:
        """(abbreviation, value) of `max` or `min`, where the paper names the matrix."""
        value = self.data.get(which)
        return next(iter(value.items())) if isinstance(value, Mapping) else None

    def value(self, abbreviation: str) -> float | None:
        """The number printed for one matrix, None where the paper prints none."""
        for key in ("per", "one_node", "max", "min"):
            numbers = self.data.get(key)
            if isinstance(numbers, Mapping) and abbreviation in numbers:
                return float(numbers[abbreviation])
        return None


@functools.cache
def claims() -> Mapping[tuple[str, str], Claim]:
    """Every claim by (paper, id). Raises ConfigError where the file contradicts its schema."""
    loaded = yaml.safe_load((CONFIG / "claims.yaml").read_text())
    schema = json.loads((CONFIG / "schemas" / "claims.json").read_text())
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(loaded))
    if error is not None:
        raise ConfigError(f"config/claims.yaml: {error.json_path}: {error.message}")
    # `names` says what a paper's own names mean here: no claim
    return {
        (paper, id): Claim(paper, id, data)
        for paper, found in loaded.items()
        for id, data in found.items()
        if id != "names"
    }


def claim(paper: str, id: str) -> Claim:
    """The claim of that name. Raises UnknownNameError with suggestions."""
    if (paper, id) not in claims():
        known = [f"{p}.{i}" for p, i in claims()]
        raise UnknownNameError(f"no claim {paper}.{id}{suggest(f'{paper}.{id}', known)}")
    return claims()[paper, id]


@functools.cache
def printed_table(name: str) -> pd.DataFrame:
    """A table as a paper prints it: config/papers/<name>.csv. Callers must not change it."""
    # "NA" and the like are names here, not absent numbers
    return pd.read_csv(CONFIG / "papers" / f"{name}.csv", keep_default_na=False, na_values=[""])


@functools.cache
def abbreviations(paper: str = "gsofa") -> Mapping[str, str]:
    """The paper's abbreviation of each matrix that its table lists, in its order, by the collection's name
    without the group, or our name where it is generated; the printed name where the paper abbreviates none.
    """
    table, column = MATRICES[paper]
    rows = printed_table(table)
    printed = [str(name).rpartition("/")[2] for name in rows[column]]
    names = [GENERATED.get(paper, {}).get(name, name) for name in printed]
    return dict(zip(names, map(str, rows["abbr"]) if "abbr" in rows else printed, strict=True))


def abbreviation(entry: MatrixEntry | None, paper: str = "gsofa") -> str | None:
    """The paper's abbreviation of a matrix that its table lists, None for any other; never of a stand-in."""
    table, column = MATRICES[paper]
    if entry is not None and entry.name in GENERATED.get(paper, {}).values():
        return abbreviations(paper)[entry.name]
    if entry is None or not entry.group:
        return None
    names = printed_table(table)[column]
    # A table without groups says only what it is called: the catalogue knows whose it is.
    bare = (names == entry.name).any() and paper in entry.papers
    known = bare or (names == f"{entry.group}/{entry.name}").any()
    return abbreviations(paper)[entry.name] if known else None


def paper_figure(case: Case, entries: Iterable[MatrixEntry]) -> str:
    """What the paper prints over this case: its matrix's own ratio, else the mean; `-` for neither."""
    entry = find_entry(case.matrix, entries)
    concerned = CONCERNS.get((case.stage, case.implementation))
    if entry is None or concerned is None:
        return "-"
    paper, id, over = concerned
    found, short = claim(paper, id), abbreviation(entry)
    value = found.value(short) if short else None
    if value is not None:
        return f"{over}: {value:g}x"
    if found.mean is None or not (short or abbreviations().keys() & set(entry.stands_for)):
        return "-"
    return f"{over}: {found.mean:g}x (mean)"
