"""Seek a twin at hand of each of the papers' matrices that is not: config/twins.csv, docs/twins.md.

Only what is out of date is sought; each result is written as it comes, so that a stopped search resumes."""

from __future__ import annotations

import argparse
import logging

from benchmarks.runs.twin_candidates import Search, searches
from benchmarks.runs.twin_search import Target, fingerprint, nearest
from commands._parser import Parser
from commands.maintain._part import add_check, update
from fetch import catalogue
from fillpath import registry
from fillpath.errors import UnknownNameError, suggest
from fillpath.paths import ROOT
from fillpath.twins import FILE, Nearest, read_twins, write_twins
from reports.facts.distance import of_print
from reports.facts.printed import printed_table
from reports.pages.generated_part import Part

PART = Part("twins")

_log = logging.getLogger("fillpath")


def add_arguments(parser: Parser) -> None:
    parser.add_argument("matrices", nargs="*", metavar="MATRIX", help="of config/twins.yaml (default: all)")
    add_check(parser)


def run(arguments: argparse.Namespace) -> int:
    asked = _asked(arguments.matrices)
    if not arguments.check:
        registry.load_all()
        for search in asked:
            _seek(search)
    return update(PART, ROOT / "docs" / "twins.md", twins_table(read_twins(FILE)), arguments)


def _asked(matrices: list[str]) -> list[Search]:
    known = {search.matrix: search for search in searches()}
    for matrix in matrices:
        if matrix not in known:
            raise UnknownNameError(f"config/twins.yaml has no {matrix!r}{suggest(matrix, known)}")
    return [search for search in known.values() if search.matrix in (matrices or known)]


def _seek(search: Search) -> None:
    """Seek one twin unless its row stands, and write the row."""
    target = target_of(search)
    rows = {row.matrix: row for row in read_twins(FILE)}
    if search.matrix in rows and rows[search.matrix].search == fingerprint(search, target):
        return
    found = nearest(search, target)
    word = "a twin" if found.within else "no twin"
    _log.warning("%s: %s, %s of %d tried", search.matrix, word, found.nearest or "none", found.tried)
    rows = {row.matrix: row for row in read_twins(FILE)} | {search.matrix: found}
    write_twins(FILE, [rows[each.matrix] for each in searches() if each.matrix in rows])


def target_of(search: Search) -> Target:
    """What the catalogue and the papers print of the matrix."""
    entry = catalogue.lookup(search.matrix)
    entries = entry.nnz_with_zeros or entry.nnz or 0
    return Target(entry.order or 1, entries / (entry.order or 1), _printed_fill(entry, search.preparation))


def _printed_fill(entry: catalogue.Entry, preparation: str) -> float | None:
    """Fill-ins over entries, as a paper prints it under that preparation of the whole matrix."""
    if preparation == "mc64+amd" and "glu3" in entry.papers and "glu3" not in entry.lower_in:
        rows = printed_table("glu3_table1_kernel_time").set_index("matrix")
        return float(rows.nnz_filled[entry.name] / rows.nz[entry.name] - 1)
    printed = of_print(entry) if preparation == "metis" else None
    return printed.fill if printed else None


def twins_table(rows: tuple[Nearest, ...]) -> str:
    """One line per matrix of the papers: its twin or the nearest that was tried, and how far it is."""
    head = ("Matrix", "Twin", "n", "nnz/n", "Symmetry", "Fill", "Under", "Tried", "Note")
    lines = [head, ("---",) * len(head), *map(_cells, rows)]
    found = sum(row.within for row in rows)
    count = f"{found} of {len(rows)} have a twin; {sum(not row.nearest for row in rows)} were not sought."
    return "\n".join([count, "", *(f"| {' | '.join(line)} |" for line in lines)])


def _cells(row: Nearest) -> tuple[str, ...]:
    name = f"`{row.nearest.replace(',', ':')}`"
    twin = name if row.within else f"none; nearest {name}" if row.nearest else "none"
    ratios = (f"{ratio:.2f}x" if ratio else "-" for ratio in (row.order, row.density))
    symmetry = "-" if row.symmetry is None else f"{row.symmetry:+.2f}"
    fill = f"{row.fill:.2f}x" if row.fill else "not printed" if row.nearest else "-"
    return (row.matrix, twin, *ratios, symmetry, fill, row.preparation, str(row.tried), row.note)
