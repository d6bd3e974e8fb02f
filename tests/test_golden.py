"""What the command line prints, kept word for word in tests/golden/, so that a change of words is seen.

`pytest tests/test_golden.py --renew` writes the files anew. Times, hashes and machine facts are masked.
"""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from commands import claims, compare, main, members, program
from fillpath.record import Record, record_path, write_records
from tests.reports_fakes import BC, measured

GOLDEN = Path(__file__).parent / "golden"
GROUPS = [member.name for member in members().values() if member.ispkg]
# `fillpath` and every command and group, as a user writes it.
HELPS = [
    "fillpath",
    *(program(member) for package in ("commands", *GROUPS) for member in members(package).values()),
]
OTHERS = (
    "list",
    "list-matrices",
    "run",
    "run-json",
    "claims",
    "claims-json",
    "compare",
    "compare-json",
    "check",
)
RUN = ("run", "symbolic", "fill2_cpu", "grid2d:6", "--matching", "none", "--samples", "3", "--threads", "1")
# Of a record: what another machine, library or day would change.
MASKED = (
    "commit", "conclusive", "dirty", "host", "host_cpu", "host_facts", "key", "memory_limit",
    "peak_memory", "phases", "prepared.checksum", "prepared.hash", "prepared.versions", "run_id",
    "seconds", "started_at", "suspect", "versions",
)  # fmt: skip
# Of the claims: one without a measurement, and those that the two machines' records decide.
CLAIMS = (
    "gsofa.table1_matrices.order",
    "gsofa.fig14_maxid_ranges.mean",
    "gsofa.fig20_fill_before_maxid.gains",
)
Golden = Callable[[str, str], None]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Holds a text against the file of that name, or writes the file."""

    def hold(name: str, text: str) -> None:
        path = GOLDEN / f"{name}.txt"
        if request.config.getoption("--renew"):
            path.write_text(text)
        assert path.is_file(), f"{path.name} is not there; write it: pytest tests/test_golden.py --renew"
        assert text == path.read_text(), "if it is meant: pytest tests/test_golden.py --renew"

    return hold


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    try:
        status: object = main(words)
    except SystemExit as exit:
        status = exit.code
    assert status in (0, None)
    return capsys.readouterr().out


@pytest.mark.parametrize("program", HELPS)
def test_help(
    program: str, golden: Golden, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    golden("-".join([*program.split(), "help"]), printed(capsys, *program.split()[1:], "--help"))


def test_lists(golden: Golden, capsys: pytest.CaptureFixture[str]) -> None:
    golden("list", printed(capsys, "list"))
    golden("list-matrices", printed(capsys, "list", "--matrices"))


def masked(value: Any, name: str = "") -> Any:
    """The value with `...` for what is masked, in place of whatever there is."""
    if name in MASKED:
        return None if value is None else "..."
    if isinstance(value, dict):
        return {key: masked(inner, f"{name}.{key}".lstrip(".")) for key, inner in value.items()}
    return value


@pytest.mark.usefixtures("shared_cache", "forked_workers")
def test_a_run(golden: Golden, capsys: pytest.CaptureFixture[str]) -> None:
    record = json.loads(printed(capsys, *RUN, "--json"))
    golden("run-json", json.dumps(masked(record), indent=2, sort_keys=True) + "\n")
    lines = printed(capsys, *RUN).splitlines()
    assert " s, median of 3 (" in lines[1]
    golden("run", "\n".join([lines[0], "  ... s, median of 3 (... to ... s)", *lines[2:], ""]))


def steady(record: Record, machine: str, factor: float) -> Record:
    """Samples near enough to one another that they decide."""
    seconds = [factor * record.seconds[1] * near for near in (0.999, 1.0, 1.001)]
    return replace(record, machine=machine, seconds=seconds, device=f"GPU of {machine}")


@pytest.fixture
def two_machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records of two machines that nobody measured, of matrices of the catalogue."""
    monkeypatch.setattr("fillpath.paths.SITE", tmp_path / "site")
    seconds = {"gsofa": 1.0, "gsofa.maxid_ranges=false": 1.14, "gsofa.fill_first=true": 1.1, "fill2_gpu": 9.0}
    for machine, factor in (("first", 1.0), ("second", 2.5)):
        for name, base in seconds.items():
            record = steady(measured(name, base, BC), machine, factor)
            write_records(record_path(machine, record.case), [record])
        (record_path(machine, "x").parents[1] / "machine.json").write_text(json.dumps({"name": machine}))


def called_once(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function for callers that all ask the same."""
    answers: list[Any] = []

    def answer(*arguments: Any) -> Any:
        if not answers:
            answers.append(function(*arguments))
        return answers[0]

    return answer


@pytest.mark.usefixtures("two_machines")
def test_what_records_say(
    golden: Golden, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(claims, "judged", called_once(claims.judged))
    monkeypatch.setattr(compare, "draw_comparison", called_once(compare.draw_comparison))
    only = ("--paper", "gsofa", "--machine", "first")
    # A claim's block begins at the margin.
    head, *blocks = re.split(r"^(?=gsofa\.)", printed(capsys, "claims", *only), flags=re.MULTILINE)
    golden("claims", head + "".join(block for block in blocks if block.startswith(CLAIMS)))
    whole = json.loads(printed(capsys, "claims", *only, "--json"))
    standings = [standing for standing in whole["standings"] if standing["claim"]["id"].startswith(CLAIMS)]
    golden("claims-json", json.dumps({**whole, "standings": standings}, indent=1) + "\n")
    by_figure, by_subject, by_paper = (
        [
            line.split()[1]
            for line in printed(capsys, "claims", name, *only[2:]).splitlines()
            if line.startswith("first ")
        ]
        for name in ("gsofa.fig14", "gsofa.fig14_maxid_ranges", "gsofa")
    )
    assert by_subject and set(by_subject) <= set(by_figure) < set(by_paper)
    golden("compare", printed(capsys, "compare", "first", "second"))
    golden("compare-json", printed(capsys, "compare", "first", "second", "--json"))
    golden("check", printed(capsys, "check"))


def test_no_file_is_left_over() -> None:
    expected = {"-".join([*program.split(), "help"]) for program in HELPS} | set(OTHERS)
    assert {path.stem for path in GOLDEN.iterdir()} == expected
