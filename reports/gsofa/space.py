"""What Figure 5, Table 2 and Table 3 share: gsofa with every space optimisation off, and on."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import pandas as pd

from reports.facts.printed import printed_table
from reports.table import NOT_MEASURED
from reports.verbs import on, over_variant, with_option, without

# The device memory of concurrent sources.
MEMORY = ("bytes_fill", "bytes_maxid", "bytes_queue")
# Bytes of a word of the paper's Table 2.
WORD = 4
_SPACE = ("bubble_removal", "dynamic_space", "external_frontiers")


def is_off(variants: pd.Series[str]) -> pd.Series[bool]:
    """Return whether variants have every space optimisation off."""
    return variants.str.fullmatch(rf"gsofa\.{'.*'.join(_SPACE)}.*")


def switched_on(variants: pd.Series[str]) -> pd.Series[str]:
    """Return the variants with every space optimisation on.

    Queues are of 1/8 of n entries per source, the rest is in pinned host memory.
    """
    return with_option(without(variants, *_SPACE), "queue_fraction", "8")


def with_and_without(cases: pd.DataFrame) -> pd.DataFrame:
    """Return the cases with every space optimisation off, and others of their input.

    `other_...` is of the same case with all of them on, `default_...` of gsofa as it runs by default. `told`
    says `ok` where the memory of the first is known; `other_told` and `default_told`, of these two.
    """
    rows = cases[is_off(cases["variant"])]
    found = over_variant(cases, rows, switched_on(rows["variant"]), ("", "space optimisations on"))
    names = (*MEMORY, "bytes_matrix")
    plain = on(rows, cases[cases["variant"] == "gsofa"])
    plain = plain.reindex(columns=["status", "concurrent_sources", *names]).add_prefix("default_")
    rows = rows.join(found).join(plain)
    for prefix in ("", "other_", "default_"):
        rows[f"{prefix}told"] = told(rows, [f"{prefix}{name}" for name in names], f"{prefix}status")
    return rows


def told(rows: pd.DataFrame, names: Sequence[str], status: str = "status") -> pd.Series[str]:
    """Return a status where it is not `ok`, else whether these columns are known."""
    known = rows.reindex(columns=list(names)).notna().all(axis=1)
    return rows[status].fillna("not_run").mask((rows[status] == "ok") & ~known, NOT_MEASURED)


@functools.cache
def printed_words() -> dict[str, int]:
    """Return words per vertex and source of each structure, as Table 2 prints it, by gsofa's facts."""
    table = printed_table("gsofa_table2_space").set_index("structure")["words"]
    queues = [name for name in table.index if name not in ("maxId", "fill")]
    return {
        "bytes_queue": int(table[queues].sum()),
        "bytes_maxid": int(table["maxId"]),
        "bytes_fill": int(table["fill"]),
    }
