"""The generated part of a page that is otherwise written by hand: the text between two markers."""

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


def inserted(name: str, text: str, content: str) -> str:
    """Return the text with the content between the markers. Raises ConfigError where they are missing."""
    first, last = markers(name)
    before, begin, rest = text.partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise ConfigError(f"no {first} ... {last}")
    return f"{before}{begin}\n{content}\n{end}{after}"


def update(name: str, page: Path, content: str, arguments: Arguments) -> int:
    """Write the page's part, or with --check only compare it. Returns the exit status."""
    old = page.read_text()
    new = inserted(name, old, content)
    if new != old and arguments.check:
        LOG.warning("%s: its generated part is out of date", page.name)
        return 1
    if new != old:
        write_text(page, new)
    return 0
