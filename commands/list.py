"""List implementations, or matrices."""

import argparse
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from commands._parser import Arguments, Parser, typed
from fetch import catalogue, collection, search
from fetch.matrix_id import parse
from fillpath import registry
from fillpath.columns import columns
from fillpath.errors import ConfigError, UnknownNameError, suggest
from fillpath.settings import matching
from fillpath.stages import STAGES

# Few enough digits that any text is read at once.
_NUMBER = re.compile(r"([0-9]{1,18}\.?|[0-9]{0,18}\.[0-9]{1,18})(e\+?[0-9]{1,2})?", re.IGNORECASE)


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--matrices", action="store_true", help="list matrices instead of implementations")
    of_collection = parser.add_argument_group(
        "matrices of the SuiteSparse collection",
        "Each option narrows the list. The first use downloads the index. A..B, A.. or ..B holds its ends.",
        argument_default=argparse.SUPPRESS,
    )
    counts, shares = typed(partial(_range, whole=True)), typed(partial(_range, whole=False))
    word = typed(matching("[^\ud800-\udfff]+", "a text in UTF-8: an empty one narrows nothing"))
    for name, metavar, kind, help in (
        ("search", "WORD", word, "part of the group, name or kind"),
        ("name", "WORD", word, "part of the name alone"),
        ("group", "GROUP", word, "the whole name of the group"),
        ("kind", "WORD", word, "part of the kind, such as circuit"),
        ("rows", "A..B", counts, "number of rows: 1000..1e5"),
        ("entries", "A..B", counts, "number of entries without explicit zeros: ..1e6"),
        ("symmetry", "A..B", shares, "symmetry of the pattern, from 0 to 1: 0.9.."),
    ):
        of_collection.add_argument(f"--{name}", metavar=metavar, type=kind, help=help)


def run(arguments: Arguments) -> None:
    conditions = {name: value for name, value in vars(arguments).items() if name != "matrices"}
    if conditions:
        print("\n".join(columns(_collection(conditions))))
    elif arguments.matrices:
        print("\n".join(columns(_catalogue())))
    else:
        print(_implementations())


def _range(text: str, whole: bool) -> search.Range:
    """Parse `1000..1e6`, `1000..`, `..1e6` or one number: whole numbers from 0 on, else shares up to 1."""
    first, dots, last = text.partition("..")
    low, high = (_end(part, whole) if part else None for part in (first, last if dots else first))
    if low is None and high is None:
        raise ConfigError("the range has no end: write A..B, A.., ..B or one number")
    if low is not None and high is not None and low > high:
        raise ConfigError(f"the range holds no number: did you mean {last}..{first}?")
    return search.Range(low, high)


def _end(part: str, whole: bool) -> float:
    value = float(part) if _NUMBER.fullmatch(part) else -1.0
    if value < 0 or (not value.is_integer() if whole else value > 1):
        kind = "a whole number such as 1000 or 1e6" if whole else "a number from 0 to 1"
        raise ConfigError(f"{part!r} is not {kind}; write A..B, A.. or ..B")
    return int(value) if whole else value


def _implementations() -> str:
    """Return a paragraph per stage in their order: its summary and its implementations."""
    entries = registry.registered()
    rows = [("implementation", "device", "what it is", "options")]
    for entry in entries:
        options = ",".join(f"{each.name}={each.text(each.default)}" for each in entry.options)
        rows.append((f"  {entry.name}", entry.device, entry.summary, options or "-"))
    head, *lines = columns(rows)
    paragraphs = [head]
    for stage in STAGES.values():
        its = [line for entry, line in zip(entries, lines, strict=True) if entry.stage == stage.name]
        paragraphs.append("\n".join([f"{stage.name}: {stage.summary}", *its]))
    return "\n\n".join(paragraphs)


def _catalogue() -> Sequence[Sequence[str]]:
    rows = [("id", "order", "entries", "suite", "papers or what it stands for")]
    for entry in catalogue.entries():
        order, entries = ("-" if n is None else str(n) for n in (entry.order, entry.nnz_with_zeros))
        stood = f"stand-in for {', '.join(entry.stands_for)}" if entry.stands_for else "beyond the papers"
        role = ", ".join(entry.papers) or stood
        rows.append((entry.id, order, entries, entry.suite, role))
    return rows


def _collection(conditions: dict[str, Any]) -> Sequence[Sequence[str]]:
    """Return what the collection holds, under the ids that it has here."""
    found = search.search(**conditions)
    if not found:
        query = " ".join(f"--{name} {value}" for name, value in conditions.items())
        advice = _advice(conditions.get("group", ""))
        raise UnknownNameError(f"no matrix of the collection answers {query}{advice}")
    rows = [("id", "order", "entries", "symmetry", "of values", "kind")]
    for matrix in found:
        order = str(matrix.rows) if matrix.rows == matrix.columns else f"{matrix.rows}x{matrix.columns}"
        symmetries = f"{matrix.pattern_symmetry:g}", f"{matrix.numerical_symmetry:g}"
        rows.append((parse(matrix.label).text, order, str(matrix.entries), *symmetries, matrix.kind))
    return rows


def _advice(group: str) -> str:
    groups = {listed.group for listed in collection.local_index()}
    if not group or group in groups:
        return "; ask for less, or a wider range"
    same = [other for other in groups if other.lower() == group.lower()]
    return f"; did you mean --group {same[0]}?" if same else suggest(group, sorted(groups))
