"""docs/bitfronts.svg: it is today's, its example shows every step, and its steps are right."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from commands import main
from commands.maintain import example as command
from fillpath import registry
from fillpath.nouns import Array
from fillpath.paths import ROOT
from impl.symbolic.elimination_tree import elimination_tree
from impl.symbolic.factor_counts_cpu import factor_counts
from reports.frames.bitfronts_example import Example, example
from tests.patterns import from_dense, to_dense


@pytest.fixture(scope="module")
def shown() -> Example:
    return example()


def fill(dense: Array) -> Array:
    return to_dense(registry.lookup("symbolic", "fill1").function(from_dense(dense))[0])


def test_the_committed_pictures_are_todays() -> None:
    # As a user would: other tests of this process may have changed what matplotlib measures text by.
    check = [sys.executable, "-m", "fillpath", "maintain", "example", "--check"]
    assert subprocess.run(check, cwd=ROOT, check=False).returncode == 0


@pytest.mark.parametrize("name", ["bitfronts.svg", "fronts.svg"])
def test_an_outdated_picture_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    pictures = command._pictures()
    monkeypatch.setattr(command, "ROOT", tmp_path)
    monkeypatch.setattr(
        command, "_pictures", lambda: dict.fromkeys(pictures, lambda path: path.write_text("<svg>"))
    )
    assert main(["maintain", "example", "--check"]) == 1 and not list(tmp_path.iterdir())
    (tmp_path / "docs").mkdir()
    assert main(["maintain", "example"]) == 0
    assert main(["maintain", "example", "--check"]) == 0
    (tmp_path / "docs" / name).write_text("<svg >")
    assert main(["maintain", "example", "--check"]) == 1


def test_entries_have_no_mirror(shown: Example) -> None:
    alone = shown.both & ~shown.entries
    assert alone.any() and (alone & shown.filled).any() and (alone & ~shown.filled).any()


def test_two_subtrees_meet_in_a_separator_and_the_order_is_no_postorder(shown: Example) -> None:
    parents = [front.parent for front in shown.fronts]
    (root,) = [number for number, parent in enumerate(parents) if parent is None]
    assert parents.count(root) == 2 and shown.fronts[root].pivots > 1
    assert (shown.label != np.arange(len(shown.label))).any()


def test_a_row_subtree_has_two_leaves_that_meet_below_the_row(shown: Example) -> None:
    first, second = shown.leaves
    assert first.branch == shown.row and second.branch in first.path
    columns = np.flatnonzero(shown.both[shown.row, : shown.row])
    assert set(columns) > {first.vertex, second.vertex}, "some entries are no leaves"


def test_a_front_has_two_pivots_a_list_and_fill(shown: Example) -> None:
    chosen = [front for front in shown.fronts if front.pivots == 2 and len(front.members) > 2]
    assert any((front.after & ~front.before)[: front.pivots].any() for front in chosen)


def test_contributions_are_spread_and_overlap(shown: Example) -> None:
    places = [contribution.places for front in shown.fronts for contribution in front.contributions]
    assert any(np.diff(place).max() > 1 for place in places)
    pairs = [front.contributions for front in shown.fronts if len(front.contributions) == 2]
    assert any(np.intersect1d(left.places, right.places).size for left, right in pairs)


def test_bits_stay_zero_though_the_fill_of_both_has_them(shown: Example) -> None:
    zeros = shown.both_filled & ~shown.filled
    assert (zeros & ~shown.both).any() and zeros[shown.row, : shown.row].any()


def test_a_row_of_l_comes_out_of_fronts_whose_columns_alternate(shown: Example) -> None:
    columns = np.flatnonzero(shown.filled[shown.row, : shown.row])
    fronts = shown.front_of[columns]
    changes = np.count_nonzero(np.diff(fronts)) + 1
    assert 2 <= len(set(fronts)) < changes


def test_the_filled_patterns_are_those_of_fill1(shown: Example) -> None:
    assert np.array_equal(shown.filled, fill(shown.entries))
    assert np.array_equal(shown.both_filled, fill(shown.both))


def test_the_tree_and_the_row_subtree_are_those_of_the_fill(shown: Example) -> None:
    upper = np.triu(shown.both_filled, 1)
    assert shown.parent.tolist() == [int(row.argmax()) if row.any() else -1 for row in upper]
    subtree = [vertex for leaf in shown.leaves for vertex in leaf.path]
    assert sorted(subtree) == np.flatnonzero(shown.both_filled[shown.row, : shown.row]).tolist()
    counts = factor_counts(elimination_tree(from_dense(shown.entries)))
    assert len(subtree) == counts.rows[shown.row]


def test_the_bits_of_the_fronts_are_the_filled_pattern(shown: Example) -> None:
    covered = np.zeros_like(shown.filled)
    for front in shown.fronts:
        members = np.ix_(front.members, front.members)
        pivotal = np.zeros_like(front.after)
        pivotal[: front.pivots], pivotal[:, : front.pivots] = True, True
        assert np.array_equal(front.after[pivotal], shown.filled[members][pivotal])
        assert (front.after | ~front.before).all(), "elimination takes nothing away"
        covered[members] |= pivotal
    assert np.array_equal(covered, shown.both_filled), "exact fronts"
