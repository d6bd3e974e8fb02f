"""Names of the figures that config/experiments.yaml measures.

benchmarks/runs/experiments.py, above the core, reads the cases of each figure.
"""

from __future__ import annotations

import functools

import yaml

from fillpath.errors import ConfigError
from fillpath.paths import CONFIG


@functools.cache
def figure_names() -> tuple[str, ...]:
    """Return `paper.figure` of each figure in the order of the file. Raises ConfigError."""
    try:
        loaded = yaml.safe_load((CONFIG / "experiments.yaml").read_text())
        names = [f"{experiment['paper']}.{experiment['figure']}" for experiment in loaded]
    except (OSError, yaml.YAMLError, TypeError, KeyError) as error:
        raise ConfigError(f"config/experiments.yaml: {' '.join(str(error).split())}") from None
    return tuple(dict.fromkeys(names))
