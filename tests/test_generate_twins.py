"""Generators that twins are made of: their structure, the symmetry asked for, one name each."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from fetch import names
from fetch.generate import generate
from fillpath.case import Case

BOXES = st.tuples(st.integers(1, 6), st.integers(1, 5), st.integers(1, 4))
REACH = {"hexahedra": lambda d: True, "points": lambda d: sum(map(abs, d)) <= 1}


def pattern_of(name: str) -> csr_array:
    return csr_array(generate(names.parse(name)).astype(bool))


def share_of_mirrored(pattern: csr_array) -> float:
    """Of the entries off the diagonal."""
    ones = pattern.astype(np.int64)
    n = ones.shape[0]
    return float((ones.multiply(ones.T).nnz - n) / (ones.nnz - n))


@st.composite
def network_names(draw: st.DrawFn) -> str:
    keys = {
        "power": draw(st.floats(1.1, 8).map(lambda value: round(value, 2))),
        "seed": draw(st.integers(0, 9)),
        "symmetry": draw(st.floats(0, 1).map(lambda value: round(value, 2))),
        "wires": draw(st.floats(0, 4).map(lambda value: round(value, 2))),
    }
    generator = draw(st.sampled_from(["netlist:40", "harmonic:12", "staged:7"]))
    if generator.startswith("harmonic"):
        keys |= {"harmonics": draw(st.integers(0, 3)), "nonlinear": draw(st.sampled_from([0, 0.5, 1]))}
    if generator.startswith("staged"):
        keys |= {"states": draw(st.sampled_from([0, 0.25, 1, 2.5])), "variables": draw(st.integers(1, 9))}
    return ":".join([generator, *(f"{key}={value!r}" for key, value in keys.items())])


@st.composite
def box_names(draw: st.DrawFn) -> str:
    box = "x".join(map(str, draw(BOXES)))
    stencil = draw(st.sampled_from(names.STENCILS))
    symmetry = round(draw(st.floats(0, 1)), 2)
    return f"mesh:{box}:{stencil}:unknowns={draw(st.integers(1, 3))}:symmetry={symmetry!r}:seed=1"


@given(name=network_names() | box_names())
@settings(max_examples=80, deadline=None)
def test_every_name_is_one_matrix_with_a_full_dominant_diagonal(name: str) -> None:
    canonical = names.parse(name).name
    assert names.parse(canonical).name == canonical and names.parse(canonical) == names.parse(name)
    assert Case.parse(case := f"symbolic.fill1@{canonical.replace(':', ',')}.metis").name == case
    first, again = generate(names.parse(name)), generate(names.parse(canonical))
    assert np.array_equal(first.indices, again.indices) and np.array_equal(first.data, again.data)
    assert first.has_canonical_format and np.all(first.data != 0)
    size = abs(first)
    assert np.all(2 * first.diagonal() > size.sum(axis=1)) and np.all(2 * first.diagonal() > size.sum(axis=0))
    assert names.parse(name).order == first.shape[0] and names.parse(name).least_entries <= first.nnz


@given(box=BOXES, stencil=st.sampled_from(["hexahedra", "points"]), unknowns=st.integers(1, 3))
@settings(max_examples=25, deadline=None)
def test_a_mesh_couples_the_nodes_of_its_stencil(
    box: tuple[int, int, int], stencil: str, unknowns: int
) -> None:
    name = f"mesh:{'x'.join(map(str, box))}:{stencil}:unknowns={unknowns}"
    z, y, x = np.unravel_index(np.arange(np.prod(box)), box[::-1])
    apart = [abs(axis[:, None] - axis) for axis in (x, y, z)]
    near = np.maximum.reduce(apart) <= 1 if stencil == "hexahedra" else sum(apart) <= 1
    expected = np.kron(near, np.ones((unknowns, unknowns), bool))
    assert np.array_equal(pattern_of(name).toarray(), expected)
    assert names.parse(name).nnz == expected.sum()


def test_a_node_of_tetrahedra_has_fourteen_neighbours_and_all_of_one_cube_share_its_diagonal() -> None:
    pattern = pattern_of("mesh:5x5x5:tetrahedra").toarray()
    assert pattern[62].sum() == 15
    assert pattern[0, 31] and not pattern[1, 30], "(0,0,0) and (1,1,1), not (1,0,0) and (0,1,1)"
    assert names.parse("mesh:5x5x5:tetrahedra").nnz == pattern.sum()


@given(box=BOXES)
@settings(max_examples=20, deadline=None)
def test_edges_couple_where_they_share_a_cell(box: tuple[int, int, int]) -> None:
    if np.prod(box) == 1:
        return
    cells = [max(side - 1, 1) for side in box]
    number, corners = {}, []
    for axis in range(3):
        sides = [side - (place == axis) for place, side in enumerate(box)]
        for w in range(sides[2]):
            for v in range(sides[1]):
                for u in range(sides[0]):
                    number[axis, u, v, w] = len(number)
    for x in range(cells[0]):
        for y in range(cells[1]):
            for z in range(cells[2]):
                steps = [(axis, x + i, y + j, z + k) for axis in range(3) for i in (0, 1) for j in (0, 1)
                         for k in (0, 1) if (i, j, k)[axis] == 0]  # fmt: skip
                corners.append([number[edge] for edge in steps if edge in number])
    expected = np.zeros((len(number), len(number)), bool)
    for cell in corners:
        expected[np.ix_(cell, cell)] = True
    name = f"edges:{'x'.join(map(str, box))}"
    assert np.array_equal(pattern_of(name).toarray(), expected)
    assert names.parse(name).nnz == expected.sum()


@pytest.mark.parametrize("symmetry", [0.0, 0.07, 0.53, 1.0])
@pytest.mark.parametrize(
    "generator", ["mesh:15x10x2:unknowns=3", "netlist:8000", "harmonic:900", "staged:40"]
)
def test_the_structural_symmetry_is_the_one_asked_for(generator: str, symmetry: float) -> None:
    assert share_of_mirrored(pattern_of(f"{generator}:symmetry={symmetry}")) == pytest.approx(
        symmetry, abs=0.02
    )


def test_more_wires_are_long_where_the_power_is_small() -> None:
    lengths = []
    for power in (1.5, 2.5, 4.0):
        rows, columns = pattern_of(f"netlist:5000:power={power}").tocoo().coords
        apart = abs(rows.astype(np.int64) - columns)
        lengths.append(np.mean(np.minimum(apart, 5000 - apart) > 50))
    assert lengths[0] > 2 * lengths[1] > 0 and lengths[1] > 2 * lengths[2]


def test_a_nonlinear_device_couples_all_harmonics_and_a_linear_one_like_with_like() -> None:
    linear = pattern_of("harmonic:50:nonlinear=0:symmetry=1").toarray()
    blocks = linear.reshape(50, 7, 50, 7).transpose(0, 2, 1, 3)
    kinds = {block.tobytes() for block in blocks.reshape(-1, 7, 7)}
    assert kinds == {np.eye(7, dtype=bool).tobytes(), np.zeros((7, 7), bool).tobytes()}
    dense = pattern_of("harmonic:50:nonlinear=1:symmetry=1").toarray()
    assert np.array_equal(dense, np.kron(linear[::7, ::7], np.ones((7, 7), bool)))


def test_stages_are_alike_and_touch_only_their_neighbours_through_their_states() -> None:
    pattern = pattern_of("staged:5:states=0.1:symmetry=1:variables=30").toarray()
    blocks = pattern.reshape(5, 30, 5, 30).transpose(0, 2, 1, 3)
    for stage in range(5):
        assert np.array_equal(blocks[stage, stage], blocks[0, 0])
        for other in range(5):
            links = blocks[stage, other].sum()
            assert links == 3 if abs(stage - other) == 1 else stage == other or links == 0
