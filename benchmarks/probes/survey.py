"""What each symbolic algorithm examines on every real matrix at hand: docs/work.csv.

The matrices are those of FILLPATH_MIRROR, a folder laid out as the collection. Nothing is timed. All run on
one thread, because scheduling decides what gsofa_cpu examines. What would take too long is left empty, but
for fill2, whose edges are then forecast."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

import numba
import numpy as np

from fetch import ordering
from fetch.matrix_id import resolve
from fetch.prepare import prepare
from fillpath import registry
from fillpath.case import Preparation
from fillpath.errors import ConfigError, FillpathError
from fillpath.nouns import Counts, Pattern, Work
from fillpath.paths import write_text
from fillpath.settings import settings
from impl.symbolic.forecast import Forecast, sample_sources

PREPARATION = Preparation("none", "metis")
ALGORITHMS = ("fill1", "fill1_pruned", "gilbert_peierls", "fill2_cpu", "gsofa_cpu")
# What may be counted: as many operations as take a few seconds, and as many entries of U as fit into memory.
MOST_WORK = 2e9
MOST_FILLED = 1e9
# gsofa_cpu also pays for every iteration of every round.
MOST_EDGES_OF_GSOFA = 2e7


@dataclass(frozen=True)
class Surveyed:
    """One matrix.

    matrix : `Group/Name`
    n, nnz : order and entries
    structural_symmetry : share of the entries whose mirror is one too
    filled : entries of F
    filled_how, fill2_how : `counted`, `symmetric` (exact too, by the elimination tree) or `estimate`
    edges : of each algorithm that ran, as its Work counts them, and of fill2_cpu
    reason : why there is no number
    """

    matrix: str
    n: int | None = None
    nnz: int | None = None
    structural_symmetry: float | None = None
    filled: int | None = None
    filled_how: str = ""
    fill2_how: str = ""
    edges: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""


def survey(matrix: str) -> Surveyed:
    """The row of a matrix of the collection."""
    try:
        prepared = prepare(resolve(matrix).text, PREPARATION)
    except FillpathError as problem:
        return Surveyed(matrix, reason=" ".join(str(problem).split()))
    forecast = sample_sources(prepared.pattern)
    edges, filled = _count(prepared.pattern, _affordable(forecast))
    forecast_how = "symmetric" if forecast.exact else "estimate"
    return Surveyed(
        matrix,
        prepared.pattern.n,
        prepared.pattern.nnz,
        round(prepared.provenance.structural_symmetry, 6),
        round(forecast.filled) if filled is None else filled,
        forecast_how if filled is None else "counted",
        "counted" if "fill2_cpu" in edges else forecast_how,
        {"fill2_cpu": round(forecast.edges), **edges},
    )


def _affordable(forecast: Forecast) -> list[str]:
    """The algorithms that may be run."""
    if forecast.filled > MOST_FILLED:
        return []
    expected = {
        "fill1_pruned": forecast.filled,
        "fill1": forecast.updates,
        "gilbert_peierls": forecast.updates,
        "fill2_cpu": forecast.edges,
        "gsofa_cpu": forecast.edges * MOST_WORK / MOST_EDGES_OF_GSOFA,
    }
    return [name for name, work in expected.items() if work <= MOST_WORK]


def _count(pattern: Pattern, names: list[str]) -> tuple[dict[str, int], int | None]:
    """Edges of each algorithm, and the entries of F that all of them find. Raises FillpathError where one
    finds others."""
    edges: dict[str, int] = {}
    expected: Counts | None = None
    for name in names:
        counts, work = _run(name, pattern)
        expected = expected or counts
        if not (
            np.array_equal(counts.lower, expected.lower) and np.array_equal(counts.upper, expected.upper)
        ):
            raise FillpathError(f"{name} and {names[0]} disagree on the row counts of F")
        assert work.edges is not None
        edges[name] = work.edges
    return edges, expected.nnz if expected else None


def _run(name: str, pattern: Pattern) -> tuple[Counts, Work]:
    outcome: tuple[Counts, Work] = registry.lookup("symbolic", name).function(pattern, output="counts")
    return outcome


def at_hand() -> list[str]:
    """`Group/Name` of every archive in the mirror. Raises ConfigError for none."""
    if not settings().mirror:
        raise ConfigError("FILLPATH_MIRROR is not set: name a folder with MM/<group>/<name>.tar.gz")
    folder = Path(settings().mirror) / "MM"
    archives = sorted(folder.glob("*/*.tar.gz"))
    if not archives:
        raise ConfigError("FILLPATH_MIRROR names no folder with MM/<group>/<name>.tar.gz")
    return [f"{path.parent.name}/{path.name.removesuffix('.tar.gz')}" for path in archives]


def csv_text(rows: Iterable[Surveyed], about: Mapping[str, str]) -> str:
    """The rows under comment lines."""
    text = io.StringIO()
    text.writelines(f"# {key}: {value}\n" for key, value in about.items())
    plain = [f.name for f in fields(Surveyed) if f.name not in ("edges", "reason")]
    writer = csv.DictWriter(text, [*plain, *ALGORITHMS, "reason"], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        cells = asdict(row)
        writer.writerow({**cells.pop("edges"), **cells})
    return text.getvalue()


def write_survey(path: Path) -> None:
    """Survey every matrix at hand, a line per matrix on stderr. Raises ConfigError without any."""
    registry.load_all()
    numba.set_num_threads(1)
    libraries = ", ".join(f"{name} {version}" for name, version in ordering.libraries("metis").items())
    about = {"matching": "none", "ordering": f"metis ({libraries})", "explicit zeros": "kept", "threads": "1"}
    write_text(path, csv_text(_rows(at_hand()), about))


def _rows(matrices: list[str]) -> Iterator[Surveyed]:
    for number, matrix in enumerate(matrices, start=1):
        row = survey(matrix)
        message = row.reason or row.fill2_how
        print(f"{number}/{len(matrices)} {matrix}: {message}", file=sys.stderr, flush=True)
        yield row
