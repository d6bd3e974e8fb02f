"""The core of fillpath: the nouns, names and rules that every room imports."""

import logging
import os
import sys

LOG = logging.getLogger("fillpath")
__version__ = "0.1.0"

# Numba asks `numba_locator` first where its compiled code lies, in any process that imports Numba.
LOCATORS = "fillpath.numba_locator.Locator,UserProvidedCacheLocator,InTreeCacheLocator,UserWideCacheLocator"
LOCATORS += ",IPythonCacheLocator,ZipCacheLocator"
os.environ["NUMBA_CACHE_LOCATOR_CLASSES"] = LOCATORS
if "numba" in sys.modules:
    sys.modules["numba"].config.CACHE_LOCATOR_CLASSES = LOCATORS
