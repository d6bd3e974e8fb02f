"""The command line: the only module that sees all rooms."""

from __future__ import annotations

import argparse
import json
import logging
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.engine import measure as measuring
from benchmarks.engine import run
from benchmarks.engine.machine import introduce
from benchmarks.probes import ceilings
from benchmarks.probes.doctor import diagnosis
from benchmarks.runs import airspeed, archive, experiments, launch
from benchmarks.runs import plan as planning
from benchmarks.runs.experiments import Settings
from fetch import batch, catalogue, collection
from fillpath import __version__, holdings, host, paths, registry
from fillpath.case import MATCHINGS, ORDERINGS, Case, Preparation
from fillpath.errors import FillpathError, InputError, UnknownNameError, suggest
from fillpath.record import Record, Status, interval

if TYPE_CHECKING:
    # At run time the commands that draw import it: it takes matplotlib and pandas.
    from reports import Records
    from reports.facts.standings import Standing
    from reports.pages.compare import Comparison

EXAMPLES = """examples:
  fillpath list                                     what is implemented
  fillpath list --matrices                          which matrices have a name here
  fillpath list --matrices --search circuit         which others the SuiteSparse collection holds
  fillpath fetch small HB/bcsstk18                  download a suite's matrices and one more, ahead of time
  fillpath run symbolic fill2_cpu poisson3d:16      a generated matrix, nothing to download
  fillpath run symbolic fill1_pruned HB/bcsstk18 --ordering metis --json
  fillpath run symbolic fill2_cpu my.mtx --threads 1 --samples 5
  fillpath doctor                                   what can run on this machine, and why not
"""
Handler = Callable[[argparse.Namespace], int]


class _Parser(argparse.ArgumentParser):
    """argparse, with suggestions for a misspelt command."""

    def error(self, message: str) -> None:  # type: ignore[override]
        found = re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message)
        hint = suggest(found[1], re.findall(r"[\w-]+", found[2])) if found else ""
        self.exit(2, f"{self.prog}: {message}{hint}\ntry: {self.prog} --help\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit status: 0 done, 1 not ok, 2 a request that makes no sense."""
    logging.basicConfig(level=logging.INFO, format="fillpath: %(message)s", stream=sys.stderr)
    parsed = _parser().parse_args(arguments)
    handler: Handler = parsed.handler
    try:
        paths.require_checkout()
        return handler(parsed)
    except FillpathError as error:
        print(f"fillpath: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except OSError as error:
        print(f"fillpath: {error.filename or 'input or output'}: {error.strerror or error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("fillpath: interrupted; everything finished is stored", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="fillpath",
        description="Measure sparse factorisation, verified before timed.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"fillpath {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, (help_text, handler, add_arguments) in COMMANDS.items():
        command = commands.add_parser(name, help=help_text, description=help_text)
        command.set_defaults(handler=handler)
        add_arguments(command)
    return parser


def _list_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--matrices", action="store_true", help="list matrices instead of implementations")
    command.add_argument(
        "--search", metavar="WORD", default="", help="matrices of the collection, by name or kind"
    )


def _list(arguments: argparse.Namespace) -> int:
    rows: list[tuple[str, ...]]
    if arguments.search:
        rows = _found(arguments.search)
    elif arguments.matrices:
        rows = [("id", "order", "entries", "suite", "papers or what it stands for")]
        rows += [
            (e.id, _count(e.order), _count(e.nnz_with_zeros), e.suite, _role(e)) for e in catalogue.entries()
        ]
    else:
        registry.load_all()
        rows = [("stage", "implementation", "device", "options", "what it is")]
        rows += [(i.stage, i.name, i.device, _options(i), i.summary) for i in registry.registered()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())
    return 0


def _found(word: str) -> list[tuple[str, ...]]:
    """What the collection holds, under the ids that it has here."""
    found = collection.search(word, collection.index())
    if not found:
        raise UnknownNameError(f"--search {word}: no matrix of the collection has it in its name or kind")
    rows: list[tuple[str, ...]] = [("id", "order", "entries", "kind")]
    for e in found:
        order = str(e.rows) if e.rows == e.columns else f"{e.rows}x{e.columns}"
        rows.append((catalogue.resolve(f"{e.group}/{e.name}"), order, str(e.entries), e.kind))
    return rows


def _fetch_arguments(command: argparse.ArgumentParser) -> None:
    suites = ", ".join(experiments.SUITES)
    command.add_argument(
        "name", nargs="*", metavar="NAME|SUITE", help=f"a matrix as for `fillpath run`, or one of {suites}"
    )
    command.add_argument("--offline", action="store_true", help="ask no server, as with FILLPATH_OFFLINE=1")
    command.add_argument("--trust", action="store_true", help="download again, and accept a changed archive")
    command.add_argument("--index", action="store_true", help="renew the index that --search reads")


def _fetch(arguments: argparse.Namespace) -> int:
    if not arguments.name and not arguments.index:
        raise UnknownNameError(f"fetch: name a matrix, or one of {', '.join(experiments.SUITES)}")
    suites = [name for name in arguments.name if name in experiments.SUITES]
    named = [catalogue.resolve(name) for name in arguments.name if name not in experiments.SUITES]
    within = [e.id for e in catalogue.entries() if any(e.suite in experiments.SUITES[s] for s in suites)]
    if arguments.index:
        print(f"index: {len(collection.refresh(offline=arguments.offline))} matrices")
    outcomes = []
    for outcome in batch.fetch_each(
        dict.fromkeys(named + within), offline=arguments.offline, trust_change=arguments.trust
    ):
        print(f"{outcome.matrix}: {outcome.told}", flush=True)
        outcomes.append(outcome)
    if outcomes:
        print(_counted(outcomes))
    missing = [o for o in outcomes if o.how == "unobtainable" and o.matrix in named]
    return int(bool(missing) or any(o.how in ("failed", "not tried") for o in outcomes))


def _counted(outcomes: Sequence[batch.Outcome]) -> str:
    """`3 matrices: 2 downloaded, 1 failed; 1.2 MB arrived`."""
    counts = Counter(outcome.how for outcome in outcomes)
    arrived = paths.bytes_text(sum(outcome.arrived for outcome in outcomes))
    listed = ", ".join(f"{count} {how}" for how, count in counts.items())
    return f"{len(outcomes)} {'matrix' if len(outcomes) == 1 else 'matrices'}: {listed}; {arrived} arrived"


def _run_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("stage", help=f"one of {', '.join(registry.STAGES)}")
    command.add_argument("implementation", help="see `fillpath list`")
    command.add_argument(
        "matrix", help="a name, Group/Name, a generator such as poisson3d:16, or an .mtx file"
    )
    command.add_argument("--ordering", choices=ORDERINGS, default="natural", help="fill-reducing permutation")
    command.add_argument(
        "--matching", choices=MATCHINGS,
        help="row matching for a large diagonal; auto: none where the diagonal is full and the matrix is "
        "symmetric or pattern-only (default: auto; none with --diagonal)",
    )  # fmt: skip
    command.add_argument(
        "--diagonal", type=_positive, default=0, metavar="V",
        help="value in place of a missing or zero diagonal entry, instead of a matching",
    )  # fmt: skip
    command.add_argument("--drop-zeros", action="store_true", help="leave explicit zeros out")
    command.add_argument(
        "--option", action="append", default=[], metavar="KEY=VALUE", help="of the implementation; repeatable"
    )
    command.add_argument(
        "--samples", type=_positive, help="at least so many (default: 10, or 20 s, at least 3)"
    )
    command.add_argument("--seed", type=_natural, default=0, help="of preparation and algorithm (default: 0)")
    command.add_argument("--threads", type=_natural, default=0, help="CPU threads (default: all cores)")
    command.add_argument(
        "--gpus", type=_natural, default=0, help="of an implementation for several (default: its own, one)"
    )
    command.add_argument(
        "--limit", type=_duration, default="600s", help="e.g. 90s, 2h (default: %(default)s)"
    )
    command.add_argument("--fresh", action="store_true", help="measure again what is stored already")
    command.add_argument("--json", action="store_true", help="print the record as JSON on standard output")


def _run(arguments: argparse.Namespace) -> int:
    introduce()
    registry.load_all()
    implementation = registry.lookup(arguments.stage, arguments.implementation)
    case = Case(
        stage=arguments.stage,
        implementation=arguments.implementation,
        matrix=catalogue.resolve(arguments.matrix),
        preparation=Preparation(
            arguments.matching or ("none" if arguments.diagonal else "auto"),
            arguments.ordering,
            not arguments.drop_zeros,
            arguments.diagonal,
        ),
        options=implementation.canonical(dict(map(_pair, arguments.option))),
        seed=arguments.seed,
        threads=arguments.threads,
        gpus=arguments.gpus,
    )
    catalogue.forget_failure(case.matrix)
    logging.getLogger("fillpath").info("measuring %s", case.name)
    limits = measuring.Limits(seconds=arguments.limit, samples=arguments.samples)
    record = measuring.measure(case, limits, fresh=arguments.fresh)
    if arguments.json:
        print(json.dumps(record.to_json(), indent=2, sort_keys=True))
    else:
        print(_told(record))
    return 0 if record.status is Status.OK else 1


def _told(record: Record) -> str:
    """A record for people: what, how long, how sure, how verified."""
    lines = [f"{record.case}: {record.status}" + (f" ({record.reason})" if record.reason else "")]
    if record.median is not None and record.verified is not None:
        low, high = interval(record.seconds)
        lines.append(f"  {record.median:.4g} s, median of {len(record.seconds)} ({low:.4g} to {high:.4g} s)")
        lines.append(f"  verified: {record.verified.method} against {record.verified.by}")
    if record.prepared is not None:
        lines.append(f"  matrix: order {record.prepared['n']}, {record.prepared['nnz']} entries")
    if record.device is not None:
        lines.append(f"  device: {record.device}, driver {record.driver}, CUDA {record.cuda}")
    work = dict(record.work or {})
    facts = work.pop("facts", None) or {}
    for title, counted in (("work", work), ("facts", facts)):
        known = [f"{name} {_number(value)}" for name, value in counted.items() if value is not None]
        if known:
            lines.append(f"  {title}: {', '.join(known)}")
    if record.suspect:
        lines.append("  suspect: faster than its bytes can be moved")
    return "\n".join(lines)


def _number(value: float) -> str:
    """Counts whole, shares and means to six digits."""
    return str(int(value)) if value == int(value) else f"{value:.6g}"


def _plan_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("suite", metavar="SUITE", help=f"one of {', '.join(experiments.SUITES)}")


def _plan(arguments: argparse.Namespace) -> int:
    suite = arguments.suite
    if suite not in experiments.SUITES:
        hint = suggest(suite, experiments.SUITES)
        raise UnknownNameError(f"suite {suite!r}: expected one of {', '.join(experiments.SUITES)}{hint}")
    made = planning.plan(replace(Settings.from_env(), suite=suite))
    print(made.text())
    return 0 if made.fits else 1


def _doctor(arguments: argparse.Namespace) -> int:
    print(diagnosis())
    return 0


def _pack_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", type=Path, nargs="?", help="default: <machine>.tar.gz")
    command.add_argument("--machine", default=None, help="default: this machine")


def _pack(arguments: argparse.Namespace) -> int:
    machine = arguments.machine or host.machine_name()
    if not re.fullmatch(r"[A-Za-z0-9_-]+", machine):
        raise UnknownNameError(f"machine {machine!r}: only letters, digits, '_' and '-' are allowed")
    target = arguments.file or Path(f"{machine}.tar.gz")
    print(f"packed {archive.pack(machine, target)} files of {machine} into {target}")
    return 0


def _unpack_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", type=Path, help="what `fillpath pack` wrote on another machine")


def _unpack(arguments: argparse.Namespace) -> int:
    machine, added = archive.unpack(arguments.file)
    print(f"unpacked {machine}: {added} records added")
    return 0


def _input_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("input", metavar="MATRIX.PREPARATION")


def _fetch_input(arguments: argparse.Namespace) -> int:
    case = _case_of(arguments.input)

    def step(within: run.Run) -> None:
        catalogue.forget_failure(case.matrix)
        catalogue.locate(case.matrix)

    return _noted(step)


def _prepare(arguments: argparse.Namespace) -> int:
    """With the reference, unless all cases of this run do without."""
    case = _case_of(arguments.input)
    wanted = (case.matrix, case.preparation)
    cases = [c for c in experiments.suite_cases(Settings.from_env()) if (c.matrix, c.preparation) == wanted]
    if cases and all(c.stage in registry.GRAPH_STAGES for c in cases):
        case = cases[0]
    return _noted(lambda within: measuring.make_ready(case, measuring.Limits(), within))


def _noted(step: Callable[[run.Run], object]) -> int:
    """Do a step of the workflow. What is wrong with one matrix stops no other: its cases will say it."""
    within = run.current() or run.alone()
    if within.remaining() <= 0:
        return 0
    try:
        step(within)
    except Exception as error:
        logging.getLogger("fillpath").warning("%s: %s", type(error).__name__, error)
    return 0


def _stage_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("stage", choices=list(registry.STAGES))


def _measure(arguments: argparse.Namespace) -> int:
    introduce()
    run.note_machine(arguments.stage)
    airspeed.run_stage(arguments.stage)
    return 0


def _machines(settings: Settings) -> dict[str, str]:
    """Where each stage of the run was measured: on a cluster not where it is drawn."""
    return {stage: run.machine_of(stage) for stage in experiments.suite_stages(settings)}


def _draw_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("paper")
    command.add_argument("figure")


def _draw(arguments: argparse.Namespace) -> int:
    import reports

    records = _loaded()
    settings = Settings.from_env()
    elsewhere = records.cases_elsewhere(_machines(settings).values())
    cases = experiments.drawn_cases(arguments.paper, arguments.figure, settings, elsewhere)
    for path in reports.draw(arguments.paper, arguments.figure, cases, records, catalogue.entries()):
        print(path)
    return 0


def _calibrate(arguments: argparse.Namespace) -> int:
    """Exit status 1 where there is a GPU and its ceilings could not be measured."""
    introduce()
    path = ceilings.calibrate()
    found = json.loads(path.read_text())
    for kind in ("host", "gpu"):
        if found[kind] is None:
            print(f"{kind}: not measured: {found['gpu_reason']}")
            continue
        print(f"{kind}: {found[kind]['name']}")
        for name, rate in found[kind]["rates"].items():
            print(f"  {name}: {rate['per_second']:.4g} a second ({rate['low']:.4g} to {rate['high']:.4g})")
    print(path)
    return int(found["gpu_reason"].startswith(ceilings.FAILED))


def _compare_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("machine", nargs="+", help="folders of results/; the others are held to the first")
    command.add_argument("--json", action="store_true", help="print the comparison as JSON")


def _compare(arguments: argparse.Namespace) -> int:
    from reports.pages.compare import compare
    from reports.pages.hardware import draw_comparison

    registry.load_all()
    for machine in arguments.machine:
        logging.getLogger("fillpath").info("%s", _held(machine).text)
    records = _loaded()
    found = compare(arguments.machine, records)
    folder = paths.SITE / "compare" / "_".join(arguments.machine)
    drawn = draw_comparison(found, records, folder)
    print(json.dumps(found.to_json(), indent=1) if arguments.json else found.text())
    for path in drawn:
        logging.getLogger("fillpath").info("%s", path)
    return 0


def _check_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("machine", nargs="*", help="folders of results/ (default: all)")


def _check(arguments: argparse.Namespace) -> int:
    """One line a folder; exit status 1 where one cannot be used."""
    refused = 0
    for machine in arguments.machine or holdings.machines():
        try:
            print(_held(machine).text)
        except InputError as error:
            print(f"{machine}: refused: {error}")
            refused += 1
    return int(bool(refused))


def _held(machine: str) -> holdings.Holdings:
    """What that folder of results/ holds. Raises UnknownNameError without it, InputError where it is
    damaged."""
    folder = paths.results() / machine
    if not folder.is_dir():
        known = holdings.machines()
        hint = suggest(machine, known) or f"; there are {', '.join(known) or 'none'}"
        raise UnknownNameError(f"no folder {folder}{hint}")
    return holdings.holdings(folder)


def _loaded() -> Records:
    """The records of all machines whose folders can be used; the others are named in warnings."""
    from reports import Records

    records = Records.load()
    for machine, reason in records.refused.items():
        logging.getLogger("fillpath").warning("%s left out: %s", machine, reason)
    return records


def _claims_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--machine", help="only that one's records (default: every machine in results/)")
    command.add_argument("--paper", choices=experiments.PAPERS, help="only that one's claims")
    command.add_argument("--json", action="store_true", help="as config/schemas/ledger.json describes it")


def _claims(arguments: argparse.Namespace) -> int:
    from reports.pages import ledger

    records = _loaded()
    if arguments.machine in records.refused:
        raise InputError(records.refused[arguments.machine])
    machines = [arguments.machine] if arguments.machine else records.machines()
    entries = catalogue.entries()
    papers = [arguments.paper] if arguments.paper else experiments.PAPERS
    cases_of = _known_cases(records)
    found = [s for name in machines for s in ledger.ledger(name, records, entries, cases_of, papers)]
    if arguments.json:
        print(json.dumps(ledger.to_json(machines, found), indent=1))
    else:
        print(ledger.table(found))
    return 0


def _known_cases(records: Records) -> Callable[[str, str], list[Case]]:
    """The cases behind a figure: the papers' own, and whatever of other suites was measured anywhere."""
    measured = frozenset(record.case for record in records.rows)
    papers = Settings(suite="papers")
    return lambda paper, figure: experiments.drawn_cases(paper, figure, papers, measured)


def _remeasure_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("claim", help="its id, as `fillpath claims` prints it")


def _remeasure(arguments: argparse.Namespace) -> int:
    """The cases behind the claim's figure that this machine has records of; without any, those of the suite.
    All in one run, whatever is stored."""
    from reports import Records
    from reports.facts.claims import find_claim
    from reports.figures import figure_of

    introduce()
    claim = find_claim(arguments.claim)
    figure = figure_of(claim.paper, claim.subject)
    here = Records.load(host.machine_name())
    stored = {record.case for record in here.rows}
    known = [case for case in _known_cases(here)(claim.paper, figure) if case.name in stored]
    cases = known or experiments.figure_cases(claim.paper, figure, Settings.from_env())
    within, failed = run.alone(), 0
    for case in cases:
        record = measuring.measure(case, fresh=True, within=within)
        print(_told(record), flush=True)
        failed += record.status is not Status.OK
    return int(bool(failed))


def _page_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--draw", action="store_true", help="first draw every figure that any machine has records for"
    )


def _page(arguments: argparse.Namespace) -> int:
    """The page of all records; exit status 1 where a figure could not be drawn, and with --draw where a
    folder was refused: that stops no measurement."""
    import reports
    from reports.pages import drawing

    try:
        airspeed.publish()
    except FillpathError as error:
        logging.getLogger("fillpath").warning("%s", error)
    records = _loaded()
    known = {pair: _known_cases(records)(*pair) for pair in reports.available_figures()}
    measured = {pair: _measured(cases, records) for pair, cases in known.items()}
    drawn = {pair: cases for pair, cases in measured.items() if cases and arguments.draw}
    launch.adopt()
    made = drawing.make(records.machines(), known, drawn, catalogue.entries(), launch.die_with_parent)
    for pair, reason in made.failed.items():
        logging.getLogger("fillpath").warning("%s not drawn: %s", ".".join(pair), reason)
    elsewhere = [Case.parse(record.case) for record in records.rows]
    cases = list(dict.fromkeys([*(case for own in measured.values() for case in own), *elsewhere]))
    try:
        comparisons = _compared(made.standings, records)
    except InputError as error:
        logging.getLogger("fillpath").warning("machines not compared: %s", error)
        comparisons = []
    print(reports.page(made.standings, cases, records, catalogue.entries(), comparisons))
    return int(bool(made.failed or (arguments.draw and records.refused)))


def _artifact(arguments: argparse.Namespace) -> int:
    """The appendix of all records."""
    import reports
    from reports.pages import artifact, drawing

    records = _loaded()
    known = {pair: _known_cases(records)(*pair) for pair in reports.available_figures()}
    launch.adopt()
    made = drawing.make(records.machines(), known, {}, catalogue.entries(), launch.die_with_parent)
    measured = {pair: _measured(cases, records) for pair, cases in known.items()}
    for path in artifact.write(made.standings, measured, records):
        print(path)
    return 0


def _measured(cases: Iterable[Case], records: Records) -> list[Case]:
    """Those that any machine has a record of."""
    names = {record.case for record in records.rows}
    return [case for case in cases if case.name in names]


def _compared(standings: Sequence[Standing], records: Records) -> list[Comparison]:
    """The machine with the most judged claims against each of the others, drawn; none for fewer than two."""
    from reports.pages.compare import compare
    from reports.pages.hardware import draw_pairs, draw_rooflines
    from reports.pages.webpage.comparison import comparison_folder, rooflines_folder
    from reports.pages.webpage.scoreboard import machines_of

    machines = machines_of(standings)
    found = [compare([machines[0], other], records) for other in machines[1:]]
    for comparison in found:
        draw_pairs(comparison, comparison_folder(comparison))
    if found:
        draw_rooflines(machines, records, rooflines_folder())
    return found


def _summary(arguments: argparse.Namespace) -> int:
    import reports

    settings = Settings.from_env()
    figures = experiments.suite_figures(settings)
    stages = _machines(settings)
    loaded = [record for name in set(stages.values()) for record in reports.Records.load(name).rows]
    records = reports.Records(tuple(r for r in loaded if r.machine == stages.get(r.parts["stage"])))
    print(reports.summary(figures, experiments.suite_cases(settings), records, catalogue.entries()))
    return 0


def _begin(arguments: argparse.Namespace) -> int:
    settings = Settings.from_env()
    before = run.current()
    begun = run.begin(settings.text(), settings.limit)
    if before is not None and before.id == begun.id:
        logging.getLogger("fillpath").info("going on with the unfinished run %s", begun.id)
    print(begun.id)
    return 0


def _finish(arguments: argparse.Namespace) -> int:
    run.finish()
    return 0


def _no_arguments(command: argparse.ArgumentParser) -> None:
    return


COMMANDS: dict[str, tuple[str, Handler, Callable[[argparse.ArgumentParser], None]]] = {
    "list": ("list implementations, or matrices", _list, _list_arguments),
    "fetch": ("download matrices into the cache, ahead of time", _fetch, _fetch_arguments),
    "run": ("measure one case: verify, then time; exit status 0 only for ok", _run, _run_arguments),
    "plan": ("bytes, disk, memory and time of a run; exit status 1 if it cannot fit", _plan, _plan_arguments),
    "doctor": ("say what this machine is, what can run on it and why not", _doctor, _no_arguments),
    "calibrate": ("measure what this machine can do at most, for rooflines", _calibrate, _no_arguments),
    "claims": ("how every claim of the papers stands, by the records here", _claims, _claims_arguments),
    "compare": ("the same cases on several machines, side by side", _compare, _compare_arguments),
    "check": ("say whether folders of results/ are whole and readable", _check, _check_arguments),
    "remeasure": ("measure anew what decides a claim, in one run", _remeasure, _remeasure_arguments),
    "pack": ("write a machine's results as one file", _pack, _pack_arguments),
    "unpack": ("merge another machine's packed results", _unpack, _unpack_arguments),
    "begin": ("workflow: open a run, or go on with the unfinished one", _begin, _no_arguments),
    "fetch-input": ("workflow: get a matrix", _fetch_input, _input_arguments),
    "prepare": ("workflow: prepare a matrix and make its reference", _prepare, _input_arguments),
    "measure": ("workflow: measure a stage of the suite under airspeed velocity", _measure, _stage_arguments),
    "draw": ("workflow: draw a figure from the records", _draw, _draw_arguments),
    "page": ("workflow: write the page, reports/index.html", _page, _page_arguments),
    "artifact": ("write the appendix of an artefact evaluation", _artifact, _no_arguments),
    "summary": ("workflow: print what ran and where the figures are", _summary, _no_arguments),
    "finish": ("workflow: close the run", _finish, _no_arguments),
}


def _case_of(text: str) -> Case:
    """A case on the input `matrix.preparation`; which implementation does not matter to preparing it."""
    return Case.parse(f"symbolic.fill1@{text}")


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key or not value:
        raise UnknownNameError(f"--option {text}: expected key=value")
    return key, value


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive integer")
    return int(text)


def _natural(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a non-negative integer")
    return int(text)


def _duration(text: str) -> float:
    try:
        limit = run.parse_limit(text)
    except FillpathError:
        limit = None
    if limit is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no time such as 90s, 30m or 2h")
    return limit


def _count(number: int | None) -> str:
    return "-" if number is None else str(number)


def _role(entry: catalogue.Entry) -> str:
    papers = ", ".join(entry.papers)
    return papers or f"stand-in for {', '.join(entry.stands_for)}"


def _options(entry: registry.Implementation) -> str:
    return ",".join(f"{option.name}={option.text(option.default)}" for option in entry.options) or "-"
