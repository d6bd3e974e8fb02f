"""Each FILLPATH_ variable has one meaning, a misspelt one is refused, and a process reads them once."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path

import pytest

from benchmarks.runs import launch
from commands import main
from fillpath import config, host
from fillpath.config import figure_names
from fillpath.ending import ended
from fillpath.errors import ConfigError
from fillpath.paths import ROOT
from fillpath.peers import peers
from fillpath.settings import VARIABLES, Settings, variable_of


def test_every_setting_is_a_variables_and_every_variable_says_what_it_means() -> None:
    assert {variable_of(field.name) for field in fields(Settings)} < set(VARIABLES)
    assert all(meaning and absent for meaning, absent in VARIABLES.values())


def test_every_variable_that_the_code_names_is_listed() -> None:
    named: set[str] = set()
    for pattern in ("*/**/*.py", "config/*.yaml", "Makefile", "Snakefile", ".ci/*", "docs/*.md", "*.md"):
        for path in ROOT.glob(pattern):
            if ".venv" not in path.parts and path.is_file() and path != Path(__file__):
                named |= set(re.findall(r"\bFILLPATH_[A-Z_]*[A-Z]\b", path.read_text()))
    named |= {variable_of(name) for name, peer in peers().items() if peer.file}
    assert named == set(VARIABLES)


def test_values_of_the_environment() -> None:
    text = {
        "FILLPATH_SUITE": "small",
        "FILLPATH_LIMIT": "90s",
        "FILLPATH_FRESH": "1",
        "FILLPATH_RESULTS": "elsewhere",
        "FILLPATH_PARENT": "1@",
        "PATH": "/bin",
    }
    expected = Settings(suite="small", limit=90.0, fresh=True, results=Path("elsewhere"))
    assert Settings.from_env(text) == expected
    assert Settings.from_env(dict.fromkeys(VARIABLES, "")) == Settings.from_env({}) == Settings()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("FILLPATH_SUIT", "small", "FILLPATH_SUIT: no such setting; did you mean FILLPATH_SUITE"),
        ("FILLPATH_XYZZY", "", "FILLPATH_XYZZY: no such setting; there are FILLPATH_SUITE, "),
        (
            "FILLPATH_SUITE",
            "smal",
            "FILLPATH_SUITE=smal: expected one of embedded, small, papers; did you mean",
        ),
        ("FILLPATH_PAPER", "gsfa", "did you mean gsofa"),
        ("FILLPATH_FIGURE", "gsofa.fig1O", "FILLPATH_FIGURE=gsofa.fig1O: expected one of gsofa."),
        ("FILLPATH_FIGURE", "gsofa.fig1O", "; did you mean gsofa.fig10, "),
        ("FILLPATH_FIGURE", "fig10", "; did you mean gsofa.fig10?"),
        ("FILLPATH_FIGURE", "glu3.zzzzzzzz", ": expected one of glu3."),
        ("FILLPATH_OFFLINE", "yes", "FILLPATH_OFFLINE=yes: expected 1, 0 or nothing"),
        ("FILLPATH_LIMIT", "soon", "FILLPATH_LIMIT=soon: expected a time such as"),
        *(
            (name, str(ROOT / "README.md"), "README.md: expected a folder, and this is none")
            for name in ("FILLPATH_RESULTS", "FILLPATH_CACHE", "FILLPATH_PACKS")
        ),
        ("FILLPATH_RESULTS", str(ROOT / "README.md" / "x" / "y"), "README.md is none"),
        ("FILLPATH_CACHE", "/dev/null/x", "expected a folder, and /dev/null is none"),
        *(
            ("FILLPATH_MACHINE", name, f"FILLPATH_MACHINE={name}: expected letters, digits, `_` and `-`")
            for name in ("///", "../../etc", "a b", "h200.lab", "-h200", "h200-", "..", "naïve")
        ),
        ("FILLPATH_PROFILE", "slrum", "FILLPATH_PROFILE=slrum: expected one of default, slurm; did you mean"),
        ("FILLPATH_PROFILE", "cuda-choice", "expected one of default, slurm"),
        ("FILLPATH_CUDA", "11", "FILLPATH_CUDA=11: expected one of none, 12, 13"),
    ],
)
def test_what_makes_no_sense_is_refused_at_every_door(
    name: str, value: str, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        Settings.from_env({name: value})
    monkeypatch.setenv(name, value)
    assert main(["list"]) == 2
    captured = capsys.readouterr()
    assert message in captured.err and captured.out == "" and len(captured.err.splitlines()) == 1


def test_every_figure_that_is_measured_can_be_chosen_alone_or_with_its_paper() -> None:
    chosen = [Settings.from_env({"FILLPATH_FIGURE": name}).figure for name in figure_names()]
    assert chosen == list(figure_names()) and len(chosen) > 40
    both = Settings.from_env({"FILLPATH_FIGURE": "gsofa.fig10", "FILLPATH_PAPER": "gsofa"})
    assert both.covers("gsofa", "fig10")
    assert not both.covers("gsofa", "fig11") and not both.covers("ooclu", "fig10")


def test_a_figure_of_another_paper_is_refused_at_every_door(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FILLPATH_FIGURE", "gsofa.fig10")
    monkeypatch.setenv("FILLPATH_PAPER", "glu3")
    message = "FILLPATH_FIGURE=gsofa.fig10 is no figure of FILLPATH_PAPER=glu3: give one of the two"
    assert main(["list"]) == 2
    assert capsys.readouterr().err == f"fillpath: {message}\n"
    monkeypatch.setattr(launch, "die_with_parent", lambda: None)
    assert ended(launch.figures) == 2
    assert capsys.readouterr().err == f"fillpath: {message}\n"


def test_a_damaged_list_of_figures_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "CONFIG", tmp_path)
    for text in ("- paper: gsofa\n", "nothing", "- [unclosed", None):
        if text is not None:
            (tmp_path / "experiments.yaml").write_text(text)
        else:
            (tmp_path / "experiments.yaml").unlink()
        with pytest.raises(ConfigError, match=r"^\S+/experiments\.yaml: [^\n]+$"):
            figure_names.__wrapped__()


@pytest.mark.parametrize("name", ["h200", "h200-x2", "node_1", "A"])
def test_a_machine_has_the_name_that_was_chosen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILLPATH_MACHINE", name)
    assert Settings.from_env(os.environ).machine == name == host.machine_name()


MISSPELT = [
    ("FILLPATH_SUIT", "small", "FILLPATH_SUIT: no such setting; did you mean FILLPATH_SUITE"),
    ("FILLPATH_FIGURE", "gsofa.fig1O", "FILLPATH_FIGURE=gsofa.fig1O: expected one of "),
]


@pytest.mark.parametrize(("name", "value", "message"), MISSPELT)
def test_the_launcher_refuses_a_misspelt_setting(
    name: str, value: str, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(launch, "die_with_parent", lambda: None)
    monkeypatch.setenv(name, value)
    assert ended(launch.figures) == 2
    assert message in capsys.readouterr().err


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        *(({name: value}, message) for name, value, message in MISSPELT),
        ({"FILLPATH_FIGURE": "gsofa.fig10", "FILLPATH_PAPER": "glu3"}, "is no figure of FILLPATH_PAPER"),
    ],
)
def test_the_workflow_refuses_wrong_settings(changes: Mapping[str, str], message: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--dry-run", "--snakefile", str(ROOT / "Snakefile")],
        cwd=ROOT, env={**os.environ, **changes}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert message in done.stdout + done.stderr


def test_a_process_reads_them_once() -> None:
    code = (
        "import os; from fillpath.settings import settings; before = settings()\n"
        "os.environ['FILLPATH_SUITE'] = 'papers'; assert settings() is before and before.suite == 'small'"
    )
    environment = {**os.environ, "FILLPATH_SUITE": "small"}
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)


def test_runs_differ_by_what_they_cover_only() -> None:
    one = Settings(suite="small", limit=60.0)
    assert one.text() == replace(one, limit=None, offline=True, results=Path("x")).text()
    narrowed = {replace(one, **{name: "gpu"}).text() for name in ("suite", "paper", "figure", "device")}
    assert len(narrowed | {one.text()}) == 5
    assert replace(one, fresh=True).text() != one.text()


def test_doctor_prints_each_with_its_value(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FILLPATH_SUITE", "small")
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    for name, (meaning, _) in VARIABLES.items():
        (line,) = re.findall(rf"^{name} .*$", out, re.MULTILINE)
        assert line.endswith(meaning)
    assert re.search(r"^FILLPATH_SUITE +small +embedded +size class:", out, re.MULTILINE)
    assert re.search(r"^FILLPATH_DEVICE +- +both +only what runs", out, re.MULTILINE)
