"""Print what changed of kernels' registers and spills since COMMIT, and then renew docs/kernels.txt.

Compiles the kernels that differ, and those that docs/kernels.txt does not list. Needs NVRTC, and no GPU."""

from benchmarks.engine.machine import git
from benchmarks.probes.registers import TABLE, changes, fingerprint, known_hashes, registered_kernels, usages
from benchmarks.runs.checkouts import worktrees
from commands._parser import Arguments, Parser
from fillpath.paths import ROOT, WORK, write_text


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--base", metavar="COMMIT", default="HEAD", help="default: HEAD")


def run(arguments: Arguments) -> None:
    commit = git(ROOT, "rev-parse", "--verify", f"{arguments.base}^{{commit}}")
    # Refused here without NVRTC, before there is a worktree.
    kernels = {fingerprint(kernel): kernel for kernel in sorted(registered_kernels(), key=str)}
    base = worktrees(ROOT, WORK / "registers", [commit])[commit]
    try:
        lines = changes(base, ROOT)
    finally:
        worktrees(ROOT, base.parent, [])
    print("\n".join([*lines, f"{len(lines)} kernels changed since {commit[:12]}"]))
    usages(kernels[hash] for hash in kernels.keys() - known_hashes())
    write_text(TABLE, "".join(f"{hash}  {kernel}\n" for hash, kernel in kernels.items()))
