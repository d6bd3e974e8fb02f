"""Declarations of the files below impl/, read without an import: Numba alone takes longer than the rest."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fillpath import registry
from fillpath.options import Option
from fillpath.paths import ROOT

# How a file names the decorator; without this text it declares nothing.
_DECORATOR = registry.implementation.__name__


@dataclass(frozen=True, order=True)
class Declared:
    """An implementation, as `fillpath list` shows it. options : each with its default."""

    stage: str
    name: str
    device: str
    summary: str
    options: tuple[str, ...]


def declared() -> list[Declared]:
    """Return all implementations, by stage and name.

    Files that are not plain enough to be read are imported.
    """
    paths = sorted((ROOT / "impl").rglob("*.py"))
    try:
        return sorted(each for path in paths for each in _of_file(path))
    except (ValueError, KeyError, SyntaxError):
        registry.load_all()
        return sorted(map(of_entry, registry.registered()))


def of_entry(entry: registry.Implementation) -> Declared:
    """Return the declaration of a registered implementation."""
    options = tuple(f"{option.name}={option.text(option.default)}" for option in entry.options)
    return Declared(entry.stage, entry.name, entry.device, entry.summary, options)


def _of_file(path: Path) -> Iterator[Declared]:
    """Yield a file's declarations. Raises ValueError or KeyError where only an import can know one."""
    text = path.read_text()
    if f"@{_DECORATOR}" not in text:
        return
    tree = ast.parse(text, str(path))
    for function in tree.body:
        for call in getattr(function, "decorator_list", ()):
            if isinstance(function, ast.FunctionDef) and ast.unparse(call).startswith(f"{_DECORATOR}("):
                yield _of_function(function, {word.arg: word.value for word in call.keywords}, tree)


def _of_function(function: ast.FunctionDef, words: dict[str, ast.expr], tree: ast.Module) -> Declared:
    name = _value(words["name"], tree) if "name" in words else function.name
    device = _value(words["device"], tree) if "device" in words else "cpu"
    parameters = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    defaults = {each.arg: _value(default, tree) for each, default in parameters}
    options = tuple(f"{key}={Option(key, str, value).text(value)}" for key, value in defaults.items())
    summary = (ast.get_docstring(function) or "").partition("\n")[0]
    return Declared(_value(words["stage"], tree), name, device, summary, options)


def _value(node: ast.expr | None, tree: ast.Module) -> Any:
    """Return a literal, or a constant of the module that is one. Raises ValueError for anything else."""
    if isinstance(node, ast.Name):
        assigned = (each for each in tree.body if isinstance(each, ast.Assign))
        node = next((each.value for each in assigned if ast.unparse(each.targets[0]) == node.id), node)
    if node is None:
        raise ValueError("an option without a default")
    return ast.literal_eval(node)
