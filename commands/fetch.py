"""Download matrices into the cache, ahead of time."""

from collections import Counter

from commands._parser import Arguments, Parser
from fetch import catalogue, collection, suitesparse
from fetch.matrix_id import Generated, InCollection, MatrixId, Unobtainable, parse, resolve
from fillpath.errors import DiskFullError, TransferError, UnknownNameError, suggest
from fillpath.paths import bytes_text
from fillpath.settings import SUITES


def add_arguments(parser: Parser) -> None:
    matrix = f"a matrix as for `fillpath run`, or one of {', '.join(SUITES)}"
    parser.add_argument("name", nargs="*", metavar="NAME|SUITE", help=matrix)
    parser.add_argument("--offline", action="store_true", help="ask no server, as with FILLPATH_OFFLINE=1")
    parser.add_argument("--trust", action="store_true", help="download again, and accept a changed archive")
    parser.add_argument("--index", action="store_true", help="renew the index that --search reads")


def run(arguments: Arguments) -> int:
    if not arguments.name and not arguments.index:
        raise UnknownNameError(f"fetch: name a matrix, or one of {', '.join(SUITES)}")
    suites = [name for name in arguments.name if name in SUITES]
    named = [_matrix(name) for name in arguments.name if name not in SUITES]
    within = [parse(e.id) for e in catalogue.entries() if any(e.suite in SUITES[suite] for suite in suites)]
    if arguments.index:
        print(f"index: {len(collection.refresh(offline=arguments.offline))} matrices")
    counts, arrived = Counter[str](), 0
    rest: tuple[str, str, int] | None = None  # of all after a full disk; other failures stop no matrix
    for matrix in dict.fromkeys(named + within):
        try:
            how, message, size = rest or _obtained(matrix, arguments.offline, arguments.trust)
        except (TransferError, DiskFullError) as problem:
            how, message, size = "failed", f"failed: {problem}", 0
            if isinstance(problem, DiskFullError):
                rest = "not tried", "not tried: the disk is full", 0
        print(f"{matrix.text}: {message}", flush=True)
        counts[how] += 1
        arrived += size
    if counts:
        matrices = "1 matrix" if counts.total() == 1 else f"{counts.total()} matrices"
        listed = ", ".join(f"{count} {how}" for how, count in counts.items())
        print(f"{matrices}: {listed}; {bytes_text(arrived)} arrived")
    return int(counts["failed"] > 0 or any(isinstance(matrix, Unobtainable) for matrix in named))


def _matrix(name: str) -> MatrixId:
    """Return the matrix of that name. Raises UnknownNameError, which suggests a suite where one is near."""
    try:
        return resolve(name)
    except UnknownNameError:
        if hint := suggest(name, SUITES):
            raise UnknownNameError(f"{name!r} is neither a matrix nor a suite{hint}") from None
        raise


def _obtained(matrix: MatrixId, offline: bool, trust: bool) -> tuple[str, str, int]:
    """Return how the matrix was obtained or why not, in a word and a message, and the bytes that arrived."""
    match matrix:
        case InCollection(_, group, name, sha256):
            suitesparse.forget_failure(group, name)
            got = suitesparse.fetch(group, name, sha256, offline=offline, trust_change=trust)
            return got.how, got.message, got.arrived
        case Unobtainable(_, reason):
            return "unobtainable", f"cannot be obtained: {reason}", 0
        case Generated():
            return "generated", "generated: nothing to fetch", 0
    return "own", "a file of your own: nothing to fetch", 0
