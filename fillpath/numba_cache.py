"""Numba's cache goes where `fillpath.numba_locator` puts it, in any process that imports Numba."""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

CACHING = "numba.core.caching"


class Watch:
    """Sees Numba's cache being imported: the first finder on the path, which finds nothing else."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Install the locator while Numba's cache is imported; Python's import calls this for each module."""
        if name != CACHING:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec("numba.core.caching")
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def executed(module: ModuleType) -> None:
                execute(module)
                _install(module)

            spec.loader.exec_module = executed  # type: ignore[method-assign]
        return spec


def watch() -> None:
    """Direct Numba's cache, whether Numba is imported already or will be."""
    if CACHING in sys.modules:
        _install(sys.modules[CACHING])
    else:
        sys.meta_path.insert(0, Watch())


def _install(caching: ModuleType) -> None:
    from fillpath import numba_locator

    numba_locator.install(caching)
