"""Variables of the environment that change what is computed or how fast, from outside of a case.

None of them reaches a worker, so no result depends on what a shell happened to export. The supervisor takes
them away and sets the number of threads. Names of places stay, and so does the choice of GPUs, which a record
holds.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from fillpath.errors import ConfigError

# Each the beginning of a name, or the name.
FOREIGN = (
    # Numba's compiler and threads; threads of OpenMP, by GCC and by Intel.
    "NUMBA_", "OMP_", "GOMP_", "KMP_",
    # BLAS.
    "OPENBLAS_", "GOTO_", "MKL_", "BLIS_", "ATLAS_", "VECLIB_", "NUMEXPR_",
    # CUDA, its libraries, CuPy.
    "CUDA_", "CUBLAS", "CUSPARSE", "CUSOLVER", "CUDSS_", "CUPY_", "NVIDIA_TF32_",
    # The allocator, and the interpreter.
    "MALLOC_", "GLIBC_TUNABLES", "PYTHONASYNCIODEBUG", "PYTHONDEVMODE", "PYTHONFAULTHANDLER", "PYTHONMALLOC",
    "PYTHONOPTIMIZE", "PYTHONPERFSUPPORT", "PYTHONPROFILEIMPORTTIME", "PYTHONTRACEMALLOC",
)  # fmt: skip
KEPT = (
    "NUMBA_CACHE_DIR",
    "CUDA_CACHE_PATH", "CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUPY_CACHE_DIR",
    "CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES", "CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY",
    # A profiler sets these for what it starts: `fillpath counters`.
    "CUDA_INJECTION32_PATH", "CUDA_INJECTION64_PATH",
)  # fmt: skip
# Numba reads it in the working folder of any process.
NUMBA_FILE = ".numba_config.yaml"


def foreign(environment: Mapping[str, str]) -> list[str]:
    """List the variables that no worker may see."""
    return sorted(name for name in environment if name.startswith(FOREIGN) and name not in KEPT)


def of_worker(environment: Mapping[str, str], threads: int) -> dict[str, str]:
    """Return the variables of a worker on so many threads. BLAS follows OpenMP's number without its own."""
    taken = foreign(environment)
    passed = {name: value for name, value in environment.items() if name not in taken}
    return {**passed, "NUMBA_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}


def forget() -> None:
    """Take them from this process, which has not imported Numba yet, and from all that it starts."""
    for name in foreign(os.environ):
        del os.environ[name]


def require_no_file() -> None:
    """Raise ConfigError where Numba would be told by a file of the working folder how to compile."""
    if Path(NUMBA_FILE).exists():
        raise ConfigError(f"{Path(NUMBA_FILE).absolute()} changes what Numba compiles: remove or rename it")
