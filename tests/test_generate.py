"""Generated matrices: what a name promises, and that it promises it once."""

import csv

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from fetch import names
from fetch.generate import generate
from fillpath.case import Case
from fillpath.errors import UnknownNameError
from fillpath.paths import CONFIG

NAMES = [
    "poisson3d:5",
    "poisson3d:5:aniso",
    "poisson3d:5:contrast",
    "poisson3d:5:aniso_x",
    "poisson3d:5:checkered",
    "poisson3d:1",
    "grid2d:7",
    "grid2d:1",
    "fem3d:5",
    "fem3d:4:unknowns=3",
    "fem3d:2:unknowns=2",
    "fem3d:1",
    "mesh:5x4x3",
    "mesh:1x1x1",
    "mesh:6x5x1:tetrahedra:unknowns=2",
    "mesh:4x4x4:points",
    "mesh:6x5x2:seed=2:symmetry=0.4:unknowns=3",
    "edges:4x3x2",
    "edges:2x1x1",
    "edges:4x3x1",
    "circuit:300",
    "circuit:1",
    "netlist:1",
    "netlist:300",
    "netlist:300:power=1.2:seed=3:symmetry=0:wires=5",
    "harmonic:1",
    "harmonic:60:harmonics=2:nonlinear=0.5:symmetry=0.2",
    "harmonic:60:harmonics=0:nonlinear=1",
    "staged:1:variables=1",
    "staged:6:states=0:variables=20",
    "staged:6:states=1.5:symmetry=0:variables=20",
    "circuit:300:seed=3:symmetry=0",
    "random:80:0.05",
    "random:1:1",
    "random:20:1",
    "grid2d:2:laplacian",
    "grid2d:7:laplacian",
    "road:2",
    "road:300:seed=1",
    "delaunay:4",
    "delaunay:300:seed=1",
]


@pytest.mark.parametrize("name", NAMES)
def test_is_sorted_has_a_full_dominant_diagonal_and_no_explicit_zeros(name: str) -> None:
    matrix = generate(names.parse(name))
    assert matrix.dtype == np.float64 and matrix.has_canonical_format
    assert np.all(matrix.data != 0)
    diagonal = matrix.diagonal()
    assert np.all(2 * diagonal >= abs(matrix).sum(axis=1) * (1 - 1e-12))
    assert np.all(diagonal > 0)
    assert names.parse(name).order == matrix.shape[0]


@pytest.mark.parametrize("name", [name for name in NAMES if names.parse(name).nnz])
def test_a_grid_has_the_entries_that_its_formula_gives(name: str) -> None:
    assert generate(names.parse(name)).nnz == names.parse(name).nnz


@pytest.mark.parametrize("variant", names.VARIANTS)
def test_poisson_at_243_has_the_size_that_parac_prints(variant: str) -> None:
    with (CONFIG / "papers" / "parac_table1_matrices.csv").open(newline="") as handle:
        printed = next(row for row in csv.DictReader(handle) if row["matrix"] == "uniform 3D poisson")
    spec = names.parse(f"poisson3d:243:{variant}")
    assert (spec.order, spec.nnz) == (int(printed["order"]), int(printed["nnz"]))


@pytest.mark.parametrize(
    "name",
    [
        "poisson3d:4", "poisson3d:4:aniso", "poisson3d:4:contrast", "poisson3d:4:aniso_x",
        "poisson3d:4:checkered", "grid2d:5",
        "fem3d:1", "fem3d:2:unknowns=3", "fem3d:4", "fem3d:4:unknowns=2", "edges:3x4x2",
        "mesh:4x3x2:unknowns=2", "mesh:4x3x2:tetrahedra", "mesh:4x3x2:points:unknowns=3",
    ],
)  # fmt: skip
def test_a_grid_is_symmetric_positive_definite(name: str) -> None:
    dense = generate(names.parse(name)).toarray()
    assert np.array_equal(dense, dense.T)
    assert np.linalg.eigvalsh(dense).min() > 0


@pytest.mark.parametrize("variant", ["uniform", "aniso_x", "checkered"])
@pytest.mark.parametrize("k", [1, 2, 5, 9, 18, 23])
def test_paracs_grids_are_the_inner_points_of_a_weighted_grid(variant: str, k: int) -> None:
    """As Laplacians.jl makes them: the Laplacian of all edges of a larger grid, of which the inner rows and
    columns are kept."""
    side = k + 2
    place = np.moveaxis(np.indices((side,) * 3), 0, -1)[..., ::-1].reshape(-1, 3)
    number = place @ [1, side, side * side]
    blocks = (place // (side // max(1, side // 10))).sum(axis=1)
    rows, columns, values = [], [], []
    for direction, stride in enumerate((1, side, side * side)):
        lower = number[place[:, direction] < side - 1]
        weight = np.ones(len(lower))
        if variant == "checkered":
            weight = np.where(blocks[place[:, direction] < side - 1] % 2 == 0, 1e5, 1.0)
        if variant == "aniso_x" and direction == 0:
            weight[:] = 1e5
        rows += [lower, lower + stride, lower, lower + stride]
        columns += [lower + stride, lower, lower, lower + stride]
        values += [-weight, -weight, weight, weight]
    whole = coo_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(side**3,) * 2
    ).tocsr()
    inner = number[((place > 0) & (place < side - 1)).all(axis=1)]
    made = generate(names.parse(f"poisson3d:{k}:{variant}"))
    assert abs(made - whole[inner][:, inner]).max() == 0


@given(k=st.integers(1, 5), unknowns=st.integers(1, 4))
@settings(max_examples=20, deadline=None)
def test_finite_elements_couple_all_unknowns_of_nodes_that_share_an_element(k: int, unknowns: int) -> None:
    spec = names.parse(f"fem3d:{k}:unknowns={unknowns}")
    matrix = generate(spec)
    assert matrix.shape == (spec.order, spec.order) == (unknowns * k**3,) * 2
    assert matrix.nnz == spec.nnz == unknowns**2 * (3 * k - 2) ** 3
    z, y, x = np.unravel_index(np.arange(k**3), (k, k, k))
    near = [abs(axis[:, None] - axis) <= 1 for axis in (x, y, z)]
    pattern = np.kron(np.logical_and.reduce(near), np.ones((unknowns, unknowns), bool))
    assert np.array_equal(matrix.toarray() != 0, pattern)


@pytest.mark.parametrize("symmetry", [0.0, 0.3, 1.0])
def test_a_circuit_has_the_structural_symmetry_asked_for(symmetry: float) -> None:
    pattern = generate(names.parse(f"circuit:5000:symmetry={symmetry}")).astype(bool).astype(int)
    off = pattern.nnz - pattern.shape[0]
    mirrored = pattern.multiply(pattern.T).nnz - pattern.shape[0]
    assert mirrored / off == pytest.approx(symmetry, abs=0.03)


@pytest.mark.parametrize(
    ("name", "degree"),
    [
        *(("grid2d:2:laplacian", 2.0), ("grid2d:30:laplacian", 3.87), ("road:2", 1.0), ("road:3", 4 / 3)),
        *(("road:7000:seed=2", 15 / 7), ("delaunay:4", 2.5), ("delaunay:3000:seed=2", 6.0)),
    ],
)
def test_a_graph_is_connected_and_its_laplacian_has_unit_weights(name: str, degree: float) -> None:
    matrix = generate(names.parse(name))
    off = matrix.nnz - matrix.shape[0]
    assert off / matrix.shape[0] == pytest.approx(degree, rel=0.01)
    assert np.all(matrix.sum(axis=1) == 0) and (matrix != matrix.T).nnz == 0
    assert np.count_nonzero(matrix.data == -1) == off
    assert connected_components(matrix)[0] == 1


def test_most_vertices_of_a_road_network_are_bends() -> None:
    degrees = generate(names.parse("road:7000")).diagonal()
    assert np.mean(degrees == 2) == pytest.approx(0.87, abs=0.03) and degrees.max() == 4


def test_a_circuit_has_a_few_dense_rows() -> None:
    counts = np.diff(generate(names.parse("circuit:5000")).indptr)
    assert counts.max() > 8 * np.median(counts)


def test_a_random_matrix_has_about_the_density_asked_for() -> None:
    assert generate(names.parse("random:500:0.02")).nnz == pytest.approx(0.02 * 500 * 499 + 500, rel=0.1)


@given(
    seed=st.integers(0, 50),
    symmetry=st.floats(0, 1, allow_subnormal=False),
    density=st.floats(1e-9, 1),
    unknowns=st.integers(1, names.MAX_UNKNOWNS),
)
@settings(max_examples=50, deadline=None)
def test_a_canonical_name_stays_and_fits_a_case(
    seed: int, symmetry: float, density: float, unknowns: int
) -> None:
    for name in (
        f"circuit:9:symmetry={symmetry!r}:seed={seed}",
        f"random:9:{density!r}:seed={seed}",
        f"fem3d:9:unknowns={unknowns}",
    ):
        canonical = names.parse(name).name
        assert names.parse(canonical).name == canonical
        assert names.parse(canonical) == names.parse(name)
        case = Case("symbolic", "fill1", canonical.replace(":", ","))
        assert Case.parse(case.name) == case


def test_one_matrix_has_one_name_and_the_same_values_each_time() -> None:
    spellings = ["circuit:50", "circuit:50:seed=0", "circuit,50,symmetry=0.50", "circuit:50:symmetry=.5"]
    assert {names.parse(name).name for name in spellings} == {"circuit:50"}
    assert names.parse("poisson3d:4:uniform").name == "poisson3d:4"
    assert names.parse("fem3d,4,unknowns=1").name == "fem3d:4"
    assert names.parse("grid2d:4:dirichlet").name == "grid2d:4"
    first, again, other = (
        generate(names.parse(name)) for name in ("circuit:50", "circuit:50", "circuit:50:seed=1")
    )
    assert np.array_equal(first.data, again.data) and np.array_equal(first.indices, again.indices)
    assert first.nnz != other.nnz or not np.array_equal(first.data, other.data)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("poison3d:5", "did you mean poisson3d"),
        ("poisson3d:5:anisso", "did you mean aniso"),
        ("circuit:5:sed=1", "did you mean seed"),
        ("poisson3d", "expected poisson3d:k"),
        ("poisson3d:0", "below 1"),
        ("poisson3d:-1", "not a non-negative integer"),
        ("grid2d:3:seed=1", "expected grid2d:k"),
        ("circuit:5:seed=1:seed=2", "expected circuit"),
        ("circuit:5:symmetry=1.5", "0..1"),
        ("random:5:0", "density"),
        ("random:5:1.01", "0..1"),
        ("random:5:nan", "not a non-negative number"),
        ("random:5", "expected random"),
        ("fem3d", "expected fem3d:k"),
        ("fem3d:0", "below 1"),
        ("fem3d:5:3", "expected fem3d:k"),
        ("fem3d:5:unknown=3", "did you mean unknowns"),
        ("fem3d:5:unknowns=3:unknowns=3", "expected fem3d"),
        ("fem3d:5:unknowns=x", "not a non-negative integer"),
        ("fem3d:5:unknowns=0", r"outside 1\.\.64"),
        ("fem3d:5:unknowns=65", r"outside 1\.\.64"),
        ("grid2d:3:unknowns=2", "expected grid2d:k"),
        ("poisson3d:1291", "int32"),
        ("fem3d:1024:unknowns=2", "int32"),
        ("grid2d:46341", "int32"),
        ("circuit:2147483648", "int32"),
        ("grid2d:5:laplace", "did you mean laplacian"),
        ("grid2d:5:aniso", "expected grid2d:k"),
        ("grid2d:1:laplacian", "below 2"),
        ("road:1", "below 2"),
        ("delaunay:3", "below 4"),
        ("road:5:0.5", "expected road:n"),
        ("mesh:5", "not written XxYxZ"),
        ("mesh:5x5", "not written XxYxZ"),
        ("mesh:5x0x5", "below 1"),
        ("mesh:5x5x5:hexahedron", "did you mean hexahedra"),
        ("mesh:2000x2000x1000", "int32"),
        ("mesh:3x3x3:symmetry=2", "0..1"),
        ("edges:1x1x1", "has no edge"),
        ("edges:3x3x3:seed=1", "expected edges"),
        ("netlist:0", "below 1"),
        ("netlist:5:power=1", "outside 1.05..16"),
        ("netlist:5:power=x", "not a non-negative number"),
        ("netlist:5:wires=65", "outside 0.0..64"),
        ("netlist:5:wire=3", "did you mean wires"),
        ("harmonic:5:harmonics=33", "outside 0..32"),
        ("harmonic:5:harmonics=1.5", "not a non-negative integer"),
        ("harmonic:5:nonlinear=1.5", "0..1"),
        ("staged:5:variables=0", "outside 1..1000000"),
        ("staged:3000:variables=1000000", "int32"),
    ],
)
def test_a_bad_name_says_what_is_wrong(name: str, says: str) -> None:
    with pytest.raises(UnknownNameError, match=says):
        names.parse(name)
