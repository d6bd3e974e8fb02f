"""Whether figures are what they were at a commit, while they are rewritten: frame, caption, verdicts and
picture.

    python -m tests.same_figures COMMIT [PAPER.FIGURE ...]

Each is made of the records in results/ as they are: of all, of none, of one machine with a GPU alone, of one
without, and of no cases. What the commit made is kept in .fillpath/same_figures. Exit status 1 where one
differs, with what does.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / ".fillpath" / "same_figures"
SCENES = ("all", "none", "h200", "vm", "no cases")
# Of a picture that is only compared: small, so that it is soon made.
DPI = 50


def made(names: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Of each figure and scene, as the code in the working folder makes it."""
    from benchmarks.runs.cases import drawn_cases
    from fetch import catalogue
    from fillpath import registry
    from fillpath.settings import Settings
    from reports import figures
    from reports.facts.records import Records

    registry.load_all()
    records = Records.load()
    scenes = {"all": records, "none": Records(), "no cases": records}
    scenes |= {name: records.of_machine(name) for name in ("h200", "vm")}
    measured = frozenset(record.case for record in records.rows)
    for paper, figure in figures.available_figures():
        if names and f"{paper}.{figure}" not in names:
            continue
        cases = drawn_cases(paper, figure, Settings(suite="papers"), measured)
        for scene in SCENES:
            chosen = [] if scene == "no cases" else cases
            found = _one(paper, figure, chosen, scenes[scene], catalogue.entries())
            yield f"{paper}.{figure}, {scene}", found


def _one(paper: str, figure: str, cases: Sequence[Any], records: Any, entries: Any) -> dict[str, Any]:
    from reports import figures

    exhibit = figures.exhibit(paper, figure) if hasattr(figures, "exhibit") else _of_old(paper, figure)
    shown = records.of_one_run(cases) if exhibit.one_run else records
    try:
        frame = exhibit.frame(shown, entries, cases)
        return {
            "frame": frame.drop(columns="key", errors="ignore").to_csv(index=False).splitlines(),
            "caption": [exhibit.words(frame)],
            "verdicts": [f"{verdict.key}: {verdict.text}" for verdict in exhibit.verdicts(frame)],
            "claims": sorted(exhibit.subjects),
            "picture": [_picture(exhibit.picture(frame))],
        }
    except Exception as error:
        return {"error": [f"{type(error).__name__}: {error}"]}


def _of_old(paper: str, figure: str) -> Any:
    """As an exhibit, what commits before exhibits had."""
    from types import SimpleNamespace

    from reports import figures

    spec = figures.spec(paper, figure)
    return SimpleNamespace(
        frame=spec.frame, picture=spec.plot, verdicts=spec.judge, subjects=spec.claims, one_run=spec.one_run,
        words=lambda frame: " ".join(spec.caption(frame).split()),
    )  # fmt: skip


def _picture(figure: Any) -> str:
    from reports.shapes import style

    with io.BytesIO() as buffer, style.matplotlib.rc_context(style._SETTINGS):
        figure.savefig(buffer, format="png", dpi=DPI, metadata={"Software": None})
        return hashlib.sha256(buffer.getvalue()).hexdigest()


def at(commit: str, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What the commit makes, from what is kept of it or in a worktree."""
    KEPT.mkdir(parents=True, exist_ok=True)
    whole = _git("rev-parse", commit)
    kept = KEPT / f"{whole}.json"
    known: dict[str, dict[str, Any]] = json.loads(kept.read_text()) if kept.is_file() else {}
    there = {key.partition(", ")[0] for key in known}
    if names and set(names) <= there:
        return known
    place = KEPT / whole
    if not place.is_dir():
        _git("worktree", "add", "--quiet", "--detach", str(place), whole)
    environment = {**os.environ, "FILLPATH_RESULTS": str(ROOT / "results"), "PYTHONPATH": str(place)}
    done = subprocess.run(
        [sys.executable, str(Path(__file__)), "--dump", *names],
        cwd=place, env=environment, stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    known |= json.loads(done.stdout)
    kept.write_text(json.dumps(known))
    return known


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Line by line, at most a screen of them."""
    found = []
    for part in dict.fromkeys([*before, *after]):
        pair = before.get(part, []), after.get(part, [])
        if pair[0] != pair[1]:
            lines = difflib.unified_diff(*pair, lineterm="", n=0)
            found += [f"  {part}:", *(f"    {line}" for line in lines)]
    return found[:30]


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.same_figures", description=__doc__)
    parser.add_argument("--dump", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", metavar="COMMIT or PAPER.FIGURE")
    parsed = parser.parse_args(arguments)
    if parsed.dump:
        json.dump(dict(made(parsed.names)), sys.stdout)
        return 0
    commit, *names = parsed.names
    before = at(commit, names)
    status = 0
    for name, after in made(names):
        found = differences(before.get(name, {}), after)
        print(f"{name}: {'differs' if found else 'same'}", *found, sep="\n", flush=True)
        status = max(status, int(bool(found)))
    return status


if __name__ == "__main__":
    sys.exit(main())
