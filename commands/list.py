"""List implementations, or matrices."""

from __future__ import annotations

import argparse

from commands._parser import Parser
from fetch import catalogue, collection
from fetch.matrix_id import parse
from fillpath import registry
from fillpath.errors import UnknownNameError

Row = tuple[str, ...]


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--matrices", action="store_true", help="list matrices instead of implementations")
    parser.add_argument(
        "--search", metavar="WORD", default="", help="matrices of the collection, by name or kind"
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.search:
        rows = _collection(arguments.search)
    elif arguments.matrices:
        rows = _catalogue()
    else:
        rows = _implementations()
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())
    return 0


def _implementations() -> list[Row]:
    registry.load_all()
    rows = [(i.stage, i.name, i.device, _options(i), i.summary) for i in registry.registered()]
    return [("stage", "implementation", "device", "options", "what it is"), *rows]


def _catalogue() -> list[Row]:
    rows = [
        (entry.id, _count(entry.order), _count(entry.nnz_with_zeros), entry.suite, _role(entry))
        for entry in catalogue.entries()
    ]
    return [("id", "order", "entries", "suite", "papers or what it stands for"), *rows]


def _collection(word: str) -> list[Row]:
    """What the collection holds, under the ids that it has here."""
    matrices = collection.search(word, collection.index())
    if not matrices:
        raise UnknownNameError(f"--search {word}: no matrix of the collection has it in its name or kind")
    rows: list[Row] = [("id", "order", "entries", "kind")]
    for matrix in matrices:
        square = matrix.rows == matrix.columns
        order = str(matrix.rows) if square else f"{matrix.rows}x{matrix.columns}"
        id = parse(f"{matrix.group}/{matrix.name}").text
        rows.append((id, order, str(matrix.entries), matrix.kind))
    return rows


def _count(number: int | None) -> str:
    return "-" if number is None else str(number)


def _role(entry: catalogue.Entry) -> str:
    papers = ", ".join(entry.papers)
    return papers or f"stand-in for {', '.join(entry.stands_for)}"


def _options(entry: registry.Implementation) -> str:
    return ",".join(f"{option.name}={option.text(option.default)}" for option in entry.options) or "-"
