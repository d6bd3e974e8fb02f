"""Which phases of an implementation lie within another one: a phase within another counts in both, so that
only outermost phases add up to the seconds of a call."""

import ast
import contextlib
import functools
import inspect
import sys
import textwrap
import types
from collections import Counter
from collections.abc import Iterator
from typing import Any

from fillpath.phase import PhaseClock


class Clock(PhaseClock):
    """covered : seconds of outermost phases.
    within : the names of phases that lay within another one.
    """

    def __init__(self, synchronise: Any = None) -> None:
        super().__init__(synchronise)
        self.covered, self.within, self._depth = 0.0, set[str](), 0

    @contextlib.contextmanager
    def measure(self, name: str) -> Iterator[None]:
        before = self.seconds.get(name, 0.0)
        self._depth += 1
        try:
            with super().measure(name):
                yield
        finally:
            self._depth -= 1
            if self._depth:
                self.within.add(name)
            else:
                self.covered += self.seconds[name] - before


def inner_phases(function: Any) -> frozenset[str]:
    """The phases that may lie within another one."""
    return frozenset(what for what, within in reached(function) if within and isinstance(what, str))


@functools.cache
def reached(function: Any) -> frozenset[tuple[Any, bool]]:
    """Read from the code of impl/ that a function reaches: the names of phases, and definitions, each with
    whether it may lie within a phase.

    A function within a function counts as called within a phase, as it is there for others to call, unless
    it is called right there, or given to a function that marks no phase itself.
    """
    seen: set[tuple[Any, bool]] = set()
    todo = [(function, False)]
    while todo:
        definition, inside = todo.pop()
        if not _is_ours(definition := inspect.unwrap(definition)) or (definition, inside) in seen:
            continue
        seen.add((definition, inside))
        scope = vars(sys.modules[definition.__module__])
        tree = _tree(definition)
        for node, within in _nodes(tree, inside, _called_outside(tree, scope)):
            if name := _phase(node):
                seen.add((name, within))
            if isinstance(node, (ast.Name, ast.Attribute)):
                todo.append((_meaning(node, scope), within))
    return frozenset(seen)


def _tree(definition: Any) -> ast.AST:
    """Empty for a class that a call has made, which has no code of its own."""
    try:
        source = inspect.getsource(definition)
    except OSError:
        source = ""
    return ast.parse(textwrap.dedent(source))


def _is_ours(definition: Any) -> bool:
    kinds = (types.FunctionType, type)
    return isinstance(definition, kinds) and definition.__module__.startswith("impl.")


def _called_outside(tree: ast.AST, scope: dict[str, Any]) -> frozenset[str]:
    """The functions within a function that are called outside of phases alone."""
    inner = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    named, called = Counter[str](), Counter[str]()
    for node, within in _nodes(tree, False):
        named.update([node.id] if isinstance(node, ast.Name) else [])
        if isinstance(node, ast.Call) and not within:
            taken = [node.func, *(node.args if _marks_none(_meaning(node.func, scope)) else [])]
            called.update(each.id for each in taken if isinstance(each, ast.Name))
    return frozenset(name for name in inner if named[name] == called[name])


def _marks_none(function: Any) -> bool:
    """Whether a function of impl/ marks no phase itself."""
    return _is_ours(function) and not any(map(_phase, ast.walk(_tree(function))))


def _nodes(
    node: ast.AST, inside: bool, outside: frozenset[str] = frozenset(), in_function: bool = False
) -> Iterator[tuple[ast.AST, bool]]:
    """The node and every node below it, and whether each lies within a phase. What another clock records does
    not count. outside : functions within a function that are called outside of phases"""
    function = isinstance(node, (ast.FunctionDef, ast.Lambda))
    is_inner = function and in_function and getattr(node, "name", "") not in outside
    inside, in_function = inside or is_inner, in_function or function
    yield node, inside
    if not isinstance(node, ast.With):
        for child in ast.iter_child_nodes(node):
            yield from _nodes(child, inside, outside, in_function)
        return
    calls = [item.context_expr for item in node.items]
    for call in calls:
        yield from _nodes(call, inside, outside, in_function)
    if not any(_called(call) == "recording" for call in calls):
        inside = inside or any(map(_phase, calls))
        for statement in node.body:
            yield from _nodes(statement, inside, outside, in_function)


def _called(node: ast.AST) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _phase(node: ast.AST) -> str:
    """The name of a phase that is marked here; empty for none, and for one whose name is computed."""
    if _called(node) != "phase" or not isinstance(node, ast.Call):
        return ""
    (name,) = node.args
    return str(name.value) if isinstance(name, ast.Constant) else ""


def _meaning(node: ast.AST, scope: dict[str, Any]) -> Any:
    """What `a` or `a.b` stands for in a module, None for what is not its."""
    if isinstance(node, ast.Attribute):
        return getattr(_meaning(node.value, scope), node.attr, None)
    return scope.get(node.id) if isinstance(node, ast.Name) else None
