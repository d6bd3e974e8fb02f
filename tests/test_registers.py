"""Registers and spills: read as ptxas reports them, and docs/registers.csv is of today's sources."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.engine import device_digest
from benchmarks.probes import registers
from benchmarks.probes.nvrtc import bindings, compile_source, registered_kernels
from benchmarks.probes.registers import (
    REPORT,
    TABLE,
    Usage,
    changes,
    compiler,
    from_text,
    is_of_these_sources,
    parse,
    to_text,
    usages,
)
from commands.maintain import registers as command
from fillpath.errors import ConfigError, FillpathError
from fillpath.paths import ROOT
from tests.thorough import daily

KERNELS = registered_kernels()
FILES = sorted({kernel.path for kernel in KERNELS})
COMMITTED, COMPILER = from_text(TABLE.read_text())
RENEW = "run `fillpath maintain registers`"
SHARED = """extern "C" __global__ void reverses(int *x) {
    __shared__ int held[256];
    held[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = held[255 - threadIdx.x];
}
"""
# 64 sums that are all alive at the end of the loop.
MANY = """extern "C" __global__ void sums(double *x, int n) {
    double s[64];
    #pragma unroll
    for (int k = 0; k < 64; k++) s[k] = x[k];
    for (int i = 0; i < n; i++) {
        #pragma unroll
        for (int k = 0; k < 64; k++) s[k] = s[k] * x[i] + s[(k + 1) % 64];
    }
    #pragma unroll
    for (int k = 0; k < 64; k++) x[k] = s[k];
}
"""


@pytest.fixture
def nvrtc() -> Any:
    found, why_not = bindings()
    if found is None:
        pytest.skip(why_not)
    return found


def reported(nvrtc: Any, source: str, *options: str) -> dict[str, dict[str, int]]:
    compilation = compile_source(nvrtc, source, "planted.cu", (*options, "-arch=sm_90", REPORT))
    assert not compilation.failure
    return parse(compilation.log)


def test_the_committed_table_is_of_these_sources_and_of_the_locked_compiler() -> None:
    assert is_of_these_sources(COMMITTED), RENEW
    locked = re.search(
        r"^nvidia-cuda-nvrtc==(\d+\.\d+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE
    )
    assert locked and locked[1] == COMPILER, RENEW
    assert {usage.architecture for usage in COMMITTED} == {"sm_80", "sm_90", "sm_100"}


def test_a_changed_kernel_is_not_of_these_sources() -> None:
    assert not is_of_these_sources([replace(COMMITTED[0], sources="0" * 12), *COMMITTED[1:]])
    assert not is_of_these_sources([usage for usage in COMMITTED if usage.file != COMMITTED[0].file])


@pytest.mark.parametrize("path", daily(FILES, device_digest.KERNEL), ids=lambda path: path.name)
def test_compiled_again_a_kernel_takes_what_the_table_says(nvrtc: Any, path: Path) -> None:
    if compiler() != COMPILER:
        pytest.skip(f"the table is of NVRTC {COMPILER}, this is {compiler()}")
    # Three of the 34 variants of gsofa.cu, which take as long each.
    variants = [kernel for kernel in KERNELS if kernel.path == path]
    compiled = usages(variants[:3] if path.name == "gsofa.cu" else variants, ("sm_90",))
    assert compiled and set(compiled) <= set(COMMITTED), RENEW


def test_shared_memory_and_spills_are_read(nvrtc: Any) -> None:
    assert reported(nvrtc, SHARED)["reverses"]["shared"] == 1024
    free, tight = (reported(nvrtc, MANY, *options)["sums"] for options in ((), ("-maxrregcount=32",)))
    assert free["registers"] > 128 and free["spill_stores"] == free["spill_loads"] == 0
    assert tight["registers"] <= 32 and min(tight[name] for name in ("spill_stores", "spill_loads")) > 100
    both = reported(nvrtc, SHARED + MANY)
    assert both == {**reported(nvrtc, SHARED), **reported(nvrtc, MANY)}


def test_a_report_without_registers_is_refused() -> None:
    with pytest.raises(FillpathError, match="no registers, stack"):
        parse("ptxas info    : Compiling entry function 'k' for 'sm_90'\nptxas info : something else")


def test_a_table_is_the_same_when_read_again() -> None:
    assert list(COMMITTED) == sorted(COMMITTED)
    assert len({usage.key for usage in COMMITTED}) == len(COMMITTED)
    assert to_text(COMMITTED, COMPILER) == TABLE.read_text()


def test_the_command_prints_what_changed_and_with_check_writes_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    table = tmp_path / "registers.csv"
    table.write_text(TABLE.read_text())
    monkeypatch.setattr(registers, "TABLE", table)
    monkeypatch.setattr(command, "TABLE", table)
    monkeypatch.setattr(command, "compiler", lambda: COMPILER)
    monkeypatch.setattr(command, "usages", lambda kernels: COMMITTED)
    assert command.run(argparse.Namespace(base=None, check=True)) == 0
    assert capsys.readouterr().out == f"0 of {len(COMMITTED)} changed\n"
    changed = replace(COMMITTED[0], registers=COMMITTED[0].registers + 1)
    monkeypatch.setattr(command, "usages", lambda kernels: [changed, *COMMITTED[1:]])
    assert command.run(argparse.Namespace(base=None, check=True)) == 1
    assert capsys.readouterr().out.startswith(f"{changed.key}: registers {COMMITTED[0].registers} to ")
    assert table.read_text() == TABLE.read_text()
    assert command.run(argparse.Namespace(base=None, check=False)) == 0
    assert from_text(table.read_text())[0] == [changed, *COMMITTED[1:]]


def test_a_commit_without_a_table_is_named() -> None:
    with pytest.raises(ConfigError, match="no-such-commit:docs"):
        registers.committed("no-such-commit")


def test_changes_name_the_kernel_and_both_numbers() -> None:
    one = Usage("impl/a.cu", "WIDE=1", "k", "sm_90", "0" * 12, 40, 8, 0, 0, 0)
    spills = replace(one, registers=32, spill_stores=16, sources="1" * 12)
    assert changes([one], [one]) == changes([one], [replace(one, sources="1" * 12)]) == []
    assert changes([one], [spills]) == ["impl/a.cu k WIDE=1 sm_90: registers 40 to 32, spill_stores 0 to 16"]
    assert changes([one], []) == ["impl/a.cu k WIDE=1 sm_90: gone"]
    assert changes([], [one]) == ["impl/a.cu k WIDE=1 sm_90: new, registers 40, stack 8"]
