"""Examples in the heads of impl/: each long module has one, and what runs on a host gives what it says."""

import ast
import importlib
import re
import textwrap
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from fillpath.nouns import Pattern
from fillpath.paths import ROOT
from impl.cholesky.ac_sequential import ac_sequential
from impl.cholesky.graph import from_edges
from impl.laplacian.system import system
from impl.multifrontal.fronts_cpu import fronts_of_matrix
from impl.symbolic.elimination_tree import elimination_tree
from impl.symbolic.factor_counts_cpu import factor_counts
from impl.symbolic.front_alone_cpu import eliminate_alone
from impl.symbolic.fronts_cpu import fronts_of
from tests.test_multifrontal_gpu import grid, prepared_of

LONG = [
    str(path.relative_to(ROOT))
    for path in sorted((ROOT / "impl").rglob("*.py"))
    if path.read_text().count("\n") > 150
]
# Examples that need a card, a library or other modules' objects only have to be code.
SHOWN = re.compile(
    "/peers/|/cuda/|_gpu|bitfronts|amgx|cudss|gsofa_(device|multi|sharing)|vcycle/(cut|halves|separators)"
)
PREPARED = prepared_of(grid(8))
NAMES = {
    "np": np, "csr_array": csr_array, "Pattern": Pattern, "prepared": PREPARED, "pattern": PREPARED.pattern,
    "ac_sequential": ac_sequential, "from_edges": from_edges, "system": system, "fronts_of": fronts_of,
    "fronts_of_matrix": fronts_of_matrix, "elimination_tree": elimination_tree,
    "factor_counts": factor_counts, "eliminate_alone": eliminate_alone,
}  # fmt: skip


def equal(found: Any, expected: Any) -> bool:
    if isinstance(expected, tuple):
        return len(found) == len(expected) and all(map(equal, found, expected))
    return np.array_equal(np.asarray(found), np.asarray(expected))


@pytest.mark.parametrize("path", LONG)
def test_an_example_gives_what_it_says(path: str) -> None:
    head = ast.get_docstring(ast.parse((ROOT / path).read_text())) or ""
    example = textwrap.dedent(re.split(r"\n\n(?=    )", head)[-1])
    lines, body = example.splitlines(), ast.parse(example).body
    names = NAMES | vars(importlib.import_module(path[:-3].replace("/", ".")))
    for statement in () if SHOWN.search(path) else body:
        code = ast.unparse(statement)
        said = lines[(statement.end_lineno or 1) - 1].partition("    # ")[2].partition(": ")[0]
        if isinstance(statement, ast.Expr) and said:
            assert equal(eval(code, names), eval(said, names)), code
        else:
            exec(code, names)
