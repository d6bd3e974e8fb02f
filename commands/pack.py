"""Write a machine's results as one file, for another checkout, a colleague or a reviewer.

`fillpath unpack` merges the results in it. Exit status 1 where a figure could not be judged or drawn."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.engine.follow import adopt, begin_part
from benchmarks.engine.machine import git_state
from benchmarks.runs import archive
from commands._parser import Arguments, Parser
from commands._records import figure_cases, machine_holdings, measured_figures
from fetch import catalogue, collection
from fillpath import LOG, host
from fillpath.errors import UnknownNameError
from reports.facts.records import Records
from reports.pages import crate, drawing, handout


def add_arguments(parser: Parser) -> None:
    parser.add_argument("file", type=Path, nargs="?", help="default: <machine>.tar.gz")
    parser.add_argument("--machine", help="default: this machine")
    parser.add_argument("--figures", action="store_true", help="add its figures, their numbers and a summary")
    parser.add_argument("--crate", action="store_true", help="make it an RO-Crate: how all of it came about")


def run(arguments: Arguments) -> int:
    machine = host.machine_name() if arguments.machine is None else arguments.machine
    if not re.fullmatch(r"[A-Za-z0-9_-]+", machine):
        raise UnknownNameError(f"machine {machine!r}: only letters, digits, '_' and '-' are allowed")
    target = arguments.file or Path(f"{machine}.tar.gz")
    made: dict[str, bytes] = {}
    failed = False
    if arguments.figures or arguments.crate:
        LOG.info("%s", machine_holdings(machine))
        records = Records.load(machine)
        if arguments.figures:
            made, failed = _drawn(machine, records)
        if arguments.crate:
            stored, version = archive.contents(machine), crate.version_text(*git_state())
            made[archive.METADATA] = crate.metadata(records, stored, made, version, collection.SITE)
    print(f"packed {archive.pack(machine, target, made)} files of {machine} into {target}")
    return int(failed)


def _drawn(machine: str, records: Records) -> tuple[dict[str, bytes], bool]:
    """Return figures and summary by their paths in the pack, and whether any could not be judged or drawn."""
    drawn = measured_figures(records)
    LOG.info("judging the claims and drawing %d figures of %s", len(drawn), machine)
    adopt()
    with TemporaryDirectory() as folder:
        sources = drawing.Sources(records, figure_cases(records), catalogue.entries(), site=Path(folder))
        result = drawing.make(sources, begin_part, drawn)
        files = handout.files(machine, records, result, Path(folder))
    return {f"{archive.REPORT}/{name}": data for name, data in files.items()}, bool(result.failed)
