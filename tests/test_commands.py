"""A command is one file of commands/: found, listed, parsed and run, and first help imports none of them."""

import subprocess
import sys
from pathlib import Path

import pytest

import commands
from commands import main, members, summary
from fillpath.errors import ConfigError
from fillpath.paths import ROOT

GREET = '''"""Greet somebody, for an example.

Exit status 3, so that it is known."""

from fillpath.errors import InputError


def add_arguments(parser):
    parser.add_argument("name", help="whom")
    parser.add_choice("--tone", ("loud", "soft"), default="soft", help="how")


def run(arguments):
    if arguments.name == "nobody":
        raise InputError("nobody is there")
    print(arguments.name.upper() if arguments.tone == "loud" else arguments.name)
    return 3
'''


@pytest.fixture
def greet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of commands beside the real one, with one more file and one that cannot be imported."""
    (tmp_path / "greet.py").write_text(GREET)
    (tmp_path / "broken.py").write_text('"""Break."""\n\nraise ValueError("imported")\n')
    (tmp_path / "_shared.py").write_text('"""No command."""\n')
    monkeypatch.setattr(commands, "__path__", [*commands.__path__, str(tmp_path)])
    monkeypatch.delitem(sys.modules, "commands.greet", raising=False)
    return tmp_path


def ended(*words: str) -> int:
    try:
        return main(words)
    except SystemExit as exit:
        return int(exit.code or 0)


def test_one_more_file_is_one_more_command(greet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended("--help") == 0
    first = capsys.readouterr().out
    assert "  greet      Greet somebody, for an example.\n" in first and "shared" not in first
    assert ended("greet", "--help") == 0
    assert "usage: fillpath greet [-h] [--tone {loud,soft}] name" in (out := capsys.readouterr().out)
    assert "Exit status 3, so that it is known." in out and "whom" in out
    assert ended("greet", "Ann", "--tone", "loud") == 3
    assert capsys.readouterr().out == "ANN\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["greett"], "fillpath: no command 'greett'; did you mean greet?"),
        (["greet", "Ann", "--tnoe", "loud"], "fillpath greet: unknown argument --tnoe; did you mean --tone?"),
        (["greet", "Ann", "--tone", "loudd"], "expected one of loud, soft; did you mean loud?"),
        (["greet"], "fillpath greet: the following arguments are required: name"),
        (["greet", "nobody"], "fillpath: nobody is there"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(
    words: list[str], message: str, greet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(*words) == 2
    captured = capsys.readouterr()
    assert message in captured.err and captured.out == "" and "Traceback" not in captured.err


@pytest.mark.parametrize(
    "text", [b'"""Greet."""\n\ndef run(a:\n', b'"""\xff"""\n'], ids=["syntax", "encoding"]
)
def test_a_file_that_is_no_python_breaks_no_help_but_its_own(
    text: bytes, greet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (greet / "greet.py").write_bytes(text)
    assert ended("--help") == 0
    first = capsys.readouterr().out
    assert "  greet      cannot be read\n" in first and "  list       " in first
    for words in (["greet"], ["greet", "--help"]):
        assert ended(*words) == 2
        (error,) = capsys.readouterr().err.splitlines()
        assert "greet" in error and "cannot be read (" in error and "mistake in fillpath" not in error


def test_a_file_without_a_function_run_is_named(greet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (greet / "greet.py").write_text('"""Greet."""\n')
    assert ended("greet") == 2
    assert capsys.readouterr().err == f"fillpath: {greet / 'greet.py'} has no function run(arguments)\n"


def test_a_group_without_commands_has_a_help(greet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (greet / "bare").mkdir()
    (greet / "bare" / "__init__.py").write_text('"""Nothing yet."""\n')
    assert ended("bare", "--help") == 0
    assert "Nothing yet." in capsys.readouterr().out
    assert ended("bare", "greet") == 2
    assert "no command 'greet'" in capsys.readouterr().err


def test_first_help_imports_no_command_and_no_room() -> None:
    code = (
        "import sys; from commands import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'matplotlib', 'pandas', 'benchmarks', 'fetch', 'impl', 'reports'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "assert [name for name in sys.modules if name.startswith('commands.')] == ['commands._parser']\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def test_every_command_says_what_it_does_in_a_line() -> None:
    groups = [member.name for member in members().values() if member.ispkg]
    assert groups == ["commands.maintain", "commands.workflow"]
    every = [member for package in ("commands", *groups) for member in members(package).values()]
    assert all(summary(member).endswith(".") and len(summary(member)) < 110 for member in every)


def test_a_damaged_configuration_is_one_line_before_arguments_are_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def damaged() -> dict[str, str]:
        raise ConfigError("config/papers/x.yaml: damaged")

    monkeypatch.setattr("commands.claims.paper_names", damaged)
    assert ended("claims", "--paper", "gsofa") == 2
    assert capsys.readouterr().err == "fillpath: config/papers/x.yaml: damaged\n"
