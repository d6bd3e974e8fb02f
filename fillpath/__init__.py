"""The core of fillpath: the nouns, names and rules that every room imports."""

from fillpath import numba_cache

__version__ = "0.1.0"

numba_cache.watch()
