"""The front door: each file of this folder is one command of `fillpath`, with its arguments and what it does.

A command is found by its file, as an implementation is. The first line of its docstring is its help;
`add_arguments(parser)`, if it takes any, declares them. `run(arguments)` does the work and returns the exit
status, or nothing for 0. A folder is a group, `fillpath GROUP COMMAND`, of what the workflow or a maintainer
calls; the first help leaves it out. A file whose name begins with an underscore is no command: several share
it. Help is read without importing a command: each imports the rooms that it needs, which takes a second."""

import ast
import importlib.util
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from pkgutil import ModuleInfo, iter_modules
from typing import NoReturn

from commands._parser import Parser
from fillpath import __version__, paths, surroundings
from fillpath.columns import columns
from fillpath.ending import ended, use_utf8
from fillpath.errors import ConfigError, suggest
from fillpath.settings import settings

ABOUT = "Measure sparse factorisation, verified before timed."
EXAMPLES = """examples:
  fillpath list                                     what is implemented
  fillpath list --matrices                          which matrices have a name here
  fillpath list --matrices --search circuit         which others the SuiteSparse collection holds
  fillpath fetch small HB/bcsstk18                  download a suite's matrices and one more, ahead of time
  fillpath run symbolic fill2_cpu poisson3d:16      a generated matrix, nothing to download
  fillpath run symbolic fill1_pruned HB/bcsstk18 --ordering metis --json
  fillpath run symbolic fill2_cpu my.mtx --threads 1 --samples 5
  fillpath doctor                                   what can run on this machine, and why not
"""


def members(package: str = __name__) -> dict[str, ModuleInfo]:
    """Return the commands and groups of a package, by the name that a user writes, words joined by `-`."""
    modules = iter_modules(importlib.import_module(package).__path__, f"{package}.")
    return {program(module).rpartition(" ")[2]: module for module in modules if "._" not in module.name}


def program(module: ModuleInfo) -> str:
    """Return what a user writes to run a command: `fillpath run`."""
    return module.name.replace("commands", "fillpath", 1).replace("_", "-").replace(".", " ")


def summary(module: ModuleInfo) -> str:
    """Return the first line of a command's docstring, without an import, or that it cannot be read."""
    spec = importlib.util.find_spec(module.name)
    assert spec is not None and spec.origin is not None, f"{module.name} is no file"
    try:
        tree = ast.parse(Path(spec.origin).read_bytes(), spec.origin)
    # Python 3.11 before .4 raises ValueError for null bytes.
    except (SyntaxError, ValueError):
        return "cannot be read"
    return (ast.get_docstring(tree) or "").partition("\n")[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit status: 0 done, 1 not ok, 2 a request that makes no sense."""
    if arguments is None:
        use_utf8()
    return ended(lambda: _run(sys.argv[1:] if arguments is None else arguments))


def _run(words: Sequence[str]) -> int | None:
    """Import the command that the words begin with, and call it with those that follow."""
    logging.basicConfig(level=logging.INFO, format="fillpath: %(message)s", stream=sys.stderr)
    chosen, words = _choose(words)
    if not {"-h", "--help"} & set(words):
        # Before the arguments: what they may be is read from the checkout.
        paths.require_checkout()
    surroundings.forget()
    try:
        command = importlib.import_module(chosen.name)
    except SyntaxError as error:
        place = f"{error.filename or chosen.name}:{error.lineno}"
        raise ConfigError(f"{place}: cannot be read ({error.msg})") from None
    if not hasattr(command, "run"):
        raise ConfigError(f"{command.__file__} has no function run(arguments)")
    parser = Parser(program(chosen), command.__doc__ or "")
    if hasattr(command, "add_arguments"):
        command.add_arguments(parser)
    parsed = parser.parse(words)
    settings()
    status: int | None = command.run(parsed)
    return status


def _choose(words: Sequence[str], group: ModuleInfo | None = None) -> tuple[ModuleInfo, Sequence[str]]:
    """Return the command that the words begin with, and the words after it."""
    choices = members(group.name if group else __name__)
    if not words or words[0] not in choices:
        _end(words, group, choices)
    chosen = choices[words[0]]
    return _choose(words[1:], chosen) if chosen.ispkg else (chosen, words[1:])


def _end(words: Sequence[str], group: ModuleInfo | None, choices: dict[str, ModuleInfo]) -> NoReturn:
    """End with the help of a group or of all, if the words ask for it, or with status 2."""
    listed = [(f"  {name}", summary(module)) for name, module in choices.items() if not module.ispkg]
    listing = "\n".join(["commands:", *columns(listed)])
    if group:
        parser = Parser(program(group), summary(group), listing)
    else:
        parser = Parser("fillpath", ABOUT, f"{listing}\n\n{EXAMPLES}")
        parser.add_argument("--version", action="version", version=f"fillpath {__version__}")
    if not words or words[0].startswith("-"):
        parser.parse(words)
        parser.error("name a command")
    groups = [name for name, each in choices.items() if each.ispkg and words[0] in members(each.name)]
    hint = f"; did you mean {groups[0]} {words[0]}?" if groups else suggest(words[0], choices)
    parser.error(f"no command {words[0]!r}{hint}")
