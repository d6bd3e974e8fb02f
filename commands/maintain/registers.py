"""Write docs/registers.csv: registers, spills and shared memory of every kernel, and print what changed.

Needs NVRTC, and no GPU."""

from __future__ import annotations

import argparse
import subprocess

from benchmarks.probes.nvrtc import registered_kernels
from benchmarks.probes.registers import TABLE, changes, compiler, from_text, to_text, usages
from commands._parser import Parser
from fillpath.errors import ConfigError
from fillpath.paths import ROOT, write_text


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--base", metavar="COMMIT", help="compare with the table of that commit, not with the one here"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit status 1 if something changed"
    )


def run(arguments: argparse.Namespace) -> int:
    table = usages(registered_kernels())
    base, _ = from_text(_base(arguments.base))
    lines = changes(base, table)
    print("\n".join([*lines, f"{len(lines)} of {len(table)} changed"]))
    if arguments.check:
        return int(bool(lines))
    write_text(TABLE, to_text(table, compiler()))
    return 0


def _base(commit: str | None) -> str:
    """The text of the table to compare with; empty where there is none yet."""
    if commit is None:
        return TABLE.read_text() if TABLE.is_file() else ""
    name = f"{commit}:{TABLE.relative_to(ROOT).as_posix()}"
    done = subprocess.run(["git", "-C", str(ROOT), "show", name], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ConfigError(f"{name}: {done.stderr.strip()}")
    return done.stdout
