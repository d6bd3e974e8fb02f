"""Compiled code is never older than what it was compiled from, and only who imports Numba hashes anything."""

import ast
import functools
import os
import pkgutil
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, GenericAlias
from typing import Any

import numpy as np
import pytest
from numba.core import caching

from fillpath import numba_locator
from fillpath.numba_locator import KEPT, ROOMS, ROOT

COMPILERS = {"njit", "jit", "compiled", "intrinsic", "vectorize", "guvectorize", "overload", "cfunc"}
# caller imports middle, which imports deep at its top and inner in a function.
SOURCES = {
    "caller": """from numba import njit

from impl.middle import FACTOR, scale


@njit(cache=True)
def product():
    return FACTOR * scale()
""",
    "middle": """from numba import njit

from impl.deep import SCALE


def _factor():
    from impl.inner import BASE

    return BASE + 1


FACTOR = _factor()


@njit(inline="always")
def scale():
    return SCALE
""",
    "deep": "SCALE = 3\n",
    "inner": "BASE = 1\n",
}


class Checkout:
    """A checkout of the core and of the sources above, and a home that it may share with others."""

    def __init__(self, place: Path, home: Path) -> None:
        self.place = place
        self.home = home
        shutil.copytree(ROOT / "fillpath", place / "fillpath", ignore=shutil.ignore_patterns("__pycache__"))
        (place / "impl").mkdir()
        (place / "impl" / "__init__.py").write_text("")

    def write(self, sources: dict[str, str]) -> None:
        for name, text in sources.items():
            (self.place / "impl" / f"{name}.py").write_text(text)

    def product(
        self, sources: dict[str, str], first: str = "fillpath", **environment: str
    ) -> tuple[int, int]:
        """Return what `caller.product` gives in a new process, and how many functions that compiled.

        first : what is imported first
        """
        self.write(sources)
        code = (
            f"import {first}, fillpath; from impl.caller import product\n"
            "print(product(), sum(product.stats.cache_misses.values()))"
        )
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "XDG_"))}
        # Python's own cache takes an edit of the same size within the same second for none.
        own = {"HOME": str(self.home), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", code]
        answer = subprocess.check_output(command, cwd=self.place, env={**inherited, **own, **environment})
        value, compiled = answer.split()
        return int(value), int(compiled)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "one", tmp_path / "home")


def code_below(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.suffix in (".nbi", ".nbc")]


def test_a_constant_two_imports_away_compiles_the_caller_anew(checkout: Checkout, tmp_path: Path) -> None:
    assert checkout.product(SOURCES) == (6, 1)
    edited, second = {**SOURCES, "deep": "SCALE = 5\n"}, Checkout(tmp_path / "two", checkout.home)
    assert second.product(edited, first="numba") == (10, 1)
    assert second.product({**edited, "inner": "BASE = 4\n"}) == (25, 1), "imported in a function"
    other = Checkout(tmp_path / "other", checkout.home)
    assert other.product(SOURCES, first="numba") == (6, 0), "another checkout compiles nothing"


def test_a_users_numba_cache_dir_holds_the_code(checkout: Checkout, tmp_path: Path) -> None:
    users = str(tmp_path / "users")
    assert checkout.product(SOURCES, NUMBA_CACHE_DIR=users) == (6, 1)
    assert checkout.product({**SOURCES, "deep": "SCALE = 5\n"}, NUMBA_CACHE_DIR=users) == (10, 1)
    assert len(code_below(tmp_path / "users")) == 4
    assert not code_below(checkout.home)


@pytest.mark.parametrize("first", ["fillpath", "numba"])
def test_a_users_choice_of_locators_brings_no_stale_code(checkout: Checkout, first: str) -> None:
    assert checkout.product(SOURCES, first, NUMBA_CACHE_LOCATOR_CLASSES="InTreeCacheLocator") == (6, 1)
    assert len(code_below(checkout.home)) == 2 and not code_below(checkout.place)


def test_a_checkout_that_cannot_be_written_stays_as_it_is(checkout: Checkout) -> None:
    checkout.write(SOURCES)
    before = sorted(checkout.place.rglob("*"))
    for folder in (checkout.place / "impl", checkout.place):
        folder.chmod(0o555)
    try:
        assert checkout.product({}) == (6, 1)
        assert sorted(checkout.place.rglob("*")) == before
    finally:
        for folder in (checkout.place, checkout.place / "impl"):
            folder.chmod(0o755)
    assert len(code_below(checkout.home)) == 2


def test_without_a_place_that_can_be_written_every_process_compiles(checkout: Checkout) -> None:
    checkout.home.write_text("no folder")
    (checkout.place / ".fillpath").write_text("no folder")
    assert checkout.product(SOURCES) == (6, 1)
    assert checkout.product({**SOURCES, "deep": "SCALE = 5\n"}) == (10, 1)
    assert not code_below(checkout.place)


def test_without_numba_no_source_is_read() -> None:
    code = (
        "import sys, fillpath.paths, fillpath.record\n"
        "assert not {'numba', 'fillpath.numba_locator'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty `impl/`, whose modules `numba_locator.stamp` hashes."""
    monkeypatch.setattr(numba_locator, "ROOT", tmp_path)
    monkeypatch.setattr(numba_locator, "_PLACES", (f"{tmp_path / 'impl'}{os.sep}",))
    monkeypatch.setattr(numba_locator, "base", lambda: tmp_path / "cache")
    (tmp_path / "impl" / "deep").mkdir(parents=True)
    (tmp_path / "impl" / "deep" / "__init__.py").write_text("")
    (tmp_path / "cache").mkdir()
    yield tmp_path / "impl"
    forget()


def forget() -> None:
    """As a new process, which has read no file yet."""
    cached_functions = ("stamp", "compilers", "_imported", "_files")
    for cached in (getattr(numba_locator, name) for name in cached_functions):
        cached.cache_clear()


def stamp(room: Path) -> str:
    forget()
    return numba_locator.stamp(room / "caller.py")


@pytest.mark.parametrize(
    "line",
    [
        "from impl.deep.values import SCALE",
        "from impl.deep.values import SCALE as S",
        "from impl.deep.values import (\n    SCALE,\n)",
        "from impl.deep.values import \\\n    SCALE",
        "from impl.deep import (\n    others,  # (of no use)\n    values,\n)",
        "from impl.deep import values",
        "from impl import deep",
        "import impl.deep.values",
        "import impl.deep.values as values",
        "import impl.deep",
        "def f():\n    from impl.deep.values import SCALE\n    return SCALE",
        "class A:\n    def f(self):\n        import impl.deep.values as v",
        "try:\n    from impl.deep.values import SCALE\nexcept ImportError:\n    pass",
    ],
)
def test_every_way_to_import_is_followed(room: Path, line: str) -> None:
    (room / "caller.py").write_text(line)
    (room / "deep" / "values.py").write_text("from impl.base import SCALE")
    (room / "base.py").write_text("SCALE = 1")
    before = stamp(room)
    (room / "base.py").write_text("SCALE = 2")
    assert stamp(room) != before
    (room / "base.py").write_text("SCALE = 1")
    assert stamp(room) == before


def test_a_file_that_nobody_imports_counts_for_nobody(room: Path) -> None:
    (room / "caller.py").write_text("import numpy as np\nfrom impl.deep.values import SCALE")
    (room / "deep" / "values.py").write_text("SCALE = 1")
    before = stamp(room)
    (room / "deep" / "others.py").write_text("SCALE = 1")
    assert stamp(room) == before


@pytest.mark.parametrize("name, counts", [("NUMBA_OPT", True), ("NUMBA_NUM_THREADS", False)])
def test_an_option_of_numbas_that_changes_code_counts(
    room: Path, name: str, counts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (room / "caller.py").write_text("")
    monkeypatch.delenv(name, raising=False)
    before = stamp(room)
    monkeypatch.setenv(name, "1")
    assert (stamp(room) != before) == counts


def test_functions_of_one_name_are_told_apart(checkout: Checkout) -> None:
    """Their instructions are the same: only their constants differ."""
    two, three = (SOURCES["caller"].replace("FACTOR *", f"{factor} *") for factor in (2, 3))
    both = {**SOURCES, "caller": f"{two}\n\nproduct()\n\n\n@njit{three.partition('@njit')[2]}"}
    assert [checkout.product(both) for _ in range(2)] == [(9, 1), (9, 0)]


def index_of(folder: Path) -> Any:
    """The index of a function's compiled code, as a process reads and writes it."""
    assert numba_locator.Locator.from_function(index_of, str(folder)) is None  # type: ignore[arg-type]
    index: Any = caching.IndexDataCacheFile
    return index(str(folder), "f", "stamp")


def test_two_signatures_that_two_processes_save_at_once_are_not_confused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (index_of(tmp_path) for _ in range(2))
    save_data = first._save_data
    monkeypatch.setattr(second, "_load_index", dict)

    def overtaken(name: str, data: str) -> None:
        second.save("float", "code for float")
        save_data(name, data)

    monkeypatch.setattr(first, "_save_data", overtaken)
    first.save("int", "code for int")
    third = index_of(tmp_path)
    assert third.load("float") == "code for float"
    assert third.load("int") in (None, "code for int")


@pytest.mark.parametrize("name", ["_save_index", "_save_data"])
def test_a_process_killed_while_it_saves_costs_no_more_than_compiling_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def killed(*_: object) -> None:
        raise SystemExit

    killed_one, next_one = (index_of(tmp_path) for _ in range(2))
    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        save = getattr(killed_one, name)
        patch.setattr(killed_one, name, lambda *given: (patch.setattr(os, "replace", killed), save(*given)))
        killed_one.save("int", "code")
    assert any(".tmp." in path.name for path in tmp_path.iterdir())
    assert next_one.load("int") is None
    next_one.save("int", "code")
    assert next_one.load("int") == "code"


def test_what_nobody_used_for_a_month_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba_locator, "base", lambda: tmp_path)
    source = ROOT / "impl" / "levels" / "glu2.py"
    used = tmp_path / f"impl.levels.glu2-{numba_locator.stamp(source)[:16]}"
    for folder in (tmp_path / "impl.a-1", used):
        folder.mkdir()
        (folder / "file").write_text("")
        os.utime(folder, (time.time() - KEPT - 60,) * 2)
    assert numba_locator.Locator.from_function(index_of, str(source))  # type: ignore[arg-type]
    numba_locator._remove_unused.__wrapped__()
    assert sorted(tmp_path.rglob("*")) == [used, used / "file"]


def is_compiled(path: Path) -> bool:
    """Whether Numba compiles anything of the file."""
    for node in ast.walk(ast.parse(path.read_text())):
        name = node.func if isinstance(node, ast.Call) else node
        word = name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")
        if isinstance(node, ast.Call | ast.Name | ast.Attribute) and word in COMPILERS:
            return True
    return False


@functools.cache
def compiled_files() -> list[Path]:
    rooms = ("benchmarks", "commands", "fetch", "fillpath", "impl", "reports")
    files = [path for room in rooms for path in sorted((ROOT / room).rglob("*.py"))]
    return [path for path in files if is_compiled(path)]


def test_every_compiled_file_is_hashed() -> None:
    files = compiled_files()
    assert {ROOT / "impl" / "symbolic" / "fill2_cpu.py", ROOT / "fetch" / "meshes.py"} <= set(files)
    assert all(str(path).startswith(numba_locator._PLACES) for path in files)


def hashed_files() -> set[Path]:
    """The files that a compiled file's stamp holds."""
    return {file for path in compiled_files() for file in numba_locator.reached(path)}


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
    """Whether compiled code reads no number through the value: a function, a class, a type alias, a path."""
    return isinstance(value, FunctionType | type | GenericAlias | Path | functools._lru_cache_wrapper)


def test_what_hashed_files_import_of_other_rooms_is_no_constant() -> None:
    """Numba compiles a constant in: one of a file that is not hashed would go stale."""
    checked = 0
    for path in hashed_files():
        for name, value in imports_from_outside(path.read_text()).items():
            assert is_no_constant(value) or name == "fillpath.__version__", f"{path}: {name}"
            checked += 1
    assert checked > 40


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
