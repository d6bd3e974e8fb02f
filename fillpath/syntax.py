"""What code does, apart from how it is written: the part of a record's key that follows its sources.

Python is taken as its syntax tree without docstrings, comments and annotations, CUDA as its tokens. Of a
function only the definitions of `impl/` count that it reaches, by name and through imports: where they lie
does not. The same code gives the same text under every Python that the project supports.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fillpath.paths import ROOT

# Where code has to lie to be followed.
ROOM = "impl"
# Registering is not computing: what a decorator of this name says of an implementation is data.
_REGISTERS = ("implementation", "maker")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# What is said of a node and not done by it; `kind` is the u of a string.
_UNSAID = ("ctx", "kind", "type_comment", "annotation", "returns")
_TOKEN = re.compile(
    r"""[A-Za-z_]\w* | \.?\d(?:[eEpP][+-]|[\w.'])* | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*'
    | <<<|>>>|<<=|>>=|\.\.\.|->\*|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|\S""",
    re.VERBOSE,
)
_COMMENT_OR_STRING = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'""", re.DOTALL)


@dataclass(frozen=True)
class Definition:
    """A function, class or value at the top of a module. name : None stands for what the module does when it
    is imported and binds nothing."""

    path: Path
    name: str | None

    @property
    def nodes(self) -> tuple[ast.stmt, ...]:
        """Every statement that binds the name: a value may be made in steps."""
        module = _module(self.path)
        return module.acts if self.name is None else module.bound.get(self.name, ())

    @property
    def text(self) -> str:
        """The same for the same code."""
        return "\n".join(_text(node) for node in self.nodes)

    @property
    def strings(self) -> frozenset[str]:
        """The string constants in it, docstrings apart."""
        return frozenset(
            node.value
            for statement in self.nodes
            for node in _walk(statement)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        )


@dataclass(frozen=True)
class _Import:
    """module : dotted. attribute : None where the module itself is bound."""

    module: str
    attribute: str | None


@dataclass(frozen=True)
class _Module:
    """bound : the statements that bind each name. imports : what imported names stand for. acts : statements
    that bind no name, such as a call."""

    path: Path
    bound: dict[str, tuple[ast.stmt, ...]]
    imports: dict[str, _Import]
    acts: tuple[ast.stmt, ...]


def reached(path: Path, name: str) -> frozenset[Definition]:
    """The definition of that name in a module, and all of `impl/` that it reaches. Of each module that it
    reaches it also meets what the module does when it is imported. A name that the module does not bind, as
    of a function within another, stands for all of the module."""
    found: set[Definition] = set()
    bound = _module(path).bound
    todo = [Definition(path, each) for each in ([name] if name in bound else bound)]
    while todo:
        definition = todo.pop()
        if definition not in found:
            found.add(definition)
            todo += [Definition(definition.path, None), *_needs(definition)]
    return frozenset(definition for definition in found if definition.nodes)


def cuda_text(text: str) -> str:
    """The tokens of CUDA C++ code, one per line; of a directive its words, which blanks keep apart."""
    joined = text.replace("\\\n", " ")
    bare = _COMMENT_OR_STRING.sub(lambda match: " " if match[0].startswith("/") else match[0], joined)
    lines = (line.strip() for line in bare.splitlines())
    return "\n".join(_cuda_line(line) for line in lines if line)


def _cuda_line(line: str) -> str:
    return " ".join(line.split()) if line.startswith("#") else "\n".join(_TOKEN.findall(line))


def _needs(definition: Definition) -> Iterator[Definition]:
    """What a definition's statements name, as far as it lies in `impl/`."""
    module = _module(definition.path)
    for statement in definition.nodes:
        nodes = list(_walk(statement))
        local = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
        imports = {**module.imports, **_imported(definition.path, local)}
        chained = {id(node.value): node.attr for node in nodes if isinstance(node, ast.Attribute)}
        for node in nodes:
            if not isinstance(node, ast.Name):
                continue
            if node.id in module.bound:
                yield Definition(definition.path, node.id)
            elif node.id in imports:
                yield from _resolved(imports[node.id], chained.get(id(node)))


def _resolved(target: _Import, attribute: str | None) -> Iterator[Definition]:
    """What an imported name stands for. attribute : what is asked of it, None where it stands alone: of a
    module that is all that it holds, and so of a package's module that is asked for by a longer name."""
    inner = f"{target.module}.{target.attribute}" if target.attribute else target.module
    if attribute and _file(f"{inner}.{attribute}") is not None:
        yield from _resolved(_Import(f"{inner}.{attribute}", None), None)
    elif (path := _file(inner)) is not None:
        names = [attribute] if attribute else list(_module(path).bound)
        for name in names:
            yield from _named(path, name)
    elif target.attribute and (path := _file(target.module)) is not None:
        yield from _named(path, target.attribute)


def _named(path: Path, name: str) -> Iterator[Definition]:
    """A module's definition of that name, or of what it has imported under it."""
    module = _module(path)
    if name in module.bound:
        yield Definition(path, name)
    elif name in module.imports:
        yield from _resolved(module.imports[name], None)


def _file(module: str) -> Path | None:
    """The file of a module of `impl/`, None for any other."""
    if module.split(".")[0] != ROOM:
        return None
    stem = ROOT.joinpath(*module.split("."))
    candidates = (stem.with_suffix(".py"), stem / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)


def _source(path: Path) -> str:
    return path.read_text()


@functools.cache
def _module(path: Path) -> _Module:
    tree = ast.parse(_source(path))
    bound: dict[str, tuple[ast.stmt, ...]] = {}
    acts: list[ast.stmt] = []
    imports = [part for node in tree.body if not _is_said(node) for part in _top_imports(node)]
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)) or _is_said(node):
            continue
        names = set(_bindings(node))
        for name in names:
            bound[name] = (*bound.get(name, ()), node)
        if not names:
            acts.append(node)
    return _Module(path, bound, _imported(path, imports), tuple(acts))


def _is_said(node: ast.stmt) -> bool:
    """A docstring or another constant that stands alone, or what is for type checkers only."""
    constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    guard = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return constant or guard


def _top_imports(node: ast.stmt) -> list[ast.stmt]:
    """The imports that bind names of the module: not those of its functions, but those under `try` too."""
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        return []
    return [part for part in ast.walk(node) if isinstance(part, (ast.Import, ast.ImportFrom))]


def _bindings(node: ast.stmt) -> Iterator[str]:
    """The names that a statement binds at the top of its module."""
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        yield node.name
        return
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id


def _imported(path: Path, nodes: Iterable[ast.stmt]) -> dict[str, _Import]:
    found: dict[str, _Import] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                # `import a.b` binds a, and what is asked of it begins there.
                name = alias.name if alias.asname else alias.name.split(".")[0]
                found[alias.asname or name] = _Import(name, None)
        elif isinstance(node, ast.ImportFrom):
            package = _package(path, node)
            for alias in node.names:
                found[alias.asname or alias.name] = _Import(package, alias.name)
    return found


def _package(path: Path, node: ast.ImportFrom) -> str:
    """The absolute name of what a `from` import takes from, relative ones resolved against the file."""
    if node.level == 0 or ROOT not in path.parents:
        return node.module or ""
    package = path.relative_to(ROOT).parts[: -node.level]
    return ".".join([*package, *([node.module] if node.module else [])])


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that decide what the code does: no docstring, no annotation, no registering decorator."""
    yield node
    for _, value in _fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _walk(child)


def _fields(node: ast.AST) -> Iterator[tuple[str, object]]:
    for name, value in ast.iter_fields(node):
        if name in _UNSAID:
            continue
        if name == "body" and isinstance(value, list):
            value = [statement for statement in value if not _is_said(statement)]
        if name == "decorator_list":
            value = [decorator for decorator in value if not _registers(decorator)]
        if value is not None and value != []:
            yield name, value


def _registers(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Name) and called.id in _REGISTERS


def _text(value: object) -> str:
    """A tree as text: `ast.dump`'s own differs between versions of Python."""
    if isinstance(value, list):
        return f"[{','.join(map(_text, value))}]"
    if not isinstance(value, ast.AST):
        return f"{type(value).__name__}:{value!r}"
    inner = ",".join(f"{name}={_text(part)}" for name, part in _fields(value))
    return f"{type(value).__name__}({inner})"
