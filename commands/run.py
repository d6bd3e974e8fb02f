"""Measure one case: verify, then time; exit status 0 only for ok."""

import json

from benchmarks.engine.limits import Limits
from benchmarks.engine.machine import introduce
from benchmarks.engine.measure import measure
from commands._parser import Arguments, Parser, natural, pair, positive, typed
from commands._records import record_text
from fetch.matrix_id import parse, resolve
from fetch.source import forget_failure
from fillpath import LOG, registry
from fillpath.case import MATCHINGS, ORDERINGS, SYSTEMS, Case, Preparation
from fillpath.record import Status
from fillpath.settings import seconds
from fillpath.stages import STAGES


def add_arguments(parser: Parser) -> None:
    parser.add_argument("stage", help=f"one of {', '.join(STAGES)}")
    parser.add_argument("implementation", help="see `fillpath list`")
    matrix = "a name, Group/Name, a generator such as poisson3d:16, or an .mtx file"
    parser.add_argument("matrix", help=matrix)
    parser.add_choice("--ordering", ORDERINGS, default="natural", help="fill-reducing permutation")
    systems = "systems of one pattern that ordering best is for"
    parser.add_choice("--for", SYSTEMS, default="one", dest="systems", help=systems)
    matching = (
        "row matching for a large diagonal; auto: none where the diagonal is full and the matrix is "
        "symmetric or pattern-only (default: auto; none with --diagonal)"
    )
    parser.add_choice("--matching", MATCHINGS, help=matching)
    diagonal = "value in place of a missing or zero diagonal entry, instead of a matching"
    parser.add_argument("--diagonal", type=positive, default=0, metavar="V", help=diagonal)
    parser.add_argument("--drop-zeros", action="store_true", help="leave explicit zeros out")
    option = "of the implementation; repeatable"
    parser.add_argument("--option", action="append", default=[], type=pair, metavar="KEY=VALUE", help=option)
    samples = "exact number (default: 5, fewer after 2 s)"
    parser.add_argument("--samples", type=positive, metavar="N", help=samples)
    seed = "of preparation and algorithm (default: 0)"
    parser.add_argument("--seed", type=natural, default=0, metavar="N", help=seed)
    threads = "CPU threads (default: all cores)"
    parser.add_argument("--threads", type=natural, default=0, metavar="N", help=threads)
    gpus = "of an implementation for several (default: the implementation's, one)"
    parser.add_argument("--gpus", type=natural, default=0, metavar="N", help=gpus)
    limit = "e.g. 90s, 2h (default: %(default)s)"
    parser.add_argument("--limit", type=typed(seconds), default="600s", metavar="TIME", help=limit)
    parser.add_argument("--fresh", action="store_true", help="measure again what is stored already")
    parser.add_argument("--json", action="store_true", help="print the record as JSON on standard output")


def run(arguments: Arguments) -> int:
    introduce()
    case = _case(arguments)
    forget_failure(parse(case.matrix))
    LOG.info("measuring %s", case.name)
    # A longer limit than the usual is one for preparing the matrix too.
    preparing = max(arguments.limit, Limits().preparation)
    limits = Limits(seconds=arguments.limit, preparation=preparing, samples=arguments.samples)
    record = measure(case, limits, fresh=arguments.fresh)
    if arguments.json:
        print(json.dumps(record.to_json(), indent=2, sort_keys=True))
    else:
        print(record_text(record))
    return 0 if record.status is Status.OK else 1


def _case(arguments: Arguments) -> Case:
    implementation = registry.lookup(arguments.stage, arguments.implementation)
    matching = arguments.matching or ("none" if arguments.diagonal else "auto")
    zeros, systems = not arguments.drop_zeros, arguments.systems
    return Case(
        arguments.stage,
        arguments.implementation,
        resolve(arguments.matrix).text,
        Preparation(matching, arguments.ordering, zeros, arguments.diagonal, systems),
        implementation.canonical(dict(option.split("=", 1) for option in arguments.option)),
        arguments.seed,
        arguments.threads,
        arguments.gpus,
    )
