"""Give records today's key that were measured with today's code, after keys came to be made another way.

COMMIT made keys the old way, with the implementations as they are now. A record whose key is that of the
sources there gets today's, and the old one as `rekeyed_from`; no other changes. Refused where a file of
impl/ was changed or removed since."""

from __future__ import annotations

import argparse

from benchmarks.runs.rekey import rekey
from commands._parser import Parser
from fillpath.host import require_kind
from fillpath.paths import results
from fillpath.registry import load_all


def add_arguments(parser: Parser) -> None:
    parser.add_argument("commit", metavar="COMMIT", help="the last one that made keys the old way")


def run(arguments: argparse.Namespace) -> int:
    require_kind()
    load_all()
    keys = rekey(arguments.commit, (path.parent for path in sorted(results().glob("*/records"))))
    print(f"{len(keys)} keys replaced")
    return 0
