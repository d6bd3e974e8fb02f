"""The part of a record's key that follows sources: what code does counts, how it is written does not."""

import ast
import functools
import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from fillpath import registry, source_hashes, syntax
from fillpath.errors import ConfigError
from fillpath.paths import ROOT
from fillpath.stages import STAGES
from tests.thorough import daily

CODE = '''"""A module."""

import numpy as np
from impl.parts import scaled

LIMIT: int = 3
UNUSED = 4


@implementation(stage="symbolic", kernels=("k.cu",))
def work(pattern: Pattern, *, limit: int = LIMIT) -> Filled:
    """What it does."""
    # Why it does so.
    total: float = 0.5
    for entry in pattern:
        total += scaled(entry, limit)
    return f"{total:.2f}", np.array([total, -1j, b"x", None, ...])


def other() -> None:
    print(UNUSED)
'''
PARTS = """
from impl import deep


def scaled(entry, limit):
    return deep.doubled(entry) * limit


def unused():
    return deep.unused()
"""
DEEP = """
FACTOR = 2
FACTOR += 0
registered = []
registered.append("at import")


def doubled(entry):
    return FACTOR * entry


def unused():
    return 1
"""


CACHES = (syntax._module, source_hashes.texts, source_hashes.state, source_hashes.source_hash)


def read_anew() -> None:
    for cached in CACHES:
        cached.cache_clear()


@pytest.fixture
def fresh_modules() -> Iterator[None]:
    """Modules are parsed once a process; here they are edited."""
    read_anew()
    yield
    read_anew()


@pytest.fixture
def tree(fresh_modules: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(syntax, "ROOT", tmp_path)
    put(tmp_path, {"work": CODE, "parts": PARTS, "deep": DEEP, "__init__": "", "act": "print(1)"})
    return tmp_path


def put(tree: Path, modules: dict[str, str]) -> None:
    (tree / "impl").mkdir(exist_ok=True)
    for name, text in modules.items():
        (tree / "impl" / f"{name}.py").write_text(text)


def texts(tree: Path, module: str = "work") -> list[str]:
    read_anew()
    return sorted(d.text for d in syntax.reached(tree / "impl" / f"{module}.py", "work"))


def names(tree: Path) -> set[str | None]:
    return {d.name for d in syntax.reached(tree / "impl" / "work.py", "work")}


def definitions_of(entry: registry.Implementation) -> frozenset[syntax.Definition]:
    return source_hashes.definitions(entry.function, entry.takes)


def test_what_a_function_reaches_by_name_and_through_imports(tree: Path) -> None:
    assert names(tree) == {"work", "LIMIT", "scaled", "doubled", "FACTOR", "registered", None}
    [acts] = [d for d in syntax.reached(tree / "impl" / "work.py", "work") if d.name is None]
    assert "at import" in acts.text, "what a module does when it is imported counts"


@pytest.mark.parametrize(
    ("module", "before", "after"),
    [
        ("work", "# Why it does so.", "# For another reason."),
        ("work", '"""What it does."""', '"""What it does, in other words."""'),
        ("work", '"""A module."""', ""),
        ("work", "total: float = 0.5", "total: int = 0.5"),
        ("work", "pattern: Pattern", "pattern: Graph"),
        ("work", 'kernels=("k.cu",)', 'section="4", kernels=("k.cu",)'),
        ("work", "print(UNUSED)", "print(UNUSED, UNUSED)"),
        ("parts", "return deep.unused()", "return deep.unused() + 1"),
        ("work", "total: float = 0.5", "total = 0.5"),
        ("work", "# Why it does so.", "total: float"),
        ("work", "import numpy as np", "import numpy as np\nimport scipy"),
        ("deep", "return 1", "return 2"),
        ("__init__", "", '"""Words."""'),
    ],
)
def test_how_it_is_written_and_what_it_does_not_reach_do_not_count(
    tree: Path, module: str, before: str, after: str
) -> None:
    first = texts(tree)
    path = tree / "impl" / f"{module}.py"
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))
    assert texts(tree) == first


@pytest.mark.parametrize(
    ("module", "before", "after"),
    [
        ("work", "total: float = 0.5", "total: float = 0.25"),
        ("work", "total +=", "total -="),
        ("work", "limit: int = LIMIT", "limit: int = 3"),
        ("work", "LIMIT: int = 3", "LIMIT: int = 4"),
        ("work", ".2f", ".3f"),
        ("work", "-1j", "1j"),
        ("work", "scaled(entry, limit)", "scaled(limit, entry)"),
        ("work", "None, ...", "..., None"),
        ("work", "@implementation", "@njit(parallel=True)\n@implementation"),
        ("parts", "* limit", "/ limit"),
        ("deep", "FACTOR += 0", "FACTOR += 1"),
        ("work", "import numpy as np", "import cupy as np"),
        ("work", "import scaled", "import unused as scaled"),
        ("work", "from impl.parts", "import impl.act\nfrom impl.parts"),
        ("deep", '"at import"', '"otherwise"'),
        ("deep", "return FACTOR", "return -FACTOR"),
    ],
)
def test_what_it_does_counts(tree: Path, module: str, before: str, after: str) -> None:
    first = texts(tree)
    path = tree / "impl" / f"{module}.py"
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))
    assert texts(tree) != first


def test_a_moved_module_is_the_same_code(tree: Path) -> None:
    first = texts(tree)
    (tree / "impl" / "room").mkdir()
    (tree / "impl" / "deep.py").rename(tree / "impl" / "room" / "deep.py")
    put(tree, {"parts": PARTS.replace("from impl import deep", "from impl.room import deep")})
    assert texts(tree) == first
    inner = "    from impl.room import deep\n    return deep.doubled(entry)"
    put(tree, {"parts": PARTS.replace("    return deep.doubled(entry)", inner)})
    within = texts(tree)
    (tree / "impl" / "room" / "deep.py").rename(tree / "impl" / "deep.py")
    put(tree, {"parts": PARTS.replace("    return deep.doubled(entry)", inner.replace("impl.room", "impl"))})
    assert texts(tree) == within
    put(tree, {"parts": PARTS})
    put(tree, {"moved": CODE})
    assert texts(tree, "moved") == first


@pytest.mark.parametrize(
    "face",
    [
        "from impl.deep import doubled as twice\ndef scaled(e, n): return twice(e)",
        "def scaled(e, n):\n    from impl.deep import doubled\n    return doubled(e)",
        "def scaled(e, n):\n    import impl.deep\n    return impl.deep.doubled(e)",
        "try:\n    from impl import deep as d\nfinally:\n    pass\ndef scaled(e, n): return d.doubled(e)",
        "from impl import deep\ndef scaled(e, n): return getattr(deep, 'doubled')(e)",
        "from impl.face import doubled\ndef scaled(e, n): return doubled(e)",
        "from impl import deep\nSCALES = {'d': deep.doubled}\ndef scaled(e, n): return SCALES['d'](e)",
    ],
)
def test_every_way_to_a_definition_is_followed(tree: Path, face: str) -> None:
    put(tree, {"parts": face, "face": "from impl.deep import doubled\n"})
    assert {"doubled", "FACTOR"} <= names(tree)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("T = {}\nfor k in range(3): T[k] = k * 2", "T = {}\nfor k in range(3): T[k] = k * 3"),
        ("T = {}\n_ = T.update(a=2)", "T = {}\n_ = T.update(a=3)"),
        ("T = {}\nT['a'] = 2", "T = {}\nT['a'] = 3"),
        ("try:\n    def T(): return 2\nfinally: pass", "try:\n    def T(): return 3\nfinally: pass"),
        ("T = 1\n@hook.register\ndef g(): return 2", "T = 1\n@hook.register\ndef g(): return 3"),
        ("T = 1\nclass C(Base, hook=2): pass", "T = 1\nclass C(Base, hook=3): pass"),
        ("class T:\n    a: ClassVar[int] = 2", "class T:\n    a: int = 2"),
        ("class T:\n    a: int\n    b: int", "class T:\n    b: int\n    a: int"),
        ("from impl.deep import doubled as T", "from impl.deep import unused as T"),
        ("try:\n    from impl.deep import doubled as T\nexcept E:\n    from impl.deep import unused as T",
         "try:\n    from impl.deep import unused as T\nexcept E:\n    from impl.deep import unused as T"),
        ("from impl.deep import doubled as T\ndef T(): return 1", "def T(): return 1"),
        ("import impl.deep\nT = impl.deep.doubled", "import impl.deep\nT = impl.deep.unused"),
        ("T = lambda: 1\nglobal_ = [T]", "T = lambda: 2\nglobal_ = [T]"),
    ],
)  # fmt: skip
def test_what_a_module_does_besides_counts(tree: Path, before: str, after: str) -> None:
    put(tree, {"parts": f"{before}\ndef scaled(e, n): return T(e)\ndef unused(): pass\n"})
    first = texts(tree)
    put(tree, {"parts": f"{after}\ndef scaled(e, n): return T(e)\ndef unused(): pass\n"})
    assert texts(tree) != first


def test_the_same_name_in_another_module_is_another_function(tree: Path) -> None:
    one, two = "def f(): return 1\n", "def f(): return 2\n"
    ways = "from impl.one import f as a\nfrom impl.two import f as b\ndef scaled(e, n): return a() - b()\n"
    put(tree, {"one": one, "two": two, "parts": ways})
    first = texts(tree)
    put(tree, {"one": two, "two": one})
    assert texts(tree) != first


@pytest.mark.parametrize(
    ("line", "what"),
    [("from impl.deep import *", r"`import \*`"), ("from .deep import doubled", "a relative import")],
)
def test_what_cannot_be_followed_is_refused(tree: Path, line: str, what: str) -> None:
    put(tree, {"parts": f"{line}\n"})
    with pytest.raises(ConfigError, match=f"parts.py:1: {what} cannot be followed"):
        texts(tree)


def test_no_code_here_finds_code_by_its_name() -> None:
    """Names are followed; strings that become names are not."""
    for path in sorted((ROOT / "impl").rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text())))
        words = {node.id for node in nodes if isinstance(node, ast.Name)}
        words |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        assert not words & {"import_module", "__import__", "globals", "eval", "exec", "lookup"}, path


def test_a_function_in_a_function_stands_for_its_module(tree: Path) -> None:
    found = syntax.reached(tree / "impl" / "work.py", "inner")
    assert {"work", "other", "UNUSED"} <= {d.name for d in found}


def test_the_text_is_the_same_under_every_python(tree: Path) -> None:
    """The digest was made by Python 3.11, 3.12 and 3.13: their own `ast.dump` differ."""
    digest = hashlib.sha256("\n".join(texts(tree)).encode()).hexdigest()
    assert digest[:16] == "2dbd1fd54bbb9ae6"


def test_cuda_code_is_its_tokens() -> None:
    code = (
        "int a = b+ +c; // why\n/* and\n so */ x<<=1;\n"
        '#define  F(x)  (x) \\\n  + 1 // no\nconst char *s = "// kept";\n'
    )
    assert syntax.cuda_text(code).splitlines() == [
        *["int", "a", "=", "b", "+", "+", "c", ";"], *["x", "<<=", "1", ";"], "#define F(x) (x) + 1",
        *["const", "char", "*", "s", "="], '"// kept"', ";",
    ]  # fmt: skip
    assert syntax.cuda_text("b++c") != syntax.cuda_text("b+ +c")
    assert syntax.cuda_text("#define F(x) 1") != syntax.cuda_text("#define F (x) 1")
    assert syntax.cuda_text('#define S "a  b"') != syntax.cuda_text('#define S "a b"')
    assert syntax.cuda_text("x = 1'000; // don't") == syntax.cuda_text("x = 1'000;")
    assert syntax.cuda_text("a=1;\n\n\n  b = 2;") == syntax.cuda_text("a = 1; b=2;")


def test_kernels_are_those_that_the_code_names() -> None:
    """And each that lies there is of some implementation."""
    named: set[Path] = set()
    for entry in registry.registered():
        found = source_hashes.kernels_of(definitions_of(entry))
        assert found == set(entry.kernel_paths()), f"{entry.stage}.{entry.name}"
        named |= {path for kernel in found for path in (kernel, *source_hashes.included(kernel))}
    assert named == {path for kind in ("*.cu", "*.cuh") for path in (ROOT / "impl").rglob(kind)}


def test_a_kernel_has_the_headers_of_its_headers() -> None:
    kernel, inner = ROOT / "impl" / "multifrontal" / "factor.cu", source_hashes.HEADERS / "tensor_cores.cuh"
    assert inner.name not in kernel.read_text() and inner in source_hashes.included(kernel)


def test_no_implementation_reads_what_only_describes_the_machine() -> None:
    for entry in registry.registered():
        places = {(d.path.name, d.name) for d in definitions_of(entry) if d.path.parent.name == "cuda"}
        assert not {("device.py", "facts"), ("device.py", "identity")} & places, entry.name
        assert not [place for place in places if place[0] == "nvml.py"], entry.name


@functools.cache
def unedited() -> dict[tuple[str, str], str]:
    return {(e.stage, e.name): e.source_hash() for e in registry.registered()}


def edited(monkeypatch: pytest.MonkeyPatch, file: str, before: str, after: str) -> set[tuple[str, str]]:
    """The implementations whose source hash changes with that edit of a file of impl/."""
    path = ROOT / "impl" / file
    assert before in path.read_text()
    first = unedited()
    read = syntax.source_of
    monkeypatch.setattr(
        syntax, "source_of", lambda p: read(p).replace(before, after, 1) if p == path else read(p)
    )
    read_anew()
    return {(e.stage, e.name) for e in registry.registered() if e.source_hash() != first[e.stage, e.name]}


@pytest.mark.usefixtures("fresh_modules")
def test_what_makes_the_input_counts_for_those_who_are_given_it(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = edited(monkeypatch, "cholesky/graph.py", '!= "none":', '!= "nothing":')
    graphs = {(e.stage, e.name) for e in registry.registered() if STAGES[e.stage].on_graph}
    assert changed == graphs and len(graphs) == 13


WORDS = [("__init__.py", '"""', '"""Words. '), ("cuda/nvml.py", "0x2:", "0x3:")]


@pytest.mark.usefixtures("fresh_modules")
@pytest.mark.parametrize(
    ("file", "before", "after"), [("cholesky/graph.py", '"""', '"""Words. '), *daily(WORDS)]
)
def test_words_count_for_nobody(monkeypatch: pytest.MonkeyPatch, file: str, before: str, after: str) -> None:
    assert edited(monkeypatch, file, before, after) == set()


@pytest.mark.usefixtures("fresh_modules")
def test_an_edit_counts_for_those_who_reach_it(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = edited(monkeypatch, "levels/two_way.py", "starts, rows, lower_start", "starts, rows, lowest")
    takers = {(e.stage, e.name) for e in registry.registered() if e.takes.__name__ in ("TwoWay", "Assembled")}
    assert takers < changed and ("symbolic", "fill1") not in changed and ("levels", "glu1") in changed
