"""Kernels and the runtime compiled by g++, each once per content, and kept in the user's cache."""

import ctypes
import fcntl
import functools
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fillpath.nouns import content_hash
from fillpath.paths import cache
from fillpath.registry import included

HERE = Path(__file__).parent
# Read before a test sets a cache of its own.
BUILT = cache() / "cuda-on-cpu"
# Seconds after which a library that no test has used goes.
KEPT = 30 * 86400
# What a kernel's library consists of, beside its own text.
HEADERS = ("runtime.hpp", "device.hpp", "warp.hpp", "atomics.hpp", "intrinsics.hpp")
# Headers of impl/cuda/ whose functions are PTX.
PTX = ("visibility.cuh", "tensor_cores.cuh", "prefetch.cuh")
RUNTIME = ("scheduler.cpp", "collectives.cpp", "launch.cpp", "memory.cpp", "races.cpp", "hooks.cpp")
OLDEST = 11
OPTIONS = ("-std=c++17", "-fPIC", "-U_FORTIFY_SOURCE", "-pthread")
# The scheduler sees every memory access by the calls that -fsanitize=thread makes; the sanitizers' libraries
# are not linked (hooks.cpp).
WATCHED = (
    "-O1", "-g1", "-w", "-fno-strict-aliasing", "-fno-stack-protector", "-ffp-contract=off", "-fwrapv",
    "-fsanitize=thread", "--param=tsan-distinguish-volatile=1", "--param=tsan-instrument-func-entry-exit=0",
    "-fsanitize=bounds,alignment,shift-exponent,bool,integer-divide-by-zero",
)  # fmt: skip
# A kernel's name may be one of the C library's too.
LINKING = ("-shared", "-Wl,-Bsymbolic", "-lm")
# `extern __shared__ u32 words[];`, with or without __align__.
DYNAMIC = re.compile(r"extern\s+__shared__\s+([^;]*?\[\s*\])\s*;")
# What stands around a kernel's text: its dynamic shared memory, and what Python calls.
SURROUNDED = """
extern "C" {
__thread char cuda_on_cpu_dynamic[cuda_on_cpu::DYNAMIC] __attribute__((aligned(128)));
char *cuda_on_cpu_shared() { return cuda_on_cpu_dynamic; }
}
#include "FILE"
extern "C" {
"""
ENTRY = """
void cuda_on_cpu_enter_NAME(void **arguments) { cuda_on_cpu::call(NAME, arguments); }
int cuda_on_cpu_parameters_NAME(int *sizes) { return cuda_on_cpu::parameters(NAME, sizes); }
"""


class CompileError(AssertionError):
    """g++ refuses a kernel."""


@functools.cache
def available() -> tuple[bool, str]:
    """(whether g++ is here, and new enough to tell volatile accesses from others; the reason if not)."""
    if shutil.which("g++") is None:
        return False, "g++ is not installed"
    printed = subprocess.run(["g++", "-dumpversion"], capture_output=True, text=True, check=True).stdout
    version = int(printed.partition(".")[0])
    return version >= OLDEST, "" if version >= OLDEST else f"g++ {version} is older than {OLDEST}"


@functools.cache
def runtime() -> Any:
    """The library that schedules threads."""
    texts = {
        name: (HERE / name).read_text() for name in (*RUNTIME, "races.hpp", "scheduler.hpp", "runtime.hpp")
    }
    options = (*OPTIONS, "-O2", "-shared", "-ldl")
    path = _built("runtime", texts, RUNTIME, options)
    _sweep()
    library = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    library.cuda_on_cpu_allocate.restype = ctypes.c_void_p
    library.cuda_on_cpu_allocate.argtypes = [ctypes.c_uint64]
    library.cuda_on_cpu_free.argtypes = [ctypes.c_void_p]
    return library


@functools.cache
def library(path: Path, text: str, names: tuple[str, ...], defines: tuple[str, ...]) -> Any:
    """The library of a .cu file with this text."""
    runtime()
    texts = {header.name: _rewritten(header.read_text()) for header in included(path)}
    texts |= {name: (HERE / name).read_text() for name in HEADERS}
    texts |= {name: (HERE / name).read_text() for name in PTX if name in texts}
    texts[path.name] = _rewritten(text)
    entries = "".join(ENTRY.replace("NAME", name) for name in names)
    texts["entries.cpp"] = SURROUNDED.replace("FILE", path.name) + entries + "}\n"
    options = (*OPTIONS, *WATCHED, "-include", "device.hpp", *(f"-D{define}" for define in defines))
    return ctypes.CDLL(str(_built(path.stem, texts, ("entries.cpp",), options, LINKING)))


def with_lines(message: str, library: Path) -> str:
    """The message, the offsets within the library in it as lines of the kernel, where addr2line says them."""

    def line(found: re.Match[str]) -> str:
        command = ["addr2line", "-s", "-e", str(library), found[1]]
        printed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        return f" ({printed.partition(' ')[0].strip()})"

    return re.sub(r" \[(0x[0-9a-f]+)\]", line, message) if shutil.which("addr2line") else message


def _rewritten(text: str) -> str:
    """Dynamic shared memory as one array of the library's."""
    return DYNAMIC.sub(r'extern __thread \1 __asm__("cuda_on_cpu_dynamic");', text)


def _built(
    name: str, texts: dict[str, str], sources: Sequence[str], options: Sequence[str],
    linking: Sequence[str] = (),
) -> Path:  # fmt: skip
    """The library of these texts. With `linking`, the source is compiled and linked apart: only then are the
    sanitizers' libraries left out."""
    BUILT.mkdir(parents=True, exist_ok=True)
    content = [_version(), *options, *linking, *(f"{key}\n{texts[key]}" for key in sorted(texts))]
    built = BUILT / f"{name}-{content_hash(*content)}.so"
    # Another process may be compiling the same library.
    with built.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if built.exists():
            built.touch()
        else:
            _build(built, texts, sources, options, linking)
    return built


def _build(
    built: Path, texts: dict[str, str], sources: Sequence[str], options: Sequence[str], linking: Sequence[str]
) -> None:
    with tempfile.TemporaryDirectory(dir=BUILT) as made:
        for key, text in texts.items():
            Path(made, key).write_text(text)
        compiled = ["-xc++", *sources, "-I.", *options]
        if linking:
            _run(["g++", *compiled, "-c", "-o", "kernel.o"], made)
            _run(["g++", "kernel.o", "-o", "library.so", *linking], made)
        else:
            _run(["g++", *compiled, "-o", "library.so"], made)
        Path(made, "library.so").replace(built)


def _sweep() -> None:
    """Remove the libraries that no test has used for long."""
    for path in BUILT.glob("*.so"):
        if time.time() - path.stat().st_mtime > KEPT:
            path.unlink(missing_ok=True)
            path.with_suffix(".lock").unlink(missing_ok=True)


def _run(command: list[str], folder: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise CompileError(f"{' '.join(command)}:\n{done.stderr}")


@functools.cache
def _version() -> str:
    return subprocess.run(["g++", "--version"], capture_output=True, text=True, check=True).stdout
