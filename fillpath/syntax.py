"""Code as text without its style: the part of a record's key that follows sources.

Python is represented by its syntax tree without docstrings, comments and annotations, CUDA by its tokens.
Only the definitions of `impl/` that a function reaches count, by name and through imports, not their places.
The same code gives the same text under every Python version that the project supports.

An edit that changes a result but not the key would let an old measurement pass for one of new code.

    found = reached(ROOT / "impl/levels/glu2.py", "glu2")
    print(*sorted(definition.text for definition in found))
"""

from __future__ import annotations

import ast
import functools
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fillpath.errors import ConfigError
from fillpath.paths import ROOT

# The package whose code is followed.
ROOM = "impl"
# Registering is not computing: what a decorator of this name states about an implementation is data.
_REGISTERS = ("implementation", "maker")
# Decorators that do nothing at import, but make the function that they decorate.
_MAKES = (
    "njit",
    "compiled",
    "inner",
    "threaded",
    "cache",
    "lru_cache",
    "dataclass",
    "contextmanager",
    "intrinsic",
    *_REGISTERS,
)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
# Fields of a node that do not decide what it does; `kind` is the u of a string.
_IGNORED = ("ctx", "kind", "type_comment", "annotation", "returns")
# Annotations that dataclasses read.
_READ = re.compile(r"\b(ClassVar|InitVar|KW_ONLY)\b")
_LITERAL = r"""\.?\d(?:[eEpP][+-]|[\w.']*\w|)[\w.]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"""
_TOKEN = re.compile(
    rf"""[A-Za-z_]\w* | {_LITERAL}
    | <<<|>>>|<<=|>>=|\.\.\.|->\*|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|\S""",
    re.VERBOSE,
)
_COMMENT_OR_LITERAL = re.compile(rf"//[^\n]*|/\*.*?\*/|{_LITERAL}|\w+", re.DOTALL)
_BLANK_OR_STRING = re.compile(r"""\s+|"(?:\\.|[^"\\])*\"""")


@dataclass(frozen=True)
class Definition:
    """A function, class or value at the top of a module. name : None is what the module does at import."""

    path: Path
    name: str | None

    @property
    def nodes(self) -> tuple[ast.stmt, ...]:
        """Return every statement that binds the name: a value may be built in steps."""
        module = _module(self.path)
        return module.acts if self.name is None else module.bound.get(self.name, ())

    @property
    def text(self) -> str:
        """Return its statements and the meaning of each imported name: the same for the same code."""
        return _definition_text(self)

    @property
    def strings(self) -> frozenset[str]:
        """Return the string constants in it, except docstrings."""
        return _strings(self)


@dataclass(frozen=True)
class _Import:
    """An import of a name.

    module : dotted.
    attribute : None if the module itself is bound.
    """

    module: str
    attribute: str | None


@dataclass(frozen=True)
class _Module:
    """A parsed module.

    bound : the statements that bind each name
    imports : everything that an imported name may mean
    acts : statements that do more than bind a name
    """

    bound: Mapping[str, tuple[ast.stmt, ...]]
    imports: Mapping[str, frozenset[_Import]]
    acts: tuple[ast.stmt, ...]


def reached(path: Path, name: str) -> frozenset[Definition]:
    """Return the definition of a name in a module, and all of `impl/` that it reaches.

    For each module on the way, and each that those import, this includes what it does at import. A name that
    the module does not bind, as that of a nested function, means the whole module. Raises ConfigError
    for code that cannot be followed.
    """
    definitions: set[Definition] = set()
    bound = _module(path).bound
    todo = [Definition(path, each) for each in ([name] if name in bound else bound)]
    while todo:
        definition = todo.pop()
        if definition not in definitions:
            definitions.add(definition)
            todo += [Definition(definition.path, None), *_imported_modules(definition.path)]
            todo += [target for _, targets in _uses(definition) for target in targets]
    return frozenset(definition for definition in definitions if definition.nodes)


def module_text(path: Path) -> str:
    """Return the code of a whole module: the same for the same code, whatever its comments and docstrings."""
    return _module_text(source_of(path))


@functools.lru_cache(maxsize=64)
def _module_text(source: str) -> str:
    return "\n".join(map(_text, _kept(ast.parse(source).body)))


def cuda_text(text: str) -> str:
    """Return the tokens of CUDA C++ code, one per line; a directive keeps its blanks."""
    joined = text.replace("\\\n", " ")
    bare = _COMMENT_OR_LITERAL.sub(lambda match: " " if match[0][:2] in ("//", "/*") else match[0], joined)
    return "\n".join(_cuda_line(line.strip()) for line in bare.splitlines() if line.strip())


def _cuda_line(line: str) -> str:
    if line.startswith("#"):
        return _BLANK_OR_STRING.sub(lambda match: " " if match[0].isspace() else match[0], line)
    return "\n".join(_TOKEN.findall(line))


@functools.cache
def _strings(definition: Definition) -> frozenset[str]:
    nodes = (node for statement in definition.nodes for node in _nodes(statement))
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    return frozenset(value for value in constants if isinstance(value, str))


@functools.cache
def _definition_text(definition: Definition) -> str:
    return "\n".join([*map(_text, definition.nodes), *sorted(_meanings(definition))])


@functools.cache
def _uses(definition: Definition) -> tuple[tuple[str, tuple[Definition, ...]], ...]:
    """Return each dotted name (`a.b.c`) that its statements read, with possible definitions in `impl/`."""
    return tuple((name, tuple(targets)) for name, targets in _names_read(definition))


def _names_read(definition: Definition) -> Iterator[tuple[str, list[Definition]]]:
    module = _module(definition.path)
    for statement in definition.nodes:
        nodes = _nodes(statement)
        local = _imported(definition.path, [node for node in nodes if isinstance(node, _IMPORTS)])
        inner = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
        for node in nodes:
            if id(node) in inner or not (words := _dotted(node)):
                continue
            targets = [Definition(definition.path, words[0])] if words[0] in module.bound else []
            imports = {*module.imports.get(words[0], ()), *local.get(words[0], ())}
            yield ".".join(words), targets + [t for each in imports for t in _resolved(each, words[1:])]


def _meanings(definition: Definition) -> set[str]:
    """Return a line per imported name: the meaning of a name of `impl/`, the origin of any other."""
    module = _module(definition.path)
    lines = set()
    for statement in definition.nodes:
        nodes = _nodes(statement)
        local = _imported(definition.path, [node for node in nodes if isinstance(node, _IMPORTS)])
        for name in {node.id for node in nodes if isinstance(node, ast.Name)}:
            imports = {*module.imports.get(name, ()), *local.get(name, ())}
            lines |= {f"{name} from {each.module} {each.attribute}" for each in imports if not _is_here(each)}
    for name, targets in _uses(definition):
        others = (target for target in targets if target.path != definition.path or target.name != name)
        lines |= {f"{name} is {target.name} {_digest(target)}" for target in others}
    return lines


@functools.cache
def _digest(definition: Definition) -> str:
    return hashlib.sha256("\n".join(map(_text, definition.nodes)).encode()).hexdigest()


def _dotted(node: ast.AST) -> list[str]:
    """Return the words of `a.b.c`; empty if it is not a name, or an attribute of something else."""
    words: list[str] = []
    while isinstance(node, ast.Attribute):
        words.insert(0, node.attr)
        node = node.value
    return [node.id, *words] if isinstance(node, ast.Name) else []


def _resolved(target: _Import, words: list[str]) -> Iterator[Definition]:
    """Yield the definitions of an imported name. words : its attributes, none for a whole module."""
    names = [*([target.attribute] if target.attribute else []), *words]
    module = target.module
    while names and _file(f"{module}.{names[0]}") is not None:
        module = f"{module}.{names.pop(0)}"
    path = _file(module)
    if path is not None:
        for name in names[:1] or _module(path).bound:
            yield from _named(path, name)


def _named(path: Path, name: str) -> Iterator[Definition]:
    """Yield a module's definition of that name, and the definitions that it imports under it."""
    module = _module(path)
    if name in module.bound:
        yield Definition(path, name)
    for target in module.imports.get(name, ()):
        yield from _resolved(target, [])


@functools.cache
def _imported_modules(path: Path) -> tuple[Definition, ...]:
    """Return the import-time code of imported modules and of their packages."""
    return tuple(dict.fromkeys(_at_import(path)))


def _at_import(path: Path) -> Iterator[Definition]:
    for target in (each for targets in _module(path).imports.values() for each in targets):
        names = [target.module, *([f"{target.module}.{target.attribute}"] if target.attribute else [])]
        for name in names:
            parts = name.split(".")
            files = (_file(".".join(parts[:count])) for count in range(1, len(parts) + 1))
            yield from (Definition(file, None) for file in files if file is not None)


def _is_here(target: _Import) -> bool:
    return target.module.split(".")[0] == ROOM


def _file(module: str) -> Path | None:
    """Return the file of a module of `impl/`, None for any other."""
    if module.split(".")[0] != ROOM:
        return None
    stem = ROOT.joinpath(*module.split("."))
    candidates = (stem.with_suffix(".py"), stem / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)


def source_of(path: Path) -> str:
    """Return the code of a module as it is written."""
    return path.read_text()


@functools.cache
def _module(path: Path) -> _Module:
    statements = [node for node in _kept(ast.parse(source_of(path)).body) if not isinstance(node, _IMPORTS)]
    imports = [node for node in _top(ast.parse(source_of(path)).body) if isinstance(node, _IMPORTS)]
    bound: dict[str, tuple[ast.stmt, ...]] = {}
    for node in statements:
        for name in dict.fromkeys(_bindings(node)):
            bound[name] = (*bound.get(name, ()), node)
    names = (node for each in statements for node in _walk(each) if isinstance(node, ast.Name))
    read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    acts = tuple(node for node in statements if _acts(node, read))
    return _Module(bound, _imported(path, imports), acts)


def _acts(node: ast.stmt, read: set[str]) -> bool:
    """Return whether a statement does more than bind names of `read`, which the module reads."""
    if isinstance(node, _SCOPES):
        made = all(_decorator(each) in _MAKES for each in node.decorator_list)
        hooked = isinstance(node, ast.ClassDef) and bool(node.keywords)
        return not made or hooked
    if not isinstance(node, (ast.Assign, ast.AnnAssign)):
        return True
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = set(_bindings(node))
    plain = all(isinstance(target, (ast.Name, ast.Tuple, ast.List)) for target in targets)
    hidden = {name for name in names if name.startswith("_") and not name.startswith("__")}
    return not plain or (names == hidden and not names & read)


def _decorator(node: ast.expr) -> str:
    """Return the last word of a decorator's name."""
    words = _dotted(node.func if isinstance(node, ast.Call) else node)
    return words[-1] if words else ""


def _bindings(node: ast.AST) -> Iterator[str]:
    """Yield the names that a statement binds at the top of its module."""
    for part in _top([node]):
        if isinstance(part, _SCOPES):
            yield part.name
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id


def _top(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes that are not within a function or class."""
    for node in nodes:
        yield node
        if not isinstance(node, _SCOPES):
            yield from _top(child for _, child in _children(node))


def _kept(statements: Iterable[ast.AST]) -> list[ast.stmt]:
    """Return the statements with an effect: no docstring, bare annotation or `if TYPE_CHECKING`."""
    effective: list[ast.stmt] = []
    for node in statements:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            effective += _kept(node.orelse)
        elif isinstance(node, ast.stmt) and not (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ):
            effective.append(node)
    return effective


def _imported(path: Path, nodes: Iterable[ast.AST]) -> dict[str, frozenset[_Import]]:
    meanings: dict[str, set[_Import]] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                # `import a.b` binds a, and attributes are looked up from there.
                name = alias.name if alias.asname else alias.name.split(".")[0]
                meanings.setdefault(alias.asname or name, set()).add(_Import(name, None))
                # The module itself counts for what it does at import.
                meanings.setdefault(f"import {alias.name}", set()).add(_Import(alias.name, None))
        elif isinstance(node, ast.ImportFrom):
            package = _package(path, node)
            for alias in node.names:
                if alias.name == "*":
                    where = f"{path}:{node.lineno}"
                    raise ConfigError(f"{where}: `import *` cannot be followed: name what is meant")
                meanings.setdefault(alias.asname or alias.name, set()).add(_Import(package, alias.name))
    return {name: frozenset(targets) for name, targets in meanings.items()}


def _package(path: Path, node: ast.ImportFrom) -> str:
    """Return the absolute module of a `from` import; relative ones are resolved against the file."""
    if node.level == 0 or ROOT not in path.parents:
        return node.module or ""
    package = path.relative_to(ROOT).parts[: -node.level]
    return ".".join([*package, *([node.module] if node.module else [])])


@functools.cache
def _nodes(statement: ast.stmt) -> tuple[ast.AST, ...]:
    """Return the nodes of a statement at the top of a module, cached."""
    return tuple(_walk(statement))


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes with an effect: no docstring, annotation or registering decorator."""
    yield node
    for _, child in _children(node):
        yield from _walk(child)


def _children(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for name, value in _fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield name, child


def _fields(node: ast.AST) -> Iterator[tuple[str, object]]:
    for name, value in ast.iter_fields(node):
        if name in _IGNORED and not _is_read(node):
            continue
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            in_class = isinstance(node, ast.ClassDef)
            value = [each for each in _kept(value) if in_class or not _is_bare(each)]
        if name == "decorator_list":
            value = [decorator for decorator in value if _decorator(decorator) not in _REGISTERS]
        if value is not None and value != []:
            yield name, value


def _text(value: object) -> str:
    """Return a tree as text; that of `ast.dump` differs between versions of Python."""
    if isinstance(value, list):
        return f"[{','.join(map(_text, _without_imports(value)))}]"
    if not isinstance(value, ast.AST):
        return f"{type(value).__name__}:{value!r}"
    if isinstance(value, ast.AnnAssign) and value.value is not None and not _is_read(value):
        return _text(ast.Assign(targets=[value.target], value=value.value))
    inner = ",".join(f"{name}={_text(part)}" for name, part in _fields(value))
    return f"{type(value).__name__}({inner})"


def _is_bare(node: ast.stmt) -> bool:
    """Return an annotation without a value: in a class a field, elsewhere without effect."""
    return isinstance(node, ast.AnnAssign) and node.value is None


def _is_read(node: ast.AST) -> bool:
    """Return whether the annotation decides what a dataclass is."""
    return isinstance(node, ast.AnnAssign) and bool(_READ.search(ast.unparse(node.annotation)))


def _without_imports(values: list[object]) -> Iterator[object]:
    """Yield the values without imports from `impl/`: these count by meaning, not by place."""
    for value in values:
        names = [alias.name for alias in value.names] if isinstance(value, ast.Import) else []
        names += [value.module or ROOM] if isinstance(value, ast.ImportFrom) else []
        here = isinstance(value, ast.ImportFrom) and value.level > 0
        if not (names and (here or all(name.split(".")[0] == ROOM for name in names))):
            yield value
