"""Code as text without its style: the part of a record's key that follows sources.

Python is represented by its syntax tree without docstrings, comments and annotations, CUDA by its tokens.
Only the definitions of `impl/` that a function reaches count, by name and through imports, not their places.
The same code gives the same text under every Python version that the project supports.

An edit that changes a result but not the key would let an old measurement pass for one of new code.

    found = reached(ROOT / "impl/levels/glu2.py", "glu2")
    print(*sorted(definition.text for definition in found))
"""

import ast
import functools
import hashlib
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from fillpath.errors import ConfigError
from fillpath.paths import ROOT

# The package whose code is followed.
ROOM = "impl"
# Registering is not computing: what a decorator of this name states about an implementation is data.
_REGISTERS = ("implementation", "maker")
# Decorators that do nothing at import, but make the function that they decorate.
_COMPILES = ("njit", "compiled", "inner", "threaded", "intrinsic")
_MAKES = (*_REGISTERS, *_COMPILES, "cache", "lru_cache", "dataclass", "contextmanager")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
# Fields of a node that do not decide what the node does; `kind` is the u of a string.
_IGNORED = ("ctx", "kind")
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


class _Import(NamedTuple):
    """An import: a dotted module, and the attribute that is bound, None for the module itself."""

    module: str
    attribute: str | None

    @property
    def is_followed(self) -> bool:
        return self.module.split(".")[0] == ROOM


# Everything that an imported name may mean.
_Imports = Mapping[str, frozenset[_Import]]


@dataclass(frozen=True)
class Definition:
    """A function, class or value at the top of a module.

    name : str | None, None for what the module does at import
    statements : tuple, every statement that binds the name: a value may be built in steps
    """

    path: Path
    name: str | None
    statements: tuple[ast.stmt, ...] = field(compare=False, repr=False)

    @functools.cached_property
    def text(self) -> str:
        """Return its statements and the meaning of each imported name: the same for the same code."""
        lines = set()
        for name, imports, targets in self.uses:
            first = name.partition(".")[0]
            # The meaning of a name of `impl/`, the origin of any other.
            lines |= {
                f"{first} from {each.module} {each.attribute}" for each in imports if not each.is_followed
            }
            others = (each for each in targets if (each.path, each.name) != (self.path, name))
            lines |= {f"{name} is {each.name} {each.digest}" for each in others}
        return "\n".join([*map(_text, self.statements), *sorted(lines)])

    @functools.cached_property
    def digest(self) -> str:
        """Return the hash of its statements alone."""
        return hashlib.sha256("\n".join(map(_text, self.statements)).encode()).hexdigest()

    @functools.cached_property
    def strings(self) -> frozenset[str]:
        """Return the string constants in it, except docstrings."""
        nodes = (node for statement in self.statements for node in ast.walk(statement))
        constants = (node.value for node in nodes if isinstance(node, ast.Constant))
        return frozenset(value for value in constants if isinstance(value, str))

    @functools.cached_property
    def uses(self) -> list[tuple[str, set[_Import], list["Definition"]]]:
        """Return each dotted name (`a.b.c`) that is read, its imports, its definitions in `impl/`."""
        module, found = _module(self.path), []
        for statement in self.statements:
            nodes = list(ast.walk(statement))
            local = _imported(self.path, nodes)
            inner = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
            for first, *rest in (_dotted(node) for node in nodes if id(node) not in inner and _dotted(node)):
                imports = {*module.imports.get(first, ()), *local.get(first, ())}
                targets = [each for target in imports for each in _resolved(target, rest)]
                targets += [module.bound[first]] if first in module.bound else []
                found.append((".".join([first, *rest]), imports, targets))
        return found


@dataclass(frozen=True, eq=False)
class _Module:
    """A parsed module: its definitions and imports by name, and what it does besides at import."""

    bound: Mapping[str, Definition]
    imports: _Imports
    acts: Definition

    @functools.cached_property
    def imported(self) -> list[Definition]:
        """Return the import-time code of imported modules and of their packages."""
        targets = {target for targets in self.imports.values() for target in targets}
        names = {f"{module}.{attribute}" if attribute else module for module, attribute in targets}
        packages = {part for name in names for part in itertools.accumulate(name.split("."), "{}.{}".format)}
        return [_module(file).acts for file in map(_file, packages) if file is not None]


def reached(path: Path, name: str) -> frozenset[Definition]:
    """Return the definition of a name in a module, and all of `impl/` that it reaches.

    For each module on the way, and each that those import, this includes what it does at import. A name that
    the module does not bind, as that of a nested function, means the whole module. Raises ConfigError
    for code that cannot be followed.
    """
    definitions: set[Definition] = set()
    bound = _module(path).bound
    todo = [bound[name]] if name in bound else list(bound.values())
    while todo:
        definition = todo.pop()
        if definition not in definitions:
            definitions.add(definition)
            module = _module(definition.path)
            todo += [module.acts, *module.imported]
            todo += [target for *_, targets in definition.uses for target in targets]
    return frozenset(definition for definition in definitions if definition.statements)


def module_text(path: Path) -> str:
    """Return the code of a whole module: the same for the same code, whatever its comments and docstrings."""
    return _module_text(source_of(path))


@functools.lru_cache(maxsize=64)
def _module_text(source: str) -> str:
    return "\n".join(map(_text, _parsed(source)))


def cuda_text(text: str) -> str:
    """Return the tokens of CUDA C++ code, one per line; a directive keeps its blanks."""
    joined = text.replace("\\\n", " ")
    bare = _COMMENT_OR_LITERAL.sub(lambda match: " " if match[0][:2] in ("//", "/*") else match[0], joined)
    return "\n".join(_cuda_line(line.strip()) for line in bare.splitlines() if line.strip())


def _cuda_line(line: str) -> str:
    if line.startswith("#"):
        return _BLANK_OR_STRING.sub(lambda match: " " if match[0].isspace() else match[0], line)
    return "\n".join(_TOKEN.findall(line))


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
        found = _module(path)
        for name in names[:1] or found.bound:
            if name in found.bound:
                yield found.bound[name]
            for inner in found.imports.get(name, ()):
                yield from _resolved(inner, [])


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
    body = _parsed(source_of(path))
    statements = [node for node in body if not isinstance(node, _IMPORTS)]
    bound: dict[str, tuple[ast.stmt, ...]] = {}
    for node in statements:
        for name in dict.fromkeys(_bindings(node)):
            bound[name] = (*bound.get(name, ()), node)
    names = (node for each in statements for node in ast.walk(each) if isinstance(node, ast.Name))
    read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    acts = tuple(node for node in statements if _acts(node, read))
    definitions = {name: Definition(path, name, nodes) for name, nodes in bound.items()}
    return _Module(definitions, _imported(path, _top(body)), Definition(path, None, acts))


def _acts(node: ast.stmt, read: set[str]) -> bool:
    """Return whether a statement does more than bind names of `read`, which the module reads."""
    if isinstance(node, _SCOPES):
        made = all(_decorator(each) in _MAKES for each in node.decorator_list)
        hooked = isinstance(node, ast.ClassDef) and bool(node.keywords)
        return not made or hooked
    if not isinstance(node, ast.Assign):
        return True
    names = set(_bindings(node))
    plain = all(isinstance(target, (ast.Name, ast.Tuple, ast.List)) for target in node.targets)
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
            yield from _top(ast.iter_child_nodes(node))


class _Bare(ast.NodeTransformer):
    """A tree without docstrings, other constants, annotations and registering decorators."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Remove from a node, and from all within, what does not decide what its code does."""
        is_read = isinstance(node, ast.AnnAssign) and _READ.search(ast.unparse(node.annotation))
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns") and not is_read:
                setattr(node, name, None)
            elif name == "decorator_list":
                setattr(node, name, [each for each in value if _decorator(each) not in _REGISTERS])
            elif isinstance(value, list):
                setattr(node, name, [each for each in value if not _is_idle(each, node)])
        super().generic_visit(node)
        if isinstance(node, ast.AnnAssign) and node.value is not None and not is_read:
            return ast.Assign(targets=[node.target], value=node.value)
        return node


def _parsed(source: str) -> list[ast.stmt]:
    """Return the statements of a module with an effect, without what has none in them."""
    module = ast.parse(source)
    _Bare().visit(module)
    return module.body


def _is_idle(node: object, parent: ast.AST) -> bool:
    """Return whether a statement is a constant, or the annotation of a name outside of a class."""
    if isinstance(node, ast.AnnAssign):
        return node.value is None and node.simple == 1 and not isinstance(parent, ast.ClassDef)
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _imported(path: Path, nodes: Iterable[ast.AST]) -> _Imports:
    """Return what the imports among some nodes bind."""
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
            for alias in node.names:
                if alias.name == "*" or node.level or not node.module:
                    what = "`import *`" if alias.name == "*" else "a relative import"
                    raise ConfigError(f"{path}:{node.lineno}: {what} cannot be followed: name what is meant")
                target = _Import(node.module, alias.name)
                meanings.setdefault(alias.asname or alias.name, set()).add(target)
    return {name: frozenset(targets) for name, targets in meanings.items()}


def _text(value: object) -> str:
    """Return a tree as text; that of `ast.dump` differs between versions of Python."""
    if isinstance(value, list):
        return f"[{','.join(_text(each) for each in value if not _is_followed_import(each))}]"
    if not isinstance(value, ast.AST):
        return f"{type(value).__name__}:{value!r}"
    fields = ((name, part) for name, part in ast.iter_fields(value) if name not in _IGNORED)
    inner = ",".join(f"{name}={_text(part)}" for name, part in fields if part is not None and part != [])
    return f"{type(value).__name__}({inner})"


def _is_followed_import(node: object) -> bool:
    """Return whether a node imports from `impl/` alone: such an import counts by meaning, not by place."""
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").split(".")[0] == ROOM
    return isinstance(node, ast.Import) and all(each.name.split(".")[0] == ROOM for each in node.names)
