"""Many small factorisations by `parac_gpu`, each compared with `ac_sequential`, on random numbers of blocks.

    python -m tests.parac_stress [--count 10000] [--seed 0] [--limit 60]

A difference, an error, or one that takes longer than the limit (seconds) ends it with status 1.
"""

import argparse
import faulthandler
import sys

import numpy as np

from impl.cuda import kernels
from tests.parac_graphs import random_graph
from tests.test_parac_gpu import assert_sequential

# Vertices: most graphs are so small that blocks meet at every one of them.
MOST = (4, 30, 100, 1500)
BLOCKS = 400
EVERY = 500


def one(seed: int) -> int:
    """Factorise graph number `seed`. Returns how often the kernel was launched."""
    rng = np.random.default_rng(seed)
    most = int(rng.choice(MOST, p=(0.2, 0.4, 0.35, 0.05)))
    blocks = int(rng.integers(2, rng.choice([4, 20, BLOCKS])))
    units = int(rng.integers(1, 2000)) if rng.random() < 0.3 else None
    what = f"graph {seed}: at most {most} vertices, {blocks} blocks, {units} units"
    work = assert_sequential(random_graph(seed, most), what, seed, blocks=blocks, units=units)
    return int((work.facts or {})["attempts"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=60)
    arguments = parser.parse_args()
    available, why_not = kernels.available()
    if not available:
        sys.exit(why_not)
    launches = 0
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        # A kernel that hangs holds the interpreter: only a signal or a watchdog of its own gets out.
        faulthandler.dump_traceback_later(arguments.limit, exit=True)
        launches += one(seed)
        if (seed + 1 - arguments.seed) % EVERY == 0:
            print(f"{seed + 1 - arguments.seed} factors equal, {launches} launches", flush=True)
    faulthandler.cancel_dump_traceback_later()
    print(f"all {arguments.count} equal, {launches} launches")


if __name__ == "__main__":
    main()
