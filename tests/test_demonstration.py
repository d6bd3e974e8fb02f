"""docs/demonstration: what is said there is what its series say, and it can be made again."""

from __future__ import annotations

import json
import re
from pathlib import Path

from benchmarks.runs.asv_history import Change, histories
from commands.maintain.demonstration import COMMITS, HOME, LOSS, MACHINE, draw_series
from fillpath.paths import ROOT

SERIES = HOME / "asv" / MACHINE
NIGHTS = (HOME / "nights.md").read_text()
HASHES = [
    json.loads(path.read_text())["commit_hash"] for path in SERIES.glob("*.json") if path.stem != "machine"
]
# Oldest first, as the nights are.
HEADINGS = re.findall(r"^## ([0-9a-f]{12}) (.+)$", NIGHTS, re.MULTILINE)
ORDER = [next(full for full in HASHES if full.startswith(short)) for short, _ in HEADINGS]
LOST = next(short for short, subject in HEADINGS if subject == LOSS)


def test_each_commit_can_still_be_made() -> None:
    texts: dict[str, str] = {}
    for commit in COMMITS:
        text = texts.get(commit.path) or (ROOT / commit.path).read_text()
        assert not commit.before or text.count(commit.before) == 1, commit.subject
        texts[commit.path] = text.replace(commit.before, commit.after) if commit.before else text
    assert [subject for _, subject in HEADINGS] == [commit.subject for commit in COMMITS]


def test_the_steps_are_those_of_the_series() -> None:
    of_series = [
        Change(history, ORDER[step.last], ORDER[step.first], step).text
        for history in histories(SERIES, ORDER)
        for step in history.steps
    ]
    printed = re.findall(r"^    ([0-9a-f]{12} \(after .+)$", NIGHTS, re.MULTILINE)
    assert sorted(printed) == sorted(of_series)
    of_loss = [line for line in printed if line.startswith(LOST)]
    assert len(of_loss) == 4 and all("fill1_pruned" in line for line in of_loss), "edges and seconds of two"
    assert not [line for line in printed if ": edges of " in line and line not in of_loss]


def test_the_night_of_the_loss_alarms_for_what_it_slows() -> None:
    alarms = re.findall(r"^    NEW REGRESSION (\S+): .+ to ([0-9a-f]{12})$", NIGHTS, re.MULTILINE)
    slowed = {case for case, _ in alarms if "fill1_pruned" in case}
    assert len(slowed) == 2 and {case for case, commit in alarms if commit == LOST} == slowed
    assert len(alarms) == len(set(alarms)), "new once"


def test_the_series_can_be_drawn(tmp_path: Path) -> None:
    draw_series(SERIES, ORDER, tmp_path / "series.png")
    assert (tmp_path / "series.png").stat().st_size > 10_000
