"""What a shell happened to export changes neither a result nor its time."""

import os
import re
import string
from pathlib import Path
from types import ModuleType

import numba.core.config
import pytest
from hypothesis import given
from hypothesis import strategies as st

import commands
from benchmarks.engine import process
from benchmarks.engine.measure import measure
from fillpath import surroundings
from fillpath.errors import ConfigError
from fillpath.record import Status

SWITCHES = {
    "NUMBA_DISABLE_JIT": "1", "NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0", "NUMBA_NUM_THREADS": "64",
    "NUMBA_CPU_NAME": "generic", "OMP_NUM_THREADS": "64", "OMP_PROC_BIND": "true", "GOMP_SPINCOUNT": "0",
    "KMP_AFFINITY": "disabled", "OPENBLAS_NUM_THREADS": "64", "OPENBLAS_CORETYPE": "Prescott",
    "GOTO_NUM_THREADS": "64", "MKL_NUM_THREADS": "64", "BLIS_NUM_THREADS": "64", "CUDA_LAUNCH_BLOCKING": "1",
    "CUDA_MODULE_LOADING": "EAGER", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE": "10", "CUPY_ACCELERATORS": "cub",
    "CUPY_TF32": "1", "CUBLAS_WORKSPACE_CONFIG": ":4096:8", "NVIDIA_TF32_OVERRIDE": "0",
    "OMPI_MCA_btl": "tcp", "UCX_TLS": "tcp", "PMIX_MCA_gds": "hash", "NPY_DISABLE_CPU_FEATURES": "AVX2",
    "SUPERLU_RELAX": "60", "NSUP": "8", "MALLOC_PERTURB_": "7", "GLIBC_TUNABLES": "glibc.malloc.check=3",
    "PYTHONOPTIMIZE": "2", "PYTHONMALLOC": "debug",
}  # fmt: skip
PLACES = (
    "NUMBA_CACHE_DIR", "CUPY_CACHE_DIR", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "FILLPATH_SUPERLU_DIST", "PATH",
    "HOME", "LANG",
)  # fmt: skip
names = st.text(string.ascii_uppercase + "_", min_size=1, max_size=12)


def test_no_switch_reaches_a_worker_and_places_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SWITCHES.items():
        monkeypatch.setenv(name, value)
    for name in PLACES:
        monkeypatch.setenv(name, "/place")
    passed = process._environment({"threads": 3})
    threads = {"NUMBA_NUM_THREADS": "3", "OMP_NUM_THREADS": "3"}
    assert {name: passed[name] for name in SWITCHES if name in passed} == threads
    assert all(passed[name] == "/place" for name in PLACES)


@given(st.sampled_from(surroundings.FOREIGN), names)
def test_no_name_of_a_family_reaches_a_worker_unless_it_is_kept(family: str, rest: str) -> None:
    passed = surroundings.of_worker({family + rest: "1"}, 2)
    kept = {family + rest} & {*surroundings.KEPT, "NUMBA_NUM_THREADS", "OMP_NUM_THREADS"}
    assert set(passed) == kept | {"NUMBA_NUM_THREADS", "OMP_NUM_THREADS"}


def test_every_variable_of_numbas_but_its_folder_is_foreign() -> None:
    source = Path(str(numba.core.config.__file__)).read_text()
    listed = set(re.findall(r'"(NUMBA_[A-Z0-9_]+)"', source))
    assert {"NUMBA_DISABLE_JIT", "NUMBA_OPT", "NUMBA_BOUNDSCHECK"} <= listed
    assert listed - set(surroundings.foreign(dict.fromkeys(listed, ""))) == {
        "NUMBA_CACHE_DIR", "NUMBA_CACHE_LOCATOR_CLASSES",
    }  # fmt: skip


def test_a_command_forgets_them_before_it_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """NUMBA_OPT=banana would end the import of Numba."""
    monkeypatch.setenv("NUMBA_OPT", "banana")
    seen, imported = {}, commands.importlib.import_module

    def note(module: str) -> ModuleType:
        seen[module] = os.environ.get("NUMBA_OPT")
        return imported(module)

    monkeypatch.setattr(commands.importlib, "import_module", note)
    assert commands.main(["list", "--matrices"]) == 0
    assert seen["commands.list"] is None


@pytest.mark.usefixtures("shared_cache", "forked_workers")
def test_without_a_compiler_exported_the_same_case_is_ok_and_no_error_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"):
        monkeypatch.setenv(name, "1")
    record = measure("symbolic.fill2_cpu@grid2d,6.natural")
    assert (record.status, record.reason) == (Status.OK, "")


def test_a_file_of_numbas_in_the_working_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / surroundings.NUMBA_FILE).write_text("disable_jit: 1\n")
    with pytest.raises(ConfigError, match=r"numba_config\.yaml changes what Numba compiles"):
        measure("symbolic.fill2_cpu@grid2d,6.natural")


@pytest.mark.parametrize("name", surroundings.LOADED)
def test_a_library_in_front_of_all_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "libjemalloc.so")
    with pytest.raises(ConfigError, match=f"^{name}=libjemalloc.so changes what is measured: unset it$"):
        measure("symbolic.fill2_cpu@grid2d,6.natural")
