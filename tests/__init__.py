"""Tests of fillpath. A process reads its settings once, but a test changes the environment."""

import os
import sys
from importlib import import_module

import fillpath.settings

# Before any module takes the function.
fillpath.settings.settings = fillpath.settings.settings.__wrapped__
# Pytest's processes share the cores: BLAS reads how many it has while it is loaded.
if "pytest" in sys.modules:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    import_module("scipy.linalg")
    del os.environ["OPENBLAS_NUM_THREADS"]
