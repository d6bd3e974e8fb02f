"""Names of the figures that config/experiments.yaml measures.

benchmarks/runs/experiments.py, above the core, reads the cases of each figure.
"""

from __future__ import annotations

import functools

from fillpath.config import load
from fillpath.errors import ConfigError
from fillpath.paths import CONFIG


@functools.cache
def figure_names() -> tuple[str, ...]:
    """Return `paper.figure` of each figure in the order of the file. Raises ConfigError."""
    try:
        loaded = load(CONFIG / "experiments.yaml", "experiments.yaml")
        names = [f"{experiment['paper']}.{experiment['figure']}" for experiment in loaded]
    except (TypeError, KeyError) as error:
        raise ConfigError(f"config/experiments.yaml: {' '.join(str(error).split())}") from None
    return tuple(dict.fromkeys(names))
