"""What docs/bitfronts.md says of the bytes of `bitfronts_gpu` is what the layout of its arenas takes."""

import pytest

from fillpath.registry import HEADERS
from impl.symbolic.bitfronts_analysis import Shape
from impl.symbolic.bitfronts_arena import FRONTS, TREE, front_lengths, tree_lengths
from impl.symbolic.bitfronts_output import SET_BYTES

SECTION = (HEADERS.parents[1] / "docs" / "bitfronts.md").read_text().split("## Memory")[1].split("\n## ")[0]
# Of what is counted; far more than what alignment adds to the arrays.
MANY = 2**20


def tree_bytes(n: int, nnz: int) -> int:
    return int(TREE.starts(tree_lengths(n, nnz, 1))[-1])


def bytes_each(unit: str, columns: bool) -> int:
    """What one more of a unit takes in the part of the fronts."""
    units = dict.fromkeys(("n", "fronts", "entries", "tasks", "panels"), 0)
    # Two tasks are laid out for each front, as `list_fronts` does.
    more = {unit: MANY} | ({"tasks": 2 * MANY} if unit == "fronts" else {})
    few, many = (FRONTS.starts(front_lengths(**units | sizes, columns=columns))[-1] for sizes in ({}, more))
    return round((many - few) / MANY)


def test_the_tree_takes_what_the_page_says() -> None:
    entry = (tree_bytes(MANY, 2 * MANY) - tree_bytes(MANY, MANY)) / MANY
    row = (tree_bytes(MANY, 0) - tree_bytes(0, 0)) / MANY
    tables = MANY.bit_length() - 1
    assert (
        f"| {round(entry)} an entry of A, 4 (log<sub>2</sub> n + {round(row) // 4 - tables}) a row |"
        in SECTION
    )
    assert round(row) % 4 == 0


@pytest.mark.parametrize("columns", [False, True])
def test_fronts_and_lists_take_what_the_page_says(columns: bool) -> None:
    names = {"entries": "list entry", "fronts": "front", "n": "row", "panels": "panel"}
    text = ", ".join(f"{bytes_each(unit, columns)} a {name}" for unit, name in names.items())
    assert f"| {text} |" in SECTION


def test_bits_and_sets_take_what_the_page_says() -> None:
    assert f"and {bytes_each('tasks', False)} for each {Shape().share} of these words" in SECTION
    assert f"2<sup>{SET_BYTES.bit_length() - 1}</sup> at most" in SECTION
    assert SET_BYTES & (SET_BYTES - 1) == 0
