"""Docstrings, comments and pages are plain English: sentences against the rules only get fewer

`python -m tests.test_english ROOM` lists the sentences of a room, such as fillpath or docs.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator

import pytest

from fillpath.paths import ROOT

# Sentences of each room that break a rule: no room may have more.
MOST = {
    "fillpath": 0, "commands": 0, "benchmarks": 0, "fetch": 0, "reports": 0, "impl": 0, "docs": 0,
}  # fmt: skip
FIRST = re.compile(r"(Of|By|What|Which|Whoever|Those|Where it|To whom)\b")
WORDS = re.compile(
    r"\b(stands?(?!-)|settles?|settled|says?|is told|goes on|so many|beside|at hand|is no more)\b"
)
LONG = 25


def comments(text: str) -> Iterator[str]:
    """Yield the comments of a module, consecutive lines as one."""
    lines: dict[int, str] = {
        token.start[0]: token.string.lstrip("#: ")
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT and not re.match(r"# (fmt|type|noqa|ruff)", token.string)
    }
    for number, line in lines.items():
        if number - 1 not in lines:
            block = [line]
            while (number := number + 1) in lines:
                block.append(lines[number])
            yield " ".join(block)


def docstrings(text: str) -> Iterator[str]:
    """Yield the paragraphs and parameters of a module's docstrings."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            said = ast.get_docstring(node) or ""
            parts = re.split(r"\n\s*\n|\n(?=[\w, <>`.]+ : )", said)
            # A paragraph that is indented as a whole is code.
            yield from (part for part in parts if re.search(r"^\S", part, re.MULTILINE))


def prose(page: str) -> Iterator[str]:
    """Yield the paragraphs and items of a Markdown page without code, tables and addresses."""
    page = re.sub(r"```.*?```|<!--.*?-->", "", page, flags=re.DOTALL)
    page = re.sub(r"\]\([^)]*\)", "]", page)
    lines = [line for line in page.splitlines() if not re.match(r"    |\||#|!\[", line)]
    yield from re.split(r"\n\s*\n|\n(?=\s*[-*] )", "\n".join(lines))


def sentences(text: str) -> list[str]:
    """Split a paragraph at full stops."""
    return re.split(r"(?<=[.!?]) (?=[A-Z`[*])|(?<=[.!?]\*\*) ", " ".join(text.split()))


def breaks(sentence: str) -> bool:
    """Return whether a sentence breaks a rule; numbers, parameters and names in backticks do not count."""
    plain = re.sub(r"`[^`]*`|^[\w, ]+ : ", "x ", sentence)
    words = re.findall(r"[A-Za-z][A-Za-z'-]+", plain)
    return bool(FIRST.match(plain) or WORDS.search(plain)) or len(words) > LONG


def is_long(sentence: str) -> bool:
    """Return whether a sentence of a page is too long: numbers and code count, and a colon ends it."""
    return any(len(part.split()) > LONG for part in sentence.split(": "))


def broken(room: str) -> Iterator[tuple[str, str]]:
    """Yield file and sentence of each sentence of a room that breaks a rule."""
    folder = ROOT / room
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"] if room == "docs" else []
    for path in [*pages, *sorted(folder.rglob("*.md")), *sorted(folder.rglob("*.py"))]:
        if "notes" in path.parts or "site" in path.parts:
            continue
        text = path.read_text()
        parts = prose(text) if path.suffix == ".md" else (*docstrings(text), *comments(text))
        for sentence in (each.lstrip("-* ") for part in parts for each in sentences(part)):
            if breaks(sentence) or (path.suffix == ".md" and is_long(sentence)):
                yield str(path.relative_to(ROOT)), sentence


@pytest.mark.parametrize("room", MOST)
def test_no_room_has_more_sentences_that_break_the_rules(room: str) -> None:
    found = list(broken(room))
    assert len(found) <= MOST[room], "\n".join(map(": ".join, found))


def test_every_rule_is_seen() -> None:
    assert is_long("In `one` 1" + " 2" * 23) and not is_long("A B:" + " 3" * 25)
    for sentence in ("Of two records the newer one.", "The record stands.", " ".join(["word"] * 26)):
        text = f'"""Head."""\n# {sentence}\ndef f():\n    """{sentence}"""\n'
        for part in (*comments(text), *list(docstrings(text))[1:], *prose(sentence)):
            assert [*map(breaks, sentences(part))] == [True]


if __name__ == "__main__":
    for file, sentence in broken(sys.argv[1]):
        print(f"{file}: {sentence}")
