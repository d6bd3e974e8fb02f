"""The registry: options with types, one spelling a value, and a key that follows the sources."""

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import pytest

from fillpath import registry, source_hashes
from fillpath.errors import UnknownNameError
from fillpath.nouns import Pattern
from fillpath.paths import ROOT


def optioned(
    pattern: Pattern,
    *,
    memory_budget: int | None = None,
    fast: bool = True,
    tolerance: float = 0.5,
    output: Literal["counts", "pattern"] = "pattern",
) -> Any:
    """First line.

    Second."""


@pytest.fixture
def entry(own_registry: None) -> registry.Implementation:
    registry.implementation(stage="symbolic", paper="gsofa")(optioned)
    return registry.lookup("symbolic", "optioned")


def test_options_come_from_the_signature(entry: registry.Implementation) -> None:
    assert [(o.name, o.kind, o.default) for o in entry.options] == [
        ("memory_budget", int, None), ("fast", bool, True), ("tolerance", float, 0.5),
        ("output", str, "pattern"),
    ]  # fmt: skip
    assert entry.summary == "First line."


def test_text_becomes_values(entry: registry.Implementation) -> None:
    texts = {"memory_budget": "2GiB", "fast": "false", "tolerance": "1e-3", "output": "counts"}
    assert entry.arguments(texts) == {
        "memory_budget": 2**31,
        "fast": False,
        "tolerance": 1e-3,
        "output": "counts",
    }
    assert entry.arguments({"memory_budget": "3GB"}) == {"memory_budget": 3 * 10**9}


def test_one_value_has_one_spelling_and_defaults_none(entry: registry.Implementation) -> None:
    assert entry.canonical({"memory_budget": "1024MiB"}) == (("memory_budget", "1GiB"),)
    for text, written in (("16GB", "16GB"), ("256MB", "256MB"), ("1000MB", "1GB"), ("7", "7"), ("0", "0")):
        assert entry.canonical({"memory_budget": text}) == (("memory_budget", written),)
    assert entry.canonical({"memory_budget": "none", "fast": "true", "tolerance": "0.50"}) == ()
    assert entry.canonical({"tolerance": "0.250", "fast": "false"}) == (
        ("fast", "false"),
        ("tolerance", "0.25"),
    )


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"memory_budgt": "1"}, "did you mean memory_budget"),
        ({"memory_budget": "1XiB"}, "expected an integer, or bytes such as 64MB"),
        ({"fast": "yes"}, "expected true or false"),
        ({"output": "rows"}, "counts, pattern"),
        ({"tolerance": "small"}, "expected a number"),
    ],
)
def test_bad_options_are_refused(entry: registry.Implementation, options: dict[str, str], why: str) -> None:
    with pytest.raises(UnknownNameError, match=why):
        entry.canonical(options)


def test_unknown_stages_and_implementations_get_suggestions() -> None:
    with pytest.raises(UnknownNameError, match="did you mean symbolic"):
        registry.lookup("symbolc", "fill1")
    with pytest.raises(UnknownNameError, match="did you mean fill1"):
        registry.lookup("symbolic", "fil1")


def test_one_name_cannot_mean_two_implementations(entry: registry.Implementation) -> None:
    def impostor(pattern: Pattern) -> Any:
        return None

    impostor.__module__ = "elsewhere"
    with pytest.raises(UnknownNameError, match="registered by"):
        registry.implementation(stage="symbolic", name="optioned")(impostor)


def test_every_implementation_is_one_documented_file_without_a_clock() -> None:
    for entry in registry.registered():
        source = Path(ROOT, *entry.module.split(".")).with_suffix(".py").read_text()
        assert entry.summary.endswith(".") or entry.summary.endswith(")."), entry.name
        assert source.count("@implementation(") == 1
        assert not any(word in source for word in ("import time", "print(", "perf_counter", "import asv"))


def test_the_source_hash_follows_the_version_of_a_peers_library_where_it_was_measured() -> None:
    [peer] = [entry for entry in registry.registered("solve") if entry.name == "superlu"]
    assert peer.source_hash() == peer.source_hash(
        {"scipy": importlib.metadata.version("scipy"), "numpy": "1"}
    )
    assert peer.source_hash({"scipy": "1"}) != peer.source_hash({"scipy": "2"}) != peer.source_hash({})
    [absent] = [entry for entry in registry.registered("solve") if entry.name == "cudss"]
    assert absent.source_hash({"nvidia-cudss-cu12": "1"}) == absent.source_hash({"nvidia-cudss-cu13": "1"})
    [own] = [entry for entry in registry.registered("solve") if entry.name == "lu_cpu"]
    assert own.source_hash({"scipy": "1"}) == own.source_hash()


def test_the_source_hash_follows_what_kernels_include(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_hashes, "HEADERS", tmp_path)
    kernel = tmp_path / "k.cu"
    kernel.write_text(
        '#include "a.cuh"\n# include "b.cuh"\n#include <cuda_runtime.h>\n// #include "no.cuh"\n'
    )
    (tmp_path / "a.cuh").write_text('#include "b.cuh"\n')
    (tmp_path / "b.cuh").write_text('#pragma once\n#include "a.cuh"\n')
    assert [path.name for path in source_hashes.included(kernel)] == ["a.cuh", "b.cuh"]


def test_a_hash_counts_the_makers_of_a_noun_whatever_was_imported_before(tmp_path: Path) -> None:
    registered = "import impl.numeric.left_looking; from fillpath.registry import lookup"
    code = f"{registered}; print(lookup('numeric', 'left_looking').source_hash())"
    environment = {**os.environ, "FILLPATH_WORK": str(tmp_path)}
    printed = subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, env=environment, text=True)
    assert printed.strip() == registry.lookup("numeric", "left_looking").source_hash()
