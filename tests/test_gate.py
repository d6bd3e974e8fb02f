"""What is given, what is returned, and how it is held: one case each, through the supervisor."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchmarks.checks.factors import ARITHMETIC
from benchmarks.checks.residuals import BACKWARD, verify_residual
from benchmarks.checks.rows import verify_counts
from benchmarks.engine import operands, tasks
from benchmarks.engine.benchmark import Context, benchmark_of, noun_hash
from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import job_of, measure
from benchmarks.engine.outcome import Outcome
from benchmarks.engine.reference import make_reference
from benchmarks.runs import archive
from benchmarks.runs.predictions import Predictions
from benchmarks.symbolic import Symbolic
from fetch.matrix_id import resolve
from fetch.prepare import prepare
from fillpath import registry
from fillpath import series as sources
from fillpath.case import Case, Preparation
from fillpath.errors import FillpathError, InputError, UnsupportedError
from fillpath.nouns import (
    Assembled,
    Counts,
    Factorised,
    Filled,
    LevelSeries,
    Pattern,
    Prepared,
    Series,
    Solution,
    Supernodes,
    TwoWay,
)
from fillpath.paths import results
from fillpath.record import Record, Status, Verified, read_records, record_path, write_records
from fillpath.stages import STAGES, Stage
from impl.peers.superlu import superlu
from impl.symbolic.fill1 import fill1
from tests import fakes
from tests.patterns import from_dense, random_pattern
from tests.test_record import record as any_record
from tests.verdicts import verdict_on

LIMITS = Limits(seconds=60, samples=3, forked=True)
ROWS = "row counts and row hashes"
T3 = "definition of T3, row by row"


pytestmark = pytest.mark.usefixtures("registered_fakes", "shared_cache")


@pytest.fixture
def prepared() -> Prepared:
    return prepare("random,200,0.02", Preparation("auto", "natural"))


def measured(name: str, stage: str = "symbolic") -> Record:
    return measure(f"{stage}.{name}@grid2d,6.natural", LIMITS)


@pytest.mark.parametrize(
    ("name", "stage", "status", "method"),
    [
        ("fill1.output=counts", "symbolic", Status.OK, "row counts"),
        ("superlu", "symbolic", Status.OK, BACKWARD),
        ("t3", "supernodes", Status.OK, T3),
        ("one_each", "supernodes", Status.WRONG, T3),
        ("glu3_relaxed", "levels", Status.OK, "exact dependencies that go up"),
        ("left_looking", "numeric", Status.OK, ARITHMETIC),
        ("multifrontal_cpu", "numeric", Status.OK, ARITHMETIC),
        ("lu_cpu", "solve", Status.OK, BACKWARD),
    ],
)
def test_each_kind_of_result_is_measured(name: str, stage: str, status: Status, method: str) -> None:
    record = measured(name, stage)
    assert (record.status, record.verified and record.verified.method) == (status, method), record.reason
    assert bool(record.seconds) is (status is Status.OK)
    assert not record.suspect


def verdict_of(stage: str, name: str, prepared: Prepared) -> Verified:
    """As the worker holds a result, without its process."""
    entry = registry.lookup(stage, name)
    context = operands.context(prepared, make_reference(prepared.pattern), entry, {})
    result, _ = entry.function(operands.operand(entry, context))
    return verdict_on(stage, result, context)


@pytest.mark.parametrize(
    ("stage", "name", "method", "passes"),
    [
        ("symbolic", "right", ROWS, True),
        ("symbolic", "counted", ROWS, False),
        ("symbolic", "miscounted", "row counts", False),
        ("symbolic", "superlu", BACKWARD, True),
        ("symbolic", "imprecise", BACKWARD, False),
        ("symbolic", "a_peer_in_disguise", ROWS, False),
        ("supernodes", "all_in_one", T3, False),
        ("levels", "glu1", "exact dependencies that go up", False),
        ("levels", "glu2", "exact dependencies that go up", True),
        ("solve", "superlu", BACKWARD, True),
    ],
)
def test_what_is_returned_decides_the_gate(
    stage: str, name: str, method: str, passes: bool, prepared: Prepared
) -> None:
    verdict = verdict_of(stage, name, prepared)
    assert (verdict.method, verdict.passes) == (method, passes)


def test_supernodes_without_their_option_are_an_error(prepared: Prepared) -> None:
    with pytest.raises(FillpathError, match="an option maxsup"):
        verdict_of("supernodes", "no_cap", prepared)


def test_a_stage_without_a_file_is_refused_and_every_stage_has_one() -> None:
    with pytest.raises(UnsupportedError, match=r"stage drawing has no file benchmarks/drawing\.py yet"):
        benchmark_of("drawing")
    assert [type(benchmark_of(stage)).__name__.lower() for stage in STAGES] == list(STAGES)


def no_gate(pattern: Pattern) -> Any:
    """What nobody can verify."""
    raise AssertionError("an implementation was called whose result cannot be verified")


def test_what_cannot_be_verified_is_not_called_and_waits_for_its_gate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(STAGES, "drawing", Stage("drawing", "a stage of tomorrow"))
    registry.implementation(stage="drawing")(no_gate)
    record = measured("no_gate", "drawing")
    assert record.status is Status.UNSUPPORTED and "no file benchmarks/drawing.py" in record.reason
    assert not record.conclusive and not record.seconds


def hinted(hint: Any) -> Any:
    def function(first: Any) -> Any:
        """Something."""

    function.__annotations__ = {} if hint is None else {"first": hint}
    return function


@pytest.mark.parametrize("hint", [Pattern, Prepared, Filled, TwoWay])
def test_the_first_annotation_says_what_is_given(hint: type) -> None:
    registry.implementation(stage="levels", name="taker")(hinted(hint))
    assert registry.lookup("levels", "taker").takes is hint


@pytest.mark.parametrize(
    ("stage", "hint"),
    [
        *(("levels", None), ("levels", np.ndarray), ("levels", Counts), ("levels", Assembled)),
        *(("symbolic", Filled), ("symbolic", TwoWay), ("symbolic", Assembled)),
    ],
)
def test_an_implementation_that_takes_anything_else_is_refused(stage: str, hint: Any) -> None:
    with pytest.raises(TypeError, match=r"hinted.*annotate its first parameter.*Pattern, Prepared"):
        registry.implementation(stage=stage)(hinted(hint))


def test_an_implementation_without_parameters_is_refused() -> None:
    with pytest.raises(TypeError, match="found None"):
        registry.implementation(stage="levels")(lambda: None)


@pytest.mark.parametrize("n", [1, 5, 1999, 2000, 2001, 7777])
def test_bins_hold_every_source_once(tmp_path: Path, n: int) -> None:
    rng = np.random.default_rng(n)
    edges = rng.integers(0, 1000, n)
    path = tmp_path / "series" / "case.npz"
    assert sources.write_series(path, Series(edges=edges, frontier=edges / 8), n) == "series/case.npz"
    count, stored = sources.read_bins(path)
    first = stored["first"]
    assert count == n and len(first) == min(n, 2000) and first[0] == 0
    assert set(stored) == {"first", "edges_mean", "frontier_mean", "frontier_min", "frontier_max"}
    bins = np.split(edges, first[1:])
    assert max(map(len, bins)) - min(map(len, bins)) <= 1
    means = [part.mean() for part in bins]
    assert stored["edges_mean"].tolist() == means
    assert stored["frontier_mean"] * 8 == pytest.approx(means, rel=2**-10)
    # Rounding keeps whole numbers and halves of that size.
    assert (stored["frontier_min"] * 8).tolist() == [part.min() for part in bins]
    assert (stored["frontier_max"] * 8).tolist() == [part.max() for part in bins]


def test_bins_of_an_older_version_are_read_as_they_are(tmp_path: Path) -> None:
    first, edges = np.array([0, 2, 4]), np.array([1 / 3, 0.1, 7.0])
    np.savez_compressed(tmp_path / "case.npz", n=np.array(5), first=first, edges_mean=edges, fills_max=first)
    n, stored = sources.read_bins(tmp_path / "case.npz")
    assert n == 5 and list(stored) == ["first", "edges_mean", "fills_max"]
    assert (stored["first"] == first).all() and (stored["edges_mean"] == edges).all()


@pytest.mark.parametrize("depth", [1, 2001])
def test_a_series_of_levels_has_a_value_a_level(tmp_path: Path, depth: int) -> None:
    columns, path = np.arange(1, depth + 1), tmp_path / "case.npz"
    sources.write_series(path, LevelSeries(columns=columns, subcolumns=3 * columns), 10**6)
    levels, stored = sources.read_bins(path)
    assert levels == depth and len(stored["first"]) == min(depth, 2000)
    assert stored["columns_max"][-1] == depth and stored["subcolumns_min"][0] == 3
    whole = np.diff(stored["first"], append=depth) @ stored["columns_mean"]
    assert whole == pytest.approx(columns.sum(), rel=1e-12)
    with pytest.raises(InputError, match="series subcolumns"):
        sources.write_series(path, LevelSeries(columns=columns, subcolumns=np.arange(7)), 10**6)


@pytest.mark.parametrize("series", [None, Series(), Series(fills=np.zeros(5, np.int64))])
def test_without_a_series_there_is_no_file(tmp_path: Path, series: Series | None) -> None:
    assert sources.write_series(tmp_path / "case.npz", series, 5) is None
    assert list(tmp_path.iterdir()) == []


def test_a_record_names_the_series_of_its_verified_result() -> None:
    record = measured("kept")
    assert record.series == f"series/{record.case}.npz"
    _, stored = sources.read_bins(results() / "test-machine" / record.series)
    assert stored["edges_mean"].sum() == (record.work or {})["edges"]
    assert read_records(record_path("test-machine", record.case)) == [record]


def test_a_wrong_result_leaves_no_series() -> None:
    record = measured("kept_by_a_wrong_one")
    assert (record.status, record.series) == (Status.WRONG, None)
    assert not (results() / "test-machine" / "series").exists()


def test_a_series_of_another_length_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"series fills has the shape \(3,\)"):
        sources.write_series(tmp_path / "case.npz", Series(fills=np.zeros(3, np.int64)), 5)
    assert list(tmp_path.iterdir()) == []


def test_superlu_solves_what_was_prepared(prepared: Prepared) -> None:
    factorised, work = superlu(prepared)
    filled, _ = fill1(prepared.pattern)
    verdict = verify_residual(factorised, prepared)
    assert verdict.value <= 1e-12 < verdict.bound
    assert factorised.nnz >= filled.counts().nnz, "supernodes are padded"
    assert work.fills == factorised.nnz - prepared.pattern.nnz


@pytest.mark.parametrize("local", [None, "2000", "2999"])
def test_a_pack_brings_the_series_of_the_record_that_stands(tmp_path: Path, local: str | None) -> None:
    packed = any_record()
    records = record_path("test-machine", packed.case)
    series = sources.series_path("test-machine", packed.case)
    write_records(records, [packed])
    series.parent.mkdir()
    series.write_bytes(b"packed")
    archive.pack("test-machine", tmp_path / "pack.tar.gz")
    series.unlink()
    if local is not None:
        begun = f"{local}-01-01T00:00:00.000000Z"
        write_records(records, [replace(packed, run_id="local", started_at=begun)])
        series.write_bytes(b"local")
    archive.unpack(tmp_path / "pack.tar.gz")
    assert series.read_bytes() == (b"local" if local == "2999" else b"packed")


@pytest.mark.parametrize("answer", [lambda b: b, lambda b: 0 * b, lambda b: b * np.nan])
def test_no_other_solution_passes(prepared: Prepared, answer: Any) -> None:
    verdict = verify_residual(Factorised(answer, 0), prepared)
    assert not verdict.passes


def test_a_solution_of_another_shape_is_refused(prepared: Prepared) -> None:
    with pytest.raises(InputError, match=r"shape \(3,\)"):
        verify_residual(Factorised(lambda b: b[:3], 0), prepared)


def written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "tiny.mtx"
    path.write_text(f"%%MatrixMarket matrix coordinate {text}\n")
    return resolve(str(path)).text


def test_superlu_leaves_the_diagonal_only_where_it_is_zero(tmp_path: Path) -> None:
    matrix = written(tmp_path, "real general\n2 2 3\n1 2 1\n2 1 1\n2 2 1e-9")
    small = prepare(matrix, Preparation("none", "natural"))
    factorised, _ = superlu(small)
    assert verify_residual(factorised, small).value <= 1e-8


def test_a_singular_matrix_is_unsupported_with_advice(tmp_path: Path) -> None:
    matrix = written(tmp_path, "real general\n2 2 4\n1 1 1\n1 2 1\n2 1 1\n2 2 1")
    with pytest.raises(UnsupportedError, match="--matching mc64"):
        superlu(prepare(matrix, Preparation("none", "natural")))


def test_a_laplacian_is_solved_or_refused_but_never_wrong() -> None:
    """Exactly singular, and a roundoff for its last pivot: constants are what it takes to 0."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        weights = np.triu(rng.integers(1, 9, (5, 5)) / 8 * 3, 1)
        dense = np.diag((weights + weights.T).sum(axis=1)) - weights - weights.T
        pattern = from_dense(np.ones((5, 5), bool))
        order = np.arange(5, dtype=np.int32)
        prepared = prepare("grid2d,2", Preparation())
        prepared = replace(prepared, pattern=pattern, values=dense.ravel(), row_permutation=order)
        try:
            factorised, _ = superlu(prepared)
            assert verify_residual(factorised, prepared).value <= 1e-8, seed
        except UnsupportedError as problem:
            assert "singular" in str(problem)


def test_complex_values_are_unsupported_and_patterns_are_not(tmp_path: Path) -> None:
    matrix = written(tmp_path, "complex general\n2 2 2\n1 1 0 1\n2 2 1 0")
    with pytest.raises(UnsupportedError, match="complex values"):
        superlu(prepare(matrix, Preparation("none", "natural")))
    matrix = written(tmp_path, "pattern general\n2 2 3\n1 1\n2 1\n2 2")
    synthetic = prepare(matrix, Preparation("none", "natural"))
    assert verify_residual(superlu(synthetic)[0], synthetic).value <= 1e-12


@pytest.mark.parametrize(
    "counts",
    [
        Counts(np.zeros(4, np.int64), np.ones(5, np.int64)),
        Counts(np.zeros(5), np.ones(5)),
        Counts([0] * 5, [1] * 5),  # type: ignore[arg-type]
    ],
)
def test_counts_that_cannot_be_are_wrong_in_all_rows(counts: Counts) -> None:
    assert verify_counts(counts, make_reference(random_pattern(5, 0.0, 1))).value == 5


def test_one_wrong_count_is_one_wrong_row() -> None:
    pattern = random_pattern(30, 0.1, 1)
    counts = fill1(pattern)[0].counts()
    reference = make_reference(pattern)
    assert verify_counts(counts, reference).value == 0
    counts.lower[7] += 1
    counts.upper[7] -= 1
    assert verify_counts(counts, reference).value == 1


def test_the_least_bytes_are_known_of_every_result(prepared: Prepared) -> None:
    pattern, n = prepared.pattern, prepared.pattern.n
    filled, _ = fill1(pattern)
    rows = 8 * (n + 1)
    read = rows + 4 * pattern.nnz
    context = Context(prepared, None, registry.lookup("symbolic", "fill1"), {}, nouns={Filled: filled})
    symbolic = Symbolic()
    assert symbolic.least_bytes(filled, context) == read + rows + 4 * filled.pattern.nnz + 8 * n
    assert symbolic.least_bytes(filled.counts(), context) == read + 16 * n
    assert symbolic.least_bytes(Factorised(lambda b: b, 9), context) == read + 8 * pattern.nnz
    starts = Supernodes(np.arange(n + 1))
    assert benchmark_of("supernodes").least_bytes(starts, context) == rows + 8 * n + rows


def test_a_peers_fills_are_no_entries_of_f() -> None:
    """SuperLU pads its supernodes: what it stores is not what others' times follow."""
    symbolic = any_record(work={"fills": 7}, verified=Verified("reference", ROWS, 0.0, 0.0))
    peer = replace(symbolic, verified=Verified("A x = b", BACKWARD, 0.0, 1e-8))
    known = [Predictions([each], "any").size(Case.parse(each.case), 9, 9)[1] for each in (symbolic, peer)]
    assert known == ["counted", "assumed"]


@pytest.mark.parametrize(("name", "checks"), [("right", 1), ("wrong_later", 2)])
def test_the_last_result_is_checked_unless_it_is_the_first_again(
    name: str, checks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, verdicts = Symbolic.check, list[Verified]()

    def check(self: Symbolic, result: Any, context: Context) -> Verified:
        verdicts.append(held(self, result, context))
        return verdicts[-1]

    monkeypatch.setattr(Symbolic, "check", check)
    monkeypatch.setattr(fakes, "_calls", 0)
    case, outcome = Case.parse(f"symbolic.{name}@random,200,0.02.natural"), Outcome()
    prepare(case.matrix, case.preparation)
    job = job_of(case, registry.lookup(case.stage, case.implementation), LIMITS)
    tasks.measure(job, lambda event, **values: outcome.take({"event": event, **values}))
    assert len(verdicts) == checks and outcome.reported["verified"].passes == (checks == 1)


@given(values=arrays(np.float64, st.integers(0, 9)), place=st.integers(0, 8))
def test_nouns_of_other_bytes_have_other_hashes(values: np.ndarray, place: int) -> None:
    again, other = (Solution(values.copy()) for _ in range(2))
    assert noun_hash(Solution(values)) == noun_hash(again) != noun_hash(Counts(values, values))
    other.x.view(np.uint64)[place:] ^= 1
    assert (noun_hash(other) == noun_hash(again)) == (place >= len(values))


def test_a_noun_that_can_do_more_than_its_bytes_say_equals_nothing() -> None:
    factorised = Factorised(np.copy, 3)
    assert noun_hash(factorised) != noun_hash(factorised)
    assert noun_hash(np.array([None])) != noun_hash(np.array([None]))
    hidden = np.ma.masked_array([1.0, 2.0], [False, True])
    assert noun_hash(Solution(hidden)) != noun_hash(Solution(hidden))


def test_numbers_texts_and_types_of_a_noun_count_too(prepared: Prepared) -> None:
    same, values = noun_hash(replace(prepared)), np.zeros(2)
    assert same == noun_hash(prepared)
    for change in ({"seed": 9}, {"matching": "other"}, {"versions": {"numpy": "0"}}):
        assert noun_hash(replace(prepared, provenance=replace(prepared.provenance, **change))) != same
    assert noun_hash(Counts(values, values)) != noun_hash(LevelSeries(values, values))
