"""Which figures there are, by name: those that config/experiments.yaml measures.

What is measured for each is read by benchmarks/runs/experiments.py, above the core.
"""

from __future__ import annotations

import functools

import yaml

from fillpath.errors import ConfigError
from fillpath.paths import CONFIG


@functools.cache
def figure_names() -> tuple[str, ...]:
    """`paper.figure` of each, once, in the order of the file. Raises ConfigError where it is damaged."""
    try:
        loaded = yaml.safe_load((CONFIG / "experiments.yaml").read_text())
        names = [f"{experiment['paper']}.{experiment['figure']}" for experiment in loaded]
    except (OSError, yaml.YAMLError, TypeError, KeyError) as error:
        raise ConfigError(f"config/experiments.yaml: {' '.join(str(error).split())}") from None
    return tuple(dict.fromkeys(names))
