"""Compiled code is never older than the sources, and only who imports Numba reads them."""

from __future__ import annotations

import ast
import os
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path
from types import FunctionType, GenericAlias

import numpy as np
import pytest

from fillpath.numba_cache import ROOMS, ROOT, sources

COMPILERS = {"njit", "jit", "compiled", "intrinsic", "vectorize", "guvectorize", "overload", "cfunc"}
CALLER = """from numba import njit

from impl.callee import FACTOR, value


@njit(cache=True)
def product():
    return FACTOR * value()
"""
CALLEE = """from numba import njit

FACTOR = {factor}


@njit(cache=True)
def value():
    return {value}
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout of the core and two compiled functions, the one inlined into the other from another file."""
    shutil.copytree(ROOT / "fillpath", tmp_path / "fillpath", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "impl").mkdir()
    (tmp_path / "impl" / "caller.py").write_text(CALLER)
    return tmp_path


@pytest.mark.parametrize("first", ["fillpath", "numba"])
def test_an_edited_callee_of_another_file_is_compiled_anew(checkout: Path, first: str) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    # Python's own cache takes an edit of the same size within the same second for none.
    environment["PYTHONDONTWRITEBYTECODE"] = "1"

    def product(**constants: int) -> int:
        (checkout / "impl" / "callee.py").write_text(CALLEE.format(**constants))
        code = f"import {first}, fillpath; from impl.caller import product; print(product())"
        return int(subprocess.check_output([sys.executable, "-c", code], cwd=checkout, env=environment))

    caches = checkout / ".fillpath" / "numba"
    assert product(factor=2, value=3) == 6
    assert product(factor=2, value=5) == 10
    assert product(factor=3, value=5) == 15
    assert len(list(caches.iterdir())) == 3
    assert product(factor=2, value=3) == 6
    assert len(list(caches.iterdir())) == 3, "the cache of sources that were there before is used again"
    assert not list((checkout / "impl").rglob("*.nbi"))


def test_without_numba_no_source_is_read() -> None:
    code = (
        "import sys, fillpath.paths, fillpath.record\n"
        "assert 'numba' not in sys.modules and 'NUMBA_CACHE_DIR' not in __import__('os').environ"
    )
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)


def is_compiled(path: Path) -> bool:
    """Whether Numba compiles anything of the file."""
    for node in ast.walk(ast.parse(path.read_text())):
        name = node.func if isinstance(node, ast.Call) else node
        word = name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")
        if isinstance(node, ast.Call | ast.Name | ast.Attribute) and word in COMPILERS:
            return True
    return False


def compiled_files() -> list[Path]:
    rooms = ("benchmarks", "commands", "fetch", "fillpath", "impl", "reports")
    files = [path for room in rooms for path in sorted((ROOT / room).rglob("*.py"))]
    return [path for path in files if is_compiled(path)]


def test_every_compiled_file_is_hashed() -> None:
    files = compiled_files()
    assert ROOT / "impl" / "symbolic" / "fill2_cpu.py" in files and ROOT / "fetch" / "matching.py" in files
    assert not set(files) - set(sources())


def imports_from_outside(source: str) -> dict[str, object]:
    """What the source imports of rooms that are not hashed: the values by their names."""
    inside = tuple(room.replace("/", ".") for room in ROOMS)
    ours = ("benchmarks", "commands", "fetch", "fillpath", "impl", "reports")
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    outside = [name for name in names if name.startswith(ours) and not name.startswith(inside)]
    return {name: pkgutil.resolve_name(name) for name in outside}


def is_no_constant(value: object) -> bool:
    """Whether compiled code can read no number through the value: a function, a class, a type alias."""
    return isinstance(value, FunctionType | type | GenericAlias)


def test_what_compiled_files_import_of_other_rooms_is_no_constant() -> None:
    """Numba compiles a constant in: one of a file that is not hashed would go stale."""
    checked = 0
    for path in compiled_files():
        for name, value in imports_from_outside(path.read_text()).items():
            assert is_no_constant(value), f"{path}: {name}"
            checked += 1
    assert checked > 10


@pytest.mark.parametrize(
    "line", ["from fillpath.paths import RESERVE", "from fillpath import paths", "import fillpath.paths"]
)
@pytest.mark.parametrize("value", [3, np.uint64(3), np.arange(3), (1, 2)], ids=repr)
def test_a_constant_of_another_room_is_seen(
    line: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fillpath.paths.RESERVE", value)
    (imported,) = imports_from_outside(f"import numpy as np\n{line}\n").values()
    assert not is_no_constant(imported)
