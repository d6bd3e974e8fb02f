"""The readable part of a pack: figures, their numbers and a summary. Same records, same bytes."""

from pathlib import Path

from fillpath.case import Case
from reports.facts.records import Records
from reports.hardware.roofline import rooflines, roofs
from reports.pages.drawing import Result
from reports.pages.ledger.text import HARDWARE_DIFFERS, counts
from reports.pages.webpage.machines import machine_facts
from reports.shapes import style
from reports.table import case_table


def files(machine: str, records: Records, result: Result, site: Path) -> dict[str, bytes]:
    """Return by path a summary (claims, facts, failed figures), figures as SVG and CSV, and rooflines.

    records, result : of that machine alone
    site : where its figures were drawn

    Raises InputError for damaged ceilings.
    """
    cases = [Case.parse(record.case) for record in records.rows]
    rows = machine_facts(machine, case_table(records, cases, (), ""), records)
    rows += [(label, str(count)) for _, label, count in counts(result.standings)]
    rows += [(".".join(pair), reason) for pair, reason in result.failed.items()]
    width = max(len(name) for name, _ in rows)
    facts = [f"{name:<{width}}  {value}" for name, value in rows]
    summary = "\n".join([f"fillpath on {machine}", "", HARDWARE_DIFFERS, "", *facts, ""])
    folder = site / "figures"
    if roofs(machine):
        style.write_picture(rooflines([machine], records), folder / "rooflines.svg")
    # Not what is for the page alone: it has another ending before its last.
    drawn = [path for path in sorted(folder.glob("*")) if path.suffixes in ([".svg"], [".csv"])]
    return {"summary.txt": summary.encode(), **{f"figures/{each.name}": each.read_bytes() for each in drawn}}
