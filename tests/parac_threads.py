"""Many small factorisations by `parac_cpu`, each on 1 to 4 threads and compared with `ac_sequential`.

    NUMBA_NUM_THREADS=4 python -m tests.parac_threads [--count 10000] [--seed 0] [--most 400]

It needs four threads, which there are whatever the cores: the first difference ends it.
"""

import argparse
import os
import sys

import numba

from impl.cholesky.ac_sequential import ac_sequential
from impl.cholesky.parac_cpu import parac_cpu
from tests.parac_graphs import random_graph
from tests.test_parac_gpu import assert_same


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=400)
    arguments = parser.parse_args()
    if int(os.environ.get("NUMBA_NUM_THREADS", "0")) < 4:
        sys.exit("set NUMBA_NUM_THREADS=4")
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        graph = random_graph(seed, arguments.most)
        expected, _ = ac_sequential(graph, seed=seed)
        for threads in (1, 2, 3, 4):
            numba.set_num_threads(threads)
            factor, _ = parac_cpu(graph, seed=seed)
            assert_same(factor, expected, f"graph {seed} on {threads} threads")
    print(f"{arguments.count} graphs have one factor each")


if __name__ == "__main__":
    main()
