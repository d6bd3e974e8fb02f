"""Every FILLPATH_ variable: its name, its meaning, and what holds without it. A process reads them once.

`settings()` gives their values; nothing else reads the environment for them. An empty variable counts as
none. One that begins with FILLPATH_ and is not listed here is refused: it is a misspelt one.

    FILLPATH_SUITE=small FILLPATH_LIMIT=2h fillpath list
    settings().suite, settings().limit    # "small", 7200.0
"""

import difflib
import functools
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Self

from fillpath.errors import ConfigError, suggest

# The catalogue's classes of matrices that belong to each suite.
SUITES: Mapping[str, tuple[str, ...]] = {
    "embedded": ("embedded",),
    "small": ("small",),
    "papers": ("small", "papers"),
}
PREFIX = "FILLPATH_"
# Processes that measure a case, and that a claim of a time needs: medians of two differ by more than the
# samples of either.
PROCESSES = 5


def seconds(text: str) -> float:
    """Return the seconds in `90`, `90s`, `30m` or `2h`. Raises ConfigError."""
    match = re.fullmatch(r"([0-9]*\.?[0-9]+)([smh]?)", text)
    if match is None or float(match[1]) <= 0:
        raise ConfigError("expected a time such as 90s, 30m or 2h")
    return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]


def one_of(*choices: str) -> Callable[[str], str]:
    """Return a parser of a text that is one of these."""

    def choice(text: str) -> str:
        if text not in choices:
            raise ConfigError(f"expected one of {', '.join(choices)}{suggest(text, choices)}")
        return text

    return choice


def _paper(text: str) -> str:
    # This module is imported by paths, and so by papers and config: they are imported late.
    from fillpath.papers import papers

    return one_of(*papers())(text)


def _figure(text: str) -> str:
    from fillpath.config import figure_names

    of_paper = [name for name in figure_names() if name.startswith(f"{text.partition('.')[0]}.")]
    return one_of(*(of_paper or figure_names()))(text)


def matching(pattern: str, expected: str, value: Callable[[str], Any] = str) -> Callable[[str], Any]:
    """Return a parser of the texts that match a pattern. expected : str, what they are, for an error."""

    def parse(text: str) -> Any:
        if re.fullmatch(pattern, text) is None:
            raise ConfigError(f"expected {expected}")
        return value(text)

    return parse


_count = matching("[1-9][0-9]?", "a number from 1 to 99", int)
_switch = matching("[01]", "1, 0 or nothing", "1".__eq__)
# The name is a folder of results/, and part of the names of files.
_machine = matching(
    r"[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?", "letters, digits, `_` and `-`, with no `-` at either end"
)


def _folder(text: str) -> Path:
    path = Path(text)
    try:
        file = next((part for part in (path, *path.parents) if part.exists() and not part.is_dir()), None)
    except OSError as error:
        raise ConfigError(f"expected a folder: {error.strerror}") from None
    if file is not None:
        raise ConfigError(f"expected a folder, and {'this' if file == path else file} is none")
    return path


def _file(text: str) -> Path:
    path = Path(text)
    if not path.is_file():
        raise ConfigError("expected a file, and there is none")
    return path.absolute()


def _profile(text: str) -> str:
    from fillpath.paths import ROOT

    profiles = sorted(path.name for path in (ROOT / "profiles").glob("*/"))
    if not profiles:
        raise ConfigError(f"{ROOT / 'profiles'} has no profile; run in a checkout, or unset it")
    return one_of(*profiles)(text)


_BY_DRIVER = "what the driver supports"
_INSTALLED = "where it is installed"


def _choice(default: Any, meaning: str, absent: str, parse: Callable[[str], Any] = str) -> Any:
    """Return a field of Settings with the words of VARIABLES, and the parser of its text."""
    return field(default=default, metadata={"meaning": meaning, "absent": absent, "parse": parse})


@dataclass(frozen=True)
class Settings:
    """Choices of the user. The field `suite` is the variable FILLPATH_SUITE, and so on."""

    suite: str = _choice("embedded", "size class: embedded, small or papers", "embedded", one_of(*SUITES))
    paper: str = _choice("", "only the figures of this paper", "all papers", _paper)
    figure: str = _choice("", "only this figure, such as gsofa.fig10", "all figures", _figure)
    device: str = _choice("", "only what runs on cpu or gpu", "both", one_of("cpu", "gpu"))
    processes: int | None = _choice(None, "processes that measure a case", "5, embedded suite: 1", _count)
    limit: float | None = _choice(None, "time that a run may take: 90s, 30m, 2h", "no limit", seconds)
    fresh: bool = _choice(False, "1: measure again what is stored", "0", _switch)
    machine: str = _choice("", "name of this kind of machine", "the host's name", _machine)
    results: Path | None = _choice(None, "folder of all results", "results/ of the checkout", _folder)
    cache: Path | None = _choice(None, "folder of downloads, prepared inputs", "~/.cache/fillpath", _folder)
    packs: Path | None = _choice(None, "folder of the packs of `make gpu`", "packs/ of the checkout", _folder)
    work: Path | None = _choice(None, "folder of locks, logs, markers and the page", "the checkout", _folder)
    mirror: str = _choice("", "folder or URL in place of the collection", "its site")
    offline: bool = _choice(False, "1: ask no server", "0", _switch)
    profile: str = _choice("default", "folder of profiles/ that says where jobs run", "default", _profile)
    cuda: str = _choice("", "CUDA that CuPy is for: 12, 13, none", _BY_DRIVER, one_of("none", "12", "13"))
    superlu_dist: Path | None = _choice(None, "file of SuperLU_DIST's library", _INSTALLED, _file)
    hypre: Path | None = _choice(None, "file of HYPRE's library", _INSTALLED, _file)
    amgx: Path | None = _choice(None, "file of AmgX's library", _INSTALLED, _file)
    mumps: Path | None = _choice(None, "file of MUMPS's library", _INSTALLED, _file)
    umfpack: Path | None = _choice(None, "file of UMFPACK's library", _INSTALLED, _file)
    cholmod: Path | None = _choice(None, "file of CHOLMOD's library", _INSTALLED, _file)

    @classmethod
    def from_env(cls, environment: Mapping[str, str]) -> Self:
        """Read the settings. Raises ConfigError for an unknown, malformed or contradictory variable."""
        refuse_unknown(environment)
        values = {}
        for each in fields(cls):
            name = variable_of(each.name)
            if text := environment.get(name):
                try:
                    values[each.name] = each.metadata["parse"](text)
                except ConfigError as error:
                    raise ConfigError(f"{name}={text}: {error}") from None
        chosen = cls(**values)
        if chosen.figure and chosen.paper not in ("", chosen.figure.partition(".")[0]):
            raise ConfigError(
                f"FILLPATH_FIGURE={chosen.figure} is no figure of FILLPATH_PAPER={chosen.paper}: "
                "give one of the two"
            )
        return chosen

    def covers(self, paper: str, figure: str) -> bool:
        """Return whether that figure is among the chosen ones."""
        return self.paper in ("", paper) and self.figure in ("", f"{paper}.{figure}")

    @property
    def rounds(self) -> int:
        """Return how many processes measure a case: a claim of a time is judged from five on."""
        return self.processes or (1 if self.suite == "embedded" else PROCESSES)

    def text(self) -> str:
        """Return the choices that distinguish one run from another, without its time limit."""
        names = ("suite", "paper", "figure", "device", "fresh", "rounds")
        return json.dumps({name: getattr(self, name) for name in names}, sort_keys=True)


def without_login(text: str) -> str:
    """Return a text without users and passwords of addresses, also of a malformed http://me:sec/ret@host."""
    return re.sub(r"://([^/\s]*@|[^/\s:[]+:(?![0-9]*/)\S*@)", "://", text)


def variable_of(field: str) -> str:
    """Return the variable of a field of Settings."""
    return f"{PREFIX}{field.upper()}"


# The variable by which a process names itself to its children; its value changes while a process runs.
PARENT = "FILLPATH_PARENT"
# The meaning of each variable in a line, and what holds without it, in words.
VARIABLES = {
    **{variable_of(f.name): (f.metadata["meaning"], f.metadata["absent"]) for f in fields(Settings)},
    "FILLPATH_DEBUG": ("1: show the traceback of what went wrong", "0"),
    "FILLPATH_BROWSER": ("tests: 1 where a missing browser is a failure", "0"),
    "FILLPATH_MPI": ("tests: 1 where a missing MPI is a failure", "0"),
    "FILLPATH_KILL_RANDOM": ("tests: the trial that a process belongs to", "-"),
    PARENT: ("between processes: the one whose end this one follows", "-"),
}


def refuse_unknown(environment: Mapping[str, str]) -> None:
    """Raise ConfigError for a variable that begins with FILLPATH_ and does not exist."""
    for name in environment:
        if name.startswith(PREFIX) and name not in VARIABLES:
            words = [each.removeprefix(PREFIX) for each in VARIABLES]
            near = difflib.get_close_matches(name.removeprefix(PREFIX), words, 1)
            hint = f"did you mean {PREFIX}{near[0]}?" if near else f"there are {', '.join(VARIABLES)}"
            raise ConfigError(f"{name}: no such setting; {hint}")


@functools.cache
def settings() -> Settings:
    """Return the settings of this process, read once. Raises ConfigError."""
    return Settings.from_env(os.environ)
