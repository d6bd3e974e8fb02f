"""Static pivoting: which pivots are too small for GLU's numeric factorisations."""

from __future__ import annotations

from typing import Any

import numpy as np


def small_pivot(dtype: Any) -> float:
    """Return the fraction of ||A||_1 below which a pivot is replaced: sqrt of the type's precision.

    X. S. Li and J. W. Demmel, SC 1998. For float32 it is the 3.45e-4 of the authors' code.
    """
    return float(np.sqrt(np.finfo(dtype).eps))
