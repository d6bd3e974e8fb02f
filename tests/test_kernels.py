"""Every kernel compiles, without a GPU, for the cards that it may meet, with every switch on and off."""

import platform
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from benchmarks.engine.machine import cores
from benchmarks.probes.registers import (
    ARCHITECTURES,
    bindings,
    compile_kernel,
    compile_source,
    fingerprint,
    known_hashes,
    registered_kernels,
)
from fillpath import registry
from fillpath.errors import FillpathError, UnavailableError
from fillpath.paths import ROOT
from tests.thorough import daily

KERNELS = registered_kernels()
FILES = sorted({kernel.path for kernel in KERNELS})


@pytest.fixture(scope="module")
def nvrtc() -> Any:
    try:
        return bindings()
    except UnavailableError as error:
        if (sys.platform, platform.machine()) in [("linux", "x86_64"), ("linux", "aarch64")]:
            pytest.fail(f"{error}: `make` installs it on this platform")
        pytest.skip(str(error))


@pytest.mark.parametrize("again", daily([False, True], False))
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_variant_compiles(nvrtc: Any, path: Path, again: bool) -> None:
    """For every architecture unless docs/kernels.txt lists the variant; again for one of them."""
    variants = [kernel for kernel in KERNELS if kernel.path == path]
    pairs = [
        (kernel, architecture)
        for place, kernel in enumerate(variants)
        for number, architecture in enumerate(ARCHITECTURES)
        if (again and number == place % len(ARCHITECTURES)) or fingerprint(kernel) not in known_hashes()
    ]
    assert not again or {kernel for kernel, _ in pairs} == {*variants}
    with ThreadPoolExecutor(cores()) as pool:
        # The first that fails raises, with its name.
        list(pool.map(lambda pair: compile_kernel(nvrtc, *pair), pairs))


def test_what_does_not_compile_is_said_with_its_line(nvrtc: Any) -> None:
    broken = "\n__global__ void k() { int }"
    with pytest.raises(FillpathError, match=r"^NVRTC_ERROR_COMPILATION\n(.*\n)*.*broken\.cu\(2\): error"):
        compile_source(nvrtc, broken, "broken.cu", (f"-arch={ARCHITECTURES[0]}",))
    with pytest.raises(FillpathError, match="--gpu-architecture"):
        compile_source(nvrtc, "", "empty.cu", ("-arch=sm_1",))


def test_every_kernel_file_belongs_to_an_implementation_or_the_gate_and_every_one_says_its_variants() -> None:
    rooms = ("impl", "benchmarks")
    assert {path for room in rooms for path in (ROOT / room).rglob("*.cu")} == set(FILES)
    for entry in registry.registered():
        assert set(entry.kernel_paths()) <= set(FILES), entry.name
        if entry.kernels and hasattr(sys.modules[entry.module], "VARIANTS"):
            variants = sys.modules[entry.module].VARIANTS
            assert variants and len(set(variants)) == len(variants), entry.name
            assert all(isinstance(define, str) for variant in variants for define in variant)
            files = getattr(sys.modules[entry.module], "VARIANTS_OF", entry.kernels)
            assert files and set(files) <= set(entry.kernels), entry.name
