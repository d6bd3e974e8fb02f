"""docs/architecture.md against the code: which room imports which."""

import ast
import functools
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from fillpath.papers import paper_names
from fillpath.paths import ROOT

EVERY = "every room"
ROW = re.compile(r"^\| `([\w/<>]+)` \| .+ \| (.+) \|$", re.MULTILINE)
DOCUMENT = (ROOT / "docs" / "architecture.md").read_text()
RULES = dict(ROW.findall(DOCUMENT.partition("## What is reached")[0]))
ROOMS = list(RULES)
FOLDERS = sorted({room.partition("/")[0] for room in ROOMS})
PAPERS = list(paper_names())
# The door of `python -m fillpath`.
DOOR = "fillpath.__main__"
# What `python -m` of a package runs.
PROGRAMS = {"fillpath": DOOR}
LOADERS = ("import_module", "find_spec", "run_module")


def room_of(module: str) -> str:
    """`benchmarks.engine.worker` is in `benchmarks/engine`."""
    if module == DOOR:
        return "commands"
    first, _, rest = module.partition(".")
    inner = rest.partition(".")[0]
    inner = "<paper>" if first == "reports" and inner in PAPERS else inner
    return f"{first}/{inner}" if f"{first}/{inner}" in RULES else first


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports, wherever in it, a name of a module's behind a dot."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@functools.cache
def arrows() -> dict[tuple[str, str], list[str]]:
    """From room to room, and the imports that make each."""
    known: dict[tuple[str, str], list[str]] = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            for target in imports(path):
                if target.partition(".")[0] in FOLDERS and room_of(target) != room_of(module):
                    known.setdefault((room_of(module), room_of(target)), []).append(f"{module}: {target}")
    return known


def allowed(room: str) -> list[str]:
    below = ROOMS[: ROOMS.index(room)]
    return below if RULES[room] == EVERY else re.findall(r"`([\w/<>]+)`", RULES[room])


def test_every_folder_of_modules_is_a_room() -> None:
    written = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    assert written == set(FOLDERS)


def test_a_room_stands_on_those_before_it() -> None:
    for place, room in enumerate(ROOMS):
        assert set(allowed(room)) <= set(ROOMS[:place]), room


def test_no_import_is_against_the_drawing() -> None:
    assert len(arrows()) > 20
    wrong = {arrow: lines for arrow, lines in arrows().items() if arrow[1] not in allowed(arrow[0])}
    assert not wrong


def test_the_drawing_says_nothing_that_no_import_does() -> None:
    drawn = {(room, target) for room in ROOMS if RULES[room] != EVERY for target in allowed(room)}
    assert drawn <= set(arrows())


def test_no_paper_imports_another() -> None:
    for paper in PAPERS:
        for path in (ROOT / "reports" / paper).glob("*.py"):
            others = [t for t in imports(path) if re.match(r"reports\.(\w+)", t)]
            assert not [t for t in others if t.split(".")[1] in set(PAPERS) - {paper}], path


def test_the_picture_names_every_room() -> None:
    labels = re.findall(r">([^<]+)</text>", (ROOT / "docs" / "architecture.svg").read_text())
    names = {"gsofa, ooclu, ..." if room == "reports/<paper>" else room.rpartition("/")[2] for room in ROOMS}
    assert names <= set(labels)


def reaches_by_name(path: Path) -> bool:
    """Whether a file loads a module that no import names, or starts one of another room as a process."""
    tree = ast.parse(path.read_text())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    loads = [call.args[0] for call in calls if getattr(call.func, "attr", "") in LOADERS]
    # A package of others may be named: whether it is installed is asked so.
    ours = [a for a in loads if not isinstance(a, ast.Constant) or str(a.value).partition(".")[0] in FOLDERS]
    rows = [node.elts for node in ast.walk(tree) if isinstance(node, ast.List | ast.Tuple)]
    words = [[getattr(element, "value", None) for element in row] for row in rows]
    started = [str(b) for row in words for a, b in pairwise(row) if a == "-m" and isinstance(b, str)]
    own = room_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
    others = [m for m in started if m.partition(".")[0] in FOLDERS and room_of(PROGRAMS.get(m, m)) != own]
    return bool(ours or others)


def test_what_is_reached_by_its_name_is_listed() -> None:
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    reached = {path.relative_to(ROOT).as_posix() for path in files if reaches_by_name(path)}
    listed = re.findall(r"^\| `([\w/]+\.py)` \|", DOCUMENT, re.MULTILINE)
    assert reached == set(listed) and len(listed) > 5
