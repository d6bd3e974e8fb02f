"""Records in several commands: reading, finding their cases, a text of a record for people."""

import functools
from collections.abc import Callable, Iterable

from benchmarks.engine.run import machine_of
from benchmarks.runs.cases import drawn_cases
from fillpath import LOG, holdings, paths
from fillpath.case import Case
from fillpath.errors import InputError, find
from fillpath.host import machine_name
from fillpath.processes import interval
from fillpath.record import UNTRIED, Record
from fillpath.stages import STAGES
from reports.facts.records import Records


def load_records(machine: str | None = None) -> Records:
    """Return the records of one machine, or of all whose folders can be used: warnings name the others.

    Raises UnknownNameError for an unknown machine, InputError where another machine's folder is damaged.
    """
    if machine is not None:
        _look_up(machine)
    records = Records.load(machine, strict=machine not in (None, machine_name()))
    for name, reason in records.refused.items():
        if machine is not None:
            raise InputError(reason)
        LOG.warning("%s left out: %s", name, reason)
    return records


def figure_cases(records: Records) -> Callable[[str, str], list[Case]]:
    """Return a function that gives the cases behind (paper, figure).

    These are the papers' own, and those of other suites that have a record of any machine.
    """
    stored = {path.stem for path in paths.results().glob("*/records/*.jsonl")}
    names = frozenset(stored | {record.case for record in records.rows})
    return functools.cache(lambda paper, figure: drawn_cases(paper, figure, names))


def with_records(cases: Iterable[Case], records: Records) -> list[Case]:
    """Return the cases that any machine has tried."""
    names = {record.case for record in records.rows if record.status not in UNTRIED}
    return [case for case in cases if case.name in names]


def measured_figures(records: Records) -> dict[tuple[str, str], list[Case]]:
    """Return the cases that any machine has tried, by (paper, figure) of each figure with one."""
    from reports.figures import available_figures

    cases_of = figure_cases(records)
    found = {pair: with_records(cases_of(*pair), records) for pair in available_figures()}
    return {pair: cases for pair, cases in found.items() if cases}


def machines_here() -> list[str]:
    """Return this machine and, on a cluster, those that measured a stage of this checkout last."""
    return list(dict.fromkeys([machine_name(), *map(machine_of, STAGES)]))


def machine_holdings(machine: str) -> str:
    """Return a line on a folder of results/, all of which is read.

    Raises UnknownNameError without it, InputError where it is damaged.
    """
    _look_up(machine)
    return holdings.read(paths.results() / machine)[0]


def _look_up(machine: str) -> None:
    machines = dict.fromkeys(holdings.machines())
    find(machine, machines, "no records of machine", "" if machines else "; results/ holds none")


def record_text(record: Record) -> str:
    """Return a record for people: what, how long, how sure, how verified."""
    lines = [f"{record.case}: {record.status}" + (f" ({record.reason})" if record.reason else "")]
    if record.median is not None and record.verified is not None:
        low, high = interval(record.samples)
        lines.append(f"  {record.median:.4g} s, median of {len(record.seconds)} ({low:.4g} to {high:.4g} s)")
        lines.append(f"  verified: {record.verified.method} against {record.verified.by}")
    if record.prepared is not None:
        n, nnz, ordering = (record.prepared[name] for name in ("n", "nnz", "ordering"))
        lines.append(f"  matrix: order {n}, {nnz} entries, ordering {ordering}")
    if record.device is not None:
        lines.append(f"  device: {record.device}, driver {record.driver}, CUDA {record.cuda}")
    work = dict(record.work or {})
    facts = work.pop("facts", None) or {}
    for title, counts in (("work", work), ("facts", facts)):
        texts = [f"{name} {_number(value)}" for name, value in counts.items() if value is not None]
        if texts:
            lines.append(f"  {title}: {', '.join(texts)}")
    if record.suspect:
        lines.append("  suspect: faster than its bytes can be moved")
    return "\n".join(lines)


def _number(value: float) -> str:
    """Format a count as an integer, any other number to six digits."""
    return str(int(value)) if value == int(value) else f"{value:.6g}"
