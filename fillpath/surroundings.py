"""Variables of the environment that change what is computed or how fast, from outside of a case.

None of them reaches a worker, so no result depends on what a shell happened to export. The supervisor takes
them away and sets the number of threads. Names of places stay, and so does the choice of GPUs, which a record
holds. A library that the loader puts before all others is refused: who asks for one wants to see it at work.
"""

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
    # MPI, by its makers and what they call; mpirun sets those of its ranks itself.
    "OMPI_", "PMIX_", "PMI_", "PRTE_", "MPICH_", "MPIR_", "HYDRA_", "UCX_", "FI_", "PSM2_", "PSM3_", "HWLOC_",
    # NumPy, SciPy, SuperLU_DIST, the last three older names of its.
    "NPY_", "NUMPY_", "SCIPY_", "SUPERLU_", "NREL", "NSUP", "GPUBLAS_NB",
    # CUDA, its libraries, CuPy.
    "CUDA_", "CUBLAS", "CUSPARSE", "CUSOLVER", "CUDSS_", "CUPY_", "NVIDIA_TF32_",
    # The allocator, and the interpreter.
    "MALLOC_", "GLIBC_TUNABLES", "PYTHONASYNCIODEBUG", "PYTHONDEVMODE", "PYTHONFAULTHANDLER", "PYTHONMALLOC",
    "PYTHONOPTIMIZE", "PYTHONPERFSUPPORT", "PYTHONPROFILEIMPORTTIME", "PYTHONTRACEMALLOC",
)  # fmt: skip
KEPT = (
    "NUMBA_CACHE_DIR", "NUMBA_CACHE_LOCATOR_CLASSES",
    "CUDA_CACHE_PATH", "CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUPY_CACHE_DIR",
    "CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES", "CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY",
    # A profiler sets these for what it starts: `fillpath counters`.
    "CUDA_INJECTION32_PATH", "CUDA_INJECTION64_PATH",
)  # fmt: skip
# The loader reads these before a program can forget them.
LOADED = ("LD_PRELOAD", "LD_AUDIT")
# Numba reads it in the working folder of any process.
NUMBA_FILE = ".numba_config.yaml"


def foreign(environment: Mapping[str, str]) -> list[str]:
    """List the variables that no worker may see."""
    return sorted(name for name in environment if name.startswith(FOREIGN) and name not in KEPT)


def of_worker(environment: Mapping[str, str], threads: int) -> dict[str, str]:
    """Return the variables of a worker on some threads. BLAS follows OpenMP's number without its own."""
    taken = foreign(environment)
    passed = {name: value for name, value in environment.items() if name not in taken}
    return {**passed, "NUMBA_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}


def forget() -> None:
    """Take them from this process, which has not imported Numba yet, and from all that it starts."""
    for name in foreign(os.environ):
        del os.environ[name]


def require_own() -> None:
    """Raise ConfigError for a library in front of all others, or a file that tells Numba how to compile."""
    for name in LOADED:
        if os.environ.get(name):
            raise ConfigError(f"{name}={os.environ[name]} changes what is measured: unset it")
    if Path(NUMBA_FILE).exists():
        raise ConfigError(f"{Path(NUMBA_FILE).absolute()} changes what Numba compiles: remove or rename it")
