"""Registers and spills: read as ptxas reports them, and compared between two checkouts."""

import argparse
from pathlib import Path
from typing import Any

import pytest

from benchmarks.probes import registers
from benchmarks.probes.registers import (
    REPORT,
    Usage,
    bindings,
    changes,
    compile_source,
    fingerprint,
    known_hashes,
    parse,
    registered_kernels,
    usages,
)
from commands.maintain import registers as command
from fillpath.errors import ConfigError, FillpathError, UnavailableError
from fillpath.paths import ROOT

FILE = Path("impl/symbolic/fill2.cu")
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
def nvrtc(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(registers, "ARCHITECTURES", ("sm_90",))
    try:
        return bindings()
    except UnavailableError as error:
        pytest.skip(str(error))


def reported(nvrtc: Any, source: str, *options: str) -> dict[str, Usage]:
    return parse(compile_source(nvrtc, source, "planted.cu", (*options, "-arch=sm_90", REPORT)))


def checkout(folder: Path, files: dict[Path, str]) -> Path:
    """Make a checkout of these files, whose other headers are those of this code."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_text(text)
    return folder


def test_shared_memory_and_spills_are_read(nvrtc: Any) -> None:
    assert reported(nvrtc, SHARED)["reverses"]["smem"] == 1024
    free, tight = (reported(nvrtc, MANY, *options)["sums"] for options in ((), ("-maxrregcount=32",)))
    assert free["registers"] > 128 and free["spill stores"] == free["spill loads"] == 0
    assert tight["registers"] <= 32 and min(tight[name] for name in ("spill stores", "spill loads")) > 100
    both = reported(nvrtc, SHARED + MANY)
    assert both == {**reported(nvrtc, SHARED), **reported(nvrtc, MANY)}


def test_a_report_without_registers_is_refused() -> None:
    with pytest.raises(FillpathError, match="no registers, spill loads"):
        parse("ptxas info    : Compiling entry function 'k' for 'sm_90'\nptxas info : something else")


def test_changes_name_the_kernel_and_both_numbers(nvrtc: Any, tmp_path: Path) -> None:
    text = (ROOT / FILE).read_text()
    bounded = text.replace("__global__ void fill2_", "__global__ void __launch_bounds__(1024, 2) fill2_")
    assert bounded != text
    base, same, tip = (
        checkout(tmp_path / name, {FILE: part})
        for name, part in (("base", text), ("same", f"// A comment.\n{text}"), ("tip", bounded))
    )
    assert changes(base, same) == changes(ROOT, ROOT) == []
    lines = changes(base, tip)
    assert lines and all(line.startswith(f"{FILE} fill2_") for line in lines)
    assert any("sm_90: registers " in line and "spill stores 0 to " in line for line in lines)
    assert all("registers 0 to" in line for line in changes(tmp_path, base)), "of a file that is new"


def test_a_headers_change_is_compiled_as_each_checkout_has_the_header(nvrtc: Any, tmp_path: Path) -> None:
    file, header = Path("impl/levels/kahn.cu"), Path("impl/cuda/grid_barrier.cuh")
    texts = {path: (ROOT / path).read_text() for path in (file, header)}
    base = checkout(tmp_path / "base", texts)
    tip = checkout(tmp_path / "tip", {**texts, header: f"{texts[header]}\n#error planted\n"})
    with pytest.raises(FillpathError, match=r"kahn\.cu does not compile for sm_90: [^\n]*\n.*planted"):
        changes(base, tip)


def test_the_list_of_what_compiled_names_each_kernel_once() -> None:
    names = [line.partition("  ")[2] for line in registers.TABLE.read_text().splitlines()]
    assert names == sorted(map(str, registered_kernels())), "run `fillpath maintain registers`"


def test_the_command_prints_what_changed_compiles_what_is_new_and_renews_the_list(
    nvrtc: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    first, second, *_ = kernels = registered_kernels()
    asked: list[str] = []
    for module in (registers, command):
        monkeypatch.setattr(module, "TABLE", tmp_path / "kernels.txt")
    monkeypatch.setattr(command, "WORK", tmp_path)
    monkeypatch.setattr(command, "registered_kernels", lambda: [first, second])
    monkeypatch.setattr(command, "changes", lambda base, tip: [f"a line on {(base / FILE).is_file()}"])
    monkeypatch.setattr(command, "usages", lambda kernels: asked.extend(map(str, kernels)))
    (tmp_path / "kernels.txt").write_text(f"{fingerprint(first)}  {first}\n")
    command.run(argparse.Namespace(base="HEAD"))
    assert capsys.readouterr().out.startswith("a line on True\n1 kernels changed since ")
    assert asked == [str(second)] and known_hashes() == {fingerprint(each) for each in kernels[:2]}
    with pytest.raises(ConfigError, match="no-such-commit"):
        command.run(argparse.Namespace(base="no-such-commit"))


def test_without_nvrtc_the_command_makes_no_worktree(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse() -> Any:
        raise UnavailableError("no NVRTC on this platform")

    monkeypatch.setattr(registers, "bindings", refuse)
    monkeypatch.setattr(command, "WORK", tmp_path)
    with pytest.raises(UnavailableError, match="no NVRTC"):
        command.run(argparse.Namespace(base="HEAD"))
    assert not list(tmp_path.iterdir())


def test_a_fingerprint_follows_text_variant_and_architectures(
    nvrtc: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = [kernel for kernel in registered_kernels() if kernel.path.name == "fill2.cu"][:2]
    before = fingerprint(one)
    assert before == fingerprint(one) != fingerprint(other)
    monkeypatch.setattr(registers, "ARCHITECTURES", ("sm_80",))
    assert fingerprint(one) != before
    assert usages([]) == {}
