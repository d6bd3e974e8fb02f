"""Download matrices into the cache, ahead of time."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence

from commands._parser import Parser
from fetch import batch, catalogue, collection, search
from fetch.matrix_id import MatrixId, parse, resolve
from fillpath.errors import UnknownNameError, suggest
from fillpath.paths import bytes_text
from fillpath.settings import SUITES


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "name",
        nargs="*",
        metavar="NAME|SUITE",
        help=f"a matrix as for `fillpath run`, or one of {', '.join(SUITES)}",
    )
    parser.add_argument("--offline", action="store_true", help="ask no server, as with FILLPATH_OFFLINE=1")
    parser.add_argument("--trust", action="store_true", help="download again, and accept a changed archive")
    parser.add_argument("--index", action="store_true", help="renew the index that --search reads")


def run(arguments: argparse.Namespace) -> int:
    if not arguments.name and not arguments.index:
        raise UnknownNameError(f"fetch: name a matrix, or one of {', '.join(SUITES)}")
    suites = [name for name in arguments.name if name in SUITES]
    named = [_matrix(name) for name in arguments.name if name not in SUITES]
    within = [parse(e.id) for e in catalogue.entries() if any(e.suite in SUITES[suite] for suite in suites)]
    if arguments.index:
        print(f"index: {len(collection.refresh(offline=arguments.offline))} matrices")
        search.forget()
    outcomes = []
    for outcome in batch.fetch_batch(
        dict.fromkeys(named + within), offline=arguments.offline, trust_change=arguments.trust
    ):
        print(f"{outcome.matrix}: {outcome.message}", flush=True)
        outcomes.append(outcome)
    if outcomes:
        print(_counts(outcomes))
    ids = {matrix.text for matrix in named}
    missing = [o for o in outcomes if o.how == "unobtainable" and o.matrix in ids]
    return int(bool(missing) or any(o.how in ("failed", "not tried") for o in outcomes))


def _matrix(name: str) -> MatrixId:
    """Return the matrix of that name. Raises UnknownNameError, which suggests a suite where one is near."""
    try:
        return resolve(name)
    except UnknownNameError:
        hint = suggest(name, SUITES)
        if not hint:
            raise
        raise UnknownNameError(f"{name!r} is neither a matrix nor a suite{hint}") from None


def _counts(outcomes: Sequence[batch.Outcome]) -> str:
    """`3 matrices: 2 downloaded, 1 failed; 1.2 MB arrived`."""
    counts = Counter(outcome.how for outcome in outcomes)
    arrived = bytes_text(sum(outcome.arrived for outcome in outcomes))
    listed = ", ".join(f"{count} {how}" for how, count in counts.items())
    return f"{len(outcomes)} {'matrix' if len(outcomes) == 1 else 'matrices'}: {listed}; {arrived} arrived"
