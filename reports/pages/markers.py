"""Parts of hand-written pages that are generated: what stands between two markers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fillpath.errors import ConfigError
from fillpath.paths import write_text


@dataclass(frozen=True)
class Part:
    """A generated part. name : of its markers. module : whose `--write` makes it."""

    name: str
    module: str

    @property
    def begin(self) -> str:
        return f"<!-- {self.name}:begin -->"

    @property
    def end(self) -> str:
        return f"<!-- {self.name}:end -->"

    def inserted(self, text: str, content: str) -> str:
        """The text with the content between the markers. Raises ConfigError where they are missing."""
        before, begin, rest = text.partition(self.begin)
        _, end, after = rest.partition(self.end)
        if not begin or not end:
            raise ConfigError(f"no {self.begin} ... {self.end}")
        return f"{before}{begin}\n{content}\n{end}{after}"

    def main(self, page: Path, content: Callable[[], str], arguments: list[str] | None) -> int:
        """`--check` or `--write` the page's part; exit status 1 where it is out of date."""
        parser = argparse.ArgumentParser(
            prog=f"python -m {self.module}", description=f"the generated part of {page.name}"
        )
        choice = parser.add_mutually_exclusive_group(required=True)
        choice.add_argument("--check", action="store_true", help="exit status 1 where it is out of date")
        choice.add_argument("--write", action="store_true", help=f"write it into {page.name}")
        chosen = parser.parse_args(arguments)
        text = page.read_text()
        wanted = self.inserted(text, content())
        if chosen.write and wanted != text:
            write_text(page, wanted)
        if chosen.check and wanted != text:
            print(f"{page.name}: its generated part is old: python -m {self.module} --write", file=sys.stderr)
            return 1
        return 0
