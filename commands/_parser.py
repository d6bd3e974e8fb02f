"""How commands declare arguments: argparse with one-line errors and suggestions, and types of values."""

import argparse
import shutil
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from fillpath.errors import ConfigError, suggest
from fillpath.settings import matching, one_of

# The arguments that a command's `run` takes.
Arguments = argparse.Namespace


class Parser(argparse.ArgumentParser):
    """argparse, with a suggestion for a misspelt option or choice.

    program : str, the words that a user writes to get here
    about : str, shown below the usage, its paragraphs filled
    after : str, shown at the end, as it is
    """

    def __init__(self, program: str, about: str, after: str = "") -> None:
        # A command's name comes first: argparse does not know it here.
        usage = f"{program} [OPTION] COMMAND ..." if after else None
        width = max(20, shutil.get_terminal_size().columns - 2)
        about = "\n\n".join(textwrap.fill(paragraph, width) for paragraph in about.split("\n\n"))
        super().__init__(program, usage, about, after, formatter_class=argparse.RawDescriptionHelpFormatter)

    def add_choice(self, name: str, choices: Sequence[str], **settings: Any) -> None:
        """Add an argument that takes one of these."""
        metavar = f"{{{','.join(choices)}}}"
        self.add_argument(name, type=typed(one_of(*choices)), metavar=metavar, **settings)

    def parse(self, words: Sequence[str]) -> Arguments:
        """Return the arguments. Exits with status 2 for what it does not know."""
        parsed, unknown = self.parse_known_args(words)
        if unknown:
            self.error(f"unknown argument {unknown[0]}{suggest(unknown[0], self._option_string_actions)}")
        return parsed

    def error(self, message: str) -> NoReturn:
        """End with one line, where to read more, and status 2."""
        self.exit(2, f"{self.prog}: {message}\ntry: {self.prog} --help\n")


def typed(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return the type of an argument that is parsed like a setting."""

    def value(text: str) -> Any:
        try:
            return parse(text)
        except ConfigError as error:
            raise argparse.ArgumentTypeError(f"{text!r}: {error}") from None

    return value


natural = typed(matching("[0-9]{1,19}", "a non-negative integer below 10^19", int))
pair = typed(matching("[^=]+=.+", "key=value"))
positive = typed(matching("0{0,9}[1-9][0-9]{0,18}", "a positive integer below 10^19", int))
