"""docs/fronts.svg: its example shows every step, its steps are right, and its texts have room.

tests/test_bitfronts_example.py holds the committed one against today's.
"""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from fillpath.nouns import Array
from fillpath.paths import ROOT
from impl.multifrontal.fronts_cpu import fronts_of_matrix, merged
from impl.multifrontal.solve_cpu import solved
from impl.symbolic.elimination_tree import elimination_tree
from impl.symbolic.factor_counts_cpu import factor_counts
from impl.symbolic.fronts_cpu import fronts_of
from reports.frames.fronts_example import SHOWN, System, ValuedFront, system
from reports.pages import bitfronts_marks as marks
from reports.pages import fronts_picture, fronts_tasks
from reports.pages.fronts_cells import shown as number
from reports.pages.fronts_cells import sum_shown
from reports.pages.fronts_picture import PANELS, captions
from tests.patterns import from_dense


@pytest.fixture(scope="module")
def shown() -> System:
    return system()


def left_over(values: Array, first: list[int]) -> Array:
    """What is left of A once these are eliminated, of all rows and columns; theirs are 0."""
    rest = [v for v in range(len(values)) if v not in first]
    left = np.zeros_like(values)
    block = values[np.ix_(rest, first)] @ np.linalg.solve(
        values[np.ix_(first, first)], values[np.ix_(first, rest)]
    )
    left[np.ix_(rest, rest)] = values[np.ix_(rest, rest)] - block
    return left


def subtree(shown: System, front: int) -> list[int]:
    """The vertices of a front and of the fronts below it."""
    below = [child for child, parent in enumerate(shown.parents) if parent == front]
    own = list(shown.fronts[front].members[: shown.fronts[front].pivots])
    return own + [vertex for child in below for vertex in subtree(shown, child)]


def passed_up(shown: System, front: int) -> Array:
    """(n, n): what a front and those below it add to A's values beyond their pivots."""
    eliminated = subtree(shown, front)
    rest = [v for v in range(len(shown.values)) if v not in eliminated]
    change = np.zeros_like(shown.values)
    left = left_over(shown.values, eliminated) - shown.values
    change[np.ix_(rest, rest)] = left[np.ix_(rest, rest)]
    return change


def at(front: ValuedFront) -> tuple[Array, ...]:
    return np.ix_(front.members, front.members)


def test_the_system_is_that_of_the_other_picture_with_small_integers(shown: System) -> None:
    assert np.array_equal(shown.values != 0, shown.bits.entries)
    assert np.array_equal(shown.values, shown.values.round()) and np.abs(shown.values).max() < 10
    beside = np.abs(shown.values).sum(axis=1) - np.diag(shown.values)
    assert (np.diag(shown.values) > beside).all()
    assert (shown.values != shown.values.T).any()


def test_x_solves_the_system_and_is_readable(shown: System) -> None:
    assert np.allclose(shown.x, np.linalg.solve(shown.values, shown.b), rtol=1e-13)
    assert np.array_equal(solved(shown.factor, shown.b), shown.x)
    assert np.allclose(shown.x, shown.x.round(), atol=1e-12) and len(set(shown.x.round())) > 3


def test_an_assembled_front_is_a_and_what_the_children_leave(shown: System) -> None:
    for k, front in enumerate(shown.fronts):
        entries = shown.values[at(front)].copy()
        entries[front.pivots :, front.pivots :] = 0
        assert np.array_equal(front.entries, entries)
        children = [child for child, parent in enumerate(shown.parents) if parent == k]
        assert [part.child for part in front.contributions] == children
        below = sum((passed_up(shown, child) for child in children), np.zeros_like(shown.values))
        assert np.allclose(front.before, entries + below[at(front)], rtol=0, atol=1e-13)
        outside = below.copy()
        outside[at(front)] = 0
        assert not outside.any(), "children reach the front alone"


def test_places_are_the_rows_of_the_childs_list(shown: System) -> None:
    for front in shown.fronts:
        for part in front.contributions:
            child = shown.fronts[part.child]
            members = np.array(front.members)[part.places]
            assert members.tolist() == list(child.members[child.pivots :])
            assert np.array_equal(part.values, child.after[child.pivots :, child.pivots :])
            assert np.array_equal(part.passed, child.forward[child.pivots :])


def test_a_contribution_is_what_dense_elimination_leaves(shown: System) -> None:
    for k, front in enumerate(shown.fronts):
        left = passed_up(shown, k)[at(front)][front.pivots :, front.pivots :]
        assert np.allclose(front.after[front.pivots :, front.pivots :], left, rtol=0, atol=1e-13)


def test_l_u_of_all_fronts_is_a(shown: System) -> None:
    n = len(shown.values)
    lower, upper = np.eye(n), np.zeros((n, n))
    label = shown.bits.label
    for front in shown.fronts:
        labels, s = label[list(front.members)], front.pivots
        lower[np.ix_(labels, labels[:s])] += np.tril(front.after, -1)[:, :s]
        upper[np.ix_(labels[:s], labels)] += np.triu(front.after)[:s]
    permuted = np.zeros((n, n))
    permuted[np.ix_(label, label)] = shown.values
    assert np.array_equal(lower, np.tril(lower)) and np.array_equal(upper, np.triu(upper))
    assert np.allclose(lower @ upper, permuted, rtol=0, atol=1e-13)
    y = np.concatenate([front.forward[: front.pivots] for front in shown.fronts])
    b = np.empty(n)
    b[label] = shown.b
    assert np.allclose(y, np.linalg.solve(lower, b), rtol=1e-12)


def test_right_hand_sides_go_up_and_x_comes_down(shown: System) -> None:
    for k, front in enumerate(shown.fronts):
        s, members = front.pivots, list(front.members)
        given = np.where(np.arange(len(members)) < s, shown.b[members], 0.0)
        for part in front.contributions:
            np.add.at(given, part.places, shown.fronts[part.child].forward[shown.fronts[part.child].pivots :])
        assert np.allclose(front.given, given, rtol=1e-13)
        eliminated = subtree(shown, k)
        solution = np.linalg.solve(shown.values[np.ix_(eliminated, eliminated)], shown.b[eliminated])
        u = -shown.values[np.ix_(members[s:], eliminated)] @ solution
        assert np.allclose(front.forward[s:], u, rtol=0, atol=1e-12)
        upper = np.triu(front.after)[:s]
        assert np.allclose(upper @ front.x, front.forward[:s], rtol=0, atol=1e-12)
        assert np.array_equal(front.x, shown.x[members])


def test_values_are_zero_where_bits_are(shown: System) -> None:
    for front, bits in zip(shown.fronts, shown.bits.fronts, strict=True):
        assert np.array_equal(front.before != 0, bits.before)
        assert np.array_equal(front.after != 0, bits.after)


def test_mergers_are_those_of_the_rule(shown: System) -> None:
    tree = elimination_tree(from_dense(shown.values != 0))
    unmerged = fronts_of(tree, factor_counts(tree), leaf=1, chain=0)
    last = merged(unmerged.first.astype(np.int64), unmerged.parent.view(np.int32), unmerged.start, 0)
    joins = {merger.child for merger in shown.mergers if merger.joins}
    assert joins == set(range(len(shown.fronts))) - set(last.tolist())
    assert {merger.joins for merger in shown.mergers} == {True, False}
    for merger in shown.mergers:
        first = merger.child
        while first - 1 in joins:
            first -= 1
        parts = [shown.fronts[k] for k in range(first, merger.child + 2)]
        columns = [v for front in parts for v in front.members[: front.pivots]]
        height = len({v for front in parts for v in front.members})
        held = sum(front.pivots * len(front.members) for front in parts)
        within = sum(
            f.pivots * sum(g.pivots for g in parts[:k]) for k, f in enumerate(parts)
        )  # rows of the pivots before, which no rule counts
        assert merger.entries == (len(columns) - parts[-1].pivots) * height
        assert merger.zeros == len(columns) * height - held - within


def test_by_the_rules_it_would_be_one_front(shown: System) -> None:
    assert len(fronts_of_matrix(shown.factor.fronts.prepared).up) == 1


def test_fronts_begin_after_their_children_and_some_side_by_side(shown: System) -> None:
    for front, above in enumerate(shown.parents):
        assert above < 0 or shown.begins[front] < shown.begins[above]
    turn = {front: place for place, front in enumerate(shown.order)}
    assert all(turn[front] < turn[above] for front, above in enumerate(shown.parents) if above >= 0)
    for begin in (0, 1):
        assert shown.begins.count(begin) > 1, "the caption names those that run side by side"


def test_the_front_shown_has_a_child_apart_and_a_list_and_a_parent_of_several(shown: System) -> None:
    front = shown.fronts[SHOWN]
    (part,) = front.contributions
    assert np.diff(part.places).max() > 1 and part.places[0] < front.pivots <= part.places[-1]
    assert front.pivots > 1 and front.after[front.pivots :, front.pivots :].any()
    sums = (front.entries != 0) & (front.before != front.entries)
    assert sums.any(), "some cell is a sum of two"
    parent = shown.fronts[shown.parents[SHOWN]]
    assert len(parent.contributions) > 1
    assert any(part.passed.any() for part in parent.contributions)


def test_no_number_is_near_the_middle_of_two_that_are_shown(shown: System) -> None:
    """The last place does not depend on a machine's rounding."""
    for front in shown.fronts:
        for values in (front.before, front.after, front.given, front.forward):
            rest = np.abs(values * 100 % 1 - 0.5)
            exact = values * 8 == np.round(values * 8)
            assert (exact | (rest > 1e-6)).all()
            assert ((values == 0) | (np.abs(values) >= 0.005)).all()


def test_numbers_and_sums_are_written_as_read() -> None:
    assert [number(v) for v in (8.0, 0.5, -0.25, 1 / 3, 10.0)] == ["8", "0.5", "−0.25", "0.33", "10"]
    assert sum_shown((8, -0.5)) == "8 − 0.5" and sum_shown((0, 2)) == "2" and sum_shown((1, 2)) == "1 + 2"


def test_tasks_are_of_the_kernels_sizes() -> None:
    text = (ROOT / "impl" / "cuda" / "multifrontal.cuh").read_text()
    for name in ("PANEL", "TILE", "ASSEMBLED"):
        (value,) = re.findall(rf"constexpr int (?:\w+ = \d+, )*{name} = (\d+)", text)
        assert getattr(fronts_tasks, name) == int(value)


def boxes(axes: Axes) -> list[tuple[str, Bbox]]:
    """The texts and what they fill, in inches from the upper left corner."""
    figure = axes.figure
    figure.draw_without_rendering()
    texts = [text for text in axes.texts if text.get_text() and not isinstance(text, Annotation)]
    to_inches = axes.transData.inverted()
    return [(text.get_text(), text.get_window_extent().transformed(to_inches)) for text in texts]


@pytest.mark.parametrize("place", range(len(PANELS)))
def test_a_panel_has_something_to_show_and_stays_within_its_room(shown: System, place: int) -> None:
    panel, lines = PANELS[place], captions(shown)[place]
    _, axes = marks.page(fronts_picture.WIDTH, fronts_picture.HEIGHT)
    marks.heading(axes, panel.x, panel.y, panel.title, lines)
    written = len(axes.texts)
    panel.draw(axes, shown, panel.x + 0.22, panel.y + panel.down)
    assert len(axes.texts) > written + 10 and axes.patches and 1 < len(lines) <= 4
    for text, box in boxes(axes):
        xs, ys = sorted((box.x0, box.x1)), sorted((box.y0, box.y1))
        assert panel.x - 0.01 <= xs[0] and xs[1] <= panel.x + panel.width + 0.01, text
        assert panel.y - 0.12 <= ys[0] and ys[1] <= panel.y + panel.height + 0.01, text


def test_panels_and_texts_do_not_overlap(shown: System) -> None:
    for one, other in itertools.combinations(PANELS, 2):
        beside = one.x + one.width <= other.x or other.x + other.width <= one.x
        assert beside or one.y + one.height <= other.y or other.y + other.height <= one.y
    texts = boxes(fronts_picture.system_figure(shown).axes[0])
    # What a font leaves around its letters.
    rim = 0.03
    for (one, first), (other, second) in itertools.combinations(texts, 2):
        shared = Bbox.intersection(first, second)
        assert shared is None or min(abs(shared.width), abs(shared.height)) <= rim, (one, other)
