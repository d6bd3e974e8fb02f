"""YAML files of config/, each checked by a schema of config/schemas/."""

import functools
import json
from pathlib import Path
from typing import Any

import yaml

from fillpath.errors import ConfigError
from fillpath.paths import CONFIG


def load(path: Path, schema: str = "", advice: str = "") -> Any:
    """Return the content of a YAML file. Raises ConfigError where it is damaged or breaks its schema.

    schema : str, a file of config/schemas/ without its ending, empty for none
    advice : str, the end of an error
    """
    try:
        # As yaml.safe_load, eight times as fast.
        loaded = yaml.load(path.read_bytes(), yaml.CSafeLoader)
    except (OSError, yaml.YAMLError) as error:
        raise ConfigError(f"{path}: {' '.join(str(error).split())}") from None
    if schema and (mistake := violation(loaded, schema)):
        raise ConfigError(f"{path}: {mistake}{advice}")
    return loaded


def violation(value: Any, schema: str) -> str:
    """Return the place and message of a value's worst violation of a schema, empty for none."""
    # Help and records need no schema, and the import takes long.
    import jsonschema

    errors = jsonschema.Draft202012Validator(schema_of(schema)).iter_errors(value)
    error = jsonschema.exceptions.best_match(errors)
    return f"{error.json_path}: {error.message}" if error else ""


@functools.cache
def schema_of(name: str) -> dict[str, Any]:
    """Return a schema of config/schemas/."""
    schema: dict[str, Any] = json.loads((CONFIG / "schemas" / f"{name}.json").read_text())
    return schema


@functools.cache
def figure_names() -> tuple[str, ...]:
    """Return `paper.figure` of each figure in the order of experiments.yaml. Raises ConfigError."""
    loaded = load(CONFIG / "experiments.yaml", "experiments")
    return tuple(dict.fromkeys(f"{each['paper']}.{each['figure']}" for each in loaded))
