"""The generated part of a page that is otherwise written by hand: the text between two markers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fillpath.errors import ConfigError
from fillpath.paths import write_text


@dataclass(frozen=True)
class Part:
    """A generated part.

    name : of its two markers
    """

    name: str

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

    def is_current(self, page: Path, content: str) -> bool:
        """Whether the page holds the content already. Raises ConfigError where the markers are missing."""
        text = page.read_text()
        return self.inserted(text, content) == text

    def write(self, page: Path, content: str) -> None:
        """Write the content into the page. Raises ConfigError where the markers are missing."""
        write_text(page, self.inserted(page.read_text(), content))
