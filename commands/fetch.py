"""Download matrices into the cache, ahead of time."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from commands._parser import Arguments, Parser
from fetch import catalogue, collection, suitesparse
from fetch.matrix_id import Generated, InCollection, MatrixId, Unobtainable, parse, resolve
from fillpath.errors import DiskFullError, InputError, TransferError, UnknownNameError, suggest
from fillpath.paths import bytes_text
from fillpath.settings import SUITES


class Outcome(NamedTuple):
    """The result for a matrix: how it was obtained or why not, in a word and in a message."""

    matrix: MatrixId
    how: str
    message: str
    arrived: int = 0  # bytes


def add_arguments(parser: Parser) -> None:
    matrix = f"a matrix as for `fillpath run`, or one of {', '.join(SUITES)}"
    parser.add_argument("name", nargs="*", metavar="NAME|SUITE", help=matrix)
    parser.add_flag("--offline", "ask no server, as with FILLPATH_OFFLINE=1")
    parser.add_flag("--trust", "download again, and accept a changed archive")
    parser.add_flag("--index", "renew the index that --search reads")


def run(arguments: Arguments) -> int:
    if not arguments.name and not arguments.index:
        raise UnknownNameError(f"fetch: name a matrix, or one of {', '.join(SUITES)}")
    suites = [name for name in arguments.name if name in SUITES]
    named = [_matrix(name) for name in arguments.name if name not in SUITES]
    within = [parse(e.id) for e in catalogue.entries() if any(e.suite in SUITES[suite] for suite in suites)]
    if arguments.index:
        print(f"index: {len(collection.refresh(offline=arguments.offline))} matrices")
    outcomes = []
    for outcome in _outcomes(list(dict.fromkeys(named + within)), arguments.offline, arguments.trust):
        print(f"{outcome.matrix.text}: {outcome.message}", flush=True)
        outcomes.append(outcome)
    if outcomes:
        print(_counts(outcomes))
    missing = [o for o in outcomes if o.how == "unobtainable" and o.matrix in named]
    return int(bool(missing) or any(o.how in ("failed", "not tried") for o in outcomes))


def _matrix(name: str) -> MatrixId:
    """Return the matrix of that name. Raises UnknownNameError, which suggests a suite where one is near."""
    try:
        return resolve(name)
    except UnknownNameError:
        if hint := suggest(name, SUITES):
            raise UnknownNameError(f"{name!r} is neither a matrix nor a suite{hint}") from None
        raise


def _outcomes(matrices: Sequence[MatrixId], offline: bool, trust: bool) -> Iterator[Outcome]:
    """Get these matrices. A matrix that fails does not stop the others, a full disk does."""
    for place, matrix in enumerate(matrices, 1):
        try:
            yield _obtained(matrix, offline, trust)
        except (TransferError, InputError, DiskFullError) as problem:
            yield Outcome(matrix, "failed", f"failed: {problem}")
            if isinstance(problem, DiskFullError):
                yield from (Outcome(m, "not tried", "not tried: the disk is full") for m in matrices[place:])
                return


def _obtained(matrix: MatrixId, offline: bool, trust: bool) -> Outcome:
    match matrix:
        case InCollection(_, group, name, sha256):
            suitesparse.forget_failure(group, name)
            got = suitesparse.fetch(group, name, sha256, offline=offline, trust_change=trust)
            return Outcome(matrix, got.how, got.message, got.archive - got.resumed)
        case Unobtainable(_, reason):
            return Outcome(matrix, "unobtainable", f"cannot be obtained: {reason}")
        case Generated():
            return Outcome(matrix, "generated", "generated: nothing to fetch")
    return Outcome(matrix, "own", "a file of your own: nothing to fetch")


def _counts(outcomes: Sequence[Outcome]) -> str:
    """Summarise as `3 matrices: 2 downloaded, 1 failed; 1.2 MB arrived`."""
    counts = Counter(outcome.how for outcome in outcomes)
    listed = ", ".join(f"{count} {how}" for how, count in counts.items())
    matrices = "1 matrix" if len(outcomes) == 1 else f"{len(outcomes)} matrices"
    return f"{matrices}: {listed}; {bytes_text(sum(o.arrived for o in outcomes))} arrived"
