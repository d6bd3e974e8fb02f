"""The generated part of a page that is otherwise written by hand: the text between two markers."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from commands._parser import Arguments, Parser
from fillpath import LOG
from fillpath.errors import ConfigError
from fillpath.paths import write_text


def add_check(parser: Parser) -> None:
    """Add the argument `--check`."""
    parser.add_flag("--check", "write nothing; exit status 1 if it is out of date")


def markers(name: str) -> tuple[str, str]:
    """Return the two lines that the part of this name lies between."""
    return f"<!-- {name}:begin -->", f"<!-- {name}:end -->"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table in Markdown."""
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def update(name: str, page: Path, content: str, arguments: Arguments) -> int:
    """Write the page's part, or with --check only compare it. Returns the exit status.

    Raises ConfigError where a marker is missing.
    """
    first, last = markers(name)
    old = page.read_text()
    before, begin, rest = old.partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise ConfigError(f"{page}: no {first} ... {last}")
    new = f"{before}{begin}\n{content}\n{end}{after}"
    if new != old and arguments.check:
        LOG.warning("%s: its generated part is out of date", page.name)
        return 1
    if new != old:
        write_text(page, new)
    return 0
