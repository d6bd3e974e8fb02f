"""Print what changed of kernels' registers and spills since COMMIT, and renew docs/kernels.txt.

Compiles the kernels that differ, and those that docs/kernels.txt does not list. Needs NVRTC, and no GPU."""

from collections.abc import Container, Iterable

from benchmarks.engine.machine import git
from benchmarks.probes.registers import TABLE, changes, fingerprint, known_hashes, registered_kernels, usages
from benchmarks.runs.checkouts import clear, worktrees
from commands._parser import Arguments, Parser
from fillpath.paths import ROOT, WORK, write_text


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--base", metavar="COMMIT", default="HEAD", help="default: HEAD")


def run(arguments: Arguments) -> int:
    commit = git(ROOT, "rev-parse", "--verify", f"{arguments.base}^{{commit}}")
    named = sorted(registered_kernels(), key=str)
    # Refused here without NVRTC, before there is a worktree.
    kernels = {f"{fingerprint(kernel)}  {kernel}\n": kernel for kernel in named}
    base = worktrees(ROOT, WORK / "registers", [commit])[commit]
    try:
        lines = changes(base, ROOT)
    finally:
        clear(ROOT, base)
    print("\n".join([*lines, f"{len(lines)} kernels changed since {commit[:12]}"]))
    known = known_hashes()
    listed = {line for line in kernels if line.split()[0] in known}
    _write(kernels, listed)
    for line in [line for line in kernels if line not in listed]:
        usages([kernels[line]])
        listed.add(line)
        # A kill loses one variant.
        _write(kernels, listed)
    return 0


def _write(kernels: Iterable[str], listed: Container[str]) -> None:
    """Write the listed lines in the order of the kernels."""
    write_text(TABLE, "".join(line for line in kernels if line in listed))
