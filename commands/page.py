"""Write the page of all records, reports/index.html, or draw single figures anew.

Exit status 1 where a figure could not be judged or drawn, and with --draw where a folder was refused: that
stops no measurement."""

from collections.abc import Collection, Sequence
from itertools import chain

from benchmarks.engine.follow import adopt, begin_part
from benchmarks.runs import airspeed
from commands._parser import Arguments, Parser
from commands._records import figure_cases, load_records, machines_here, measured_figures
from fetch import catalogue
from fillpath import LOG
from fillpath.case import Case
from fillpath.errors import FillpathError, InputError
from reports import figures
from reports.claims.verdict import Standing
from reports.facts.records import Records
from reports.hardware.comparison import Comparison, compare
from reports.hardware.pictures import draw_comparison
from reports.pages import drawing, webpage
from reports.pages.webpage.exhibits import machines_of
from reports.shapes import style


def add_arguments(parser: Parser) -> None:
    draw = "first draw every figure that any machine has records for; or only these, and no page"
    parser.add_argument("--draw", nargs="*", metavar="FIGURE", help=draw)
    parser.add_argument("--machine", help="draw these figures by that one's records")


def run(arguments: Arguments) -> int:
    if arguments.draw or arguments.machine:
        return _draw(arguments.draw or [], arguments.machine)
    records, draws = load_records(), arguments.draw is not None
    drawn = measured_figures(records) if draws else ()
    return int(not write(drawn, records) or bool(draws and records.refused))


def _draw(names: Sequence[str], machine: str | None) -> int:
    """Draw these figures alone, such as gsofa.fig10, by the records of a machine, or of all."""
    if not names:
        raise InputError("--machine goes with --draw FIGURE: name a figure, such as gsofa.fig10")
    pairs = [(paper, figure) for paper, _, figure in (name.partition(".") for name in names)]
    for pair in pairs:
        figures.exhibit(*pair)
    records = load_records(machine)
    sources = drawing.Sources(records, figure_cases(records), catalogue.entries(), machines_here())
    result = drawing.make(sources, begin_part, pairs, papers=())
    for pair in dict.fromkeys(pair for pair in pairs if pair not in result.failed):
        print(style.figure_path(figures.stem(*pair), "svg"))
    return int(bool(result.failed))


def write(drawn: Collection[tuple[str, str]], records: Records) -> bool:
    """Draw figures, judge every claim and write the page. Returns whether all of it could be done.

    drawn : (paper, figure) of each figure to draw
    """
    try:
        airspeed.publish(machines_here())
    except FillpathError as error:
        LOG.warning("%s", error)
    adopt()
    entries, measured = catalogue.entries(), measured_figures(records)
    sources = drawing.Sources(records, figure_cases(records), entries, machines_here())
    result = drawing.make(sources, begin_part, drawn)
    others = (Case.parse(record.case) for record in records.rows)
    shown = list(dict.fromkeys(chain(*measured.values(), others)))
    comparison = _comparison(result.standings, records)
    undrawn = {pair: result.failed.get(pair, "not drawn yet") for pair in measured}
    print(webpage.page(result.standings, shown, records, entries, comparison, undrawn))
    return not result.failed


def _comparison(standings: Sequence[Standing], records: Records) -> Comparison | None:
    """Compare the machines; None for a single machine, or where a folder is damaged."""
    machines = machines_of(standings)
    if len(machines) < 2:
        return None
    comparison = compare(machines, records)
    try:
        draw_comparison(comparison, records)
    except InputError as error:
        LOG.warning("machines not compared: %s", error)
        return None
    return comparison
