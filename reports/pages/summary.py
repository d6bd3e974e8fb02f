"""The table at the end of a run: what ran, and where the figures are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from fillpath import paths
from fillpath.case import Case
from reports.facts.claims import paper_figure
from reports.facts.records import MatrixEntry, Records
from reports.figures import stem
from reports.shapes import style
from reports.shapes.bars import seconds

WIDTH = 110
PRINTED = "the paper: a ratio that it prints over this implementation, on its own matrices and machine"


def summary(
    figures: Iterable[tuple[str, str]],
    cases: Sequence[Case],
    records: Records,
    entries: Sequence[MatrixEntry],
) -> str:
    """The closing table as text: case, status, median, the paper's figure; then where the figures are. What
    cannot run here is counted, a line a reason."""
    if not cases:
        return "nothing to measure: no experiment in config/experiments.yaml fits these settings"
    whole = records.frame(cases)
    frame = whole[whole["status"] != "unavailable"]
    rows = [("case", "status", "median", "the paper")] + [
        (row["case"], row["status"], seconds(row["median"]), paper_figure(Case.parse(row["case"]), entries))
        for row in frame.to_dict("records")
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    widths[0] = min(widths[0], WIDTH - sum(widths[1:]) - 6)
    lines = [
        f"{_clip(case, widths[0]):<{widths[0]}}  {status:<{widths[1]}}  {time:>{widths[2]}}  {paper}".rstrip()
        for case, status, time, paper in rows
    ]
    failed = frame[~frame["status"].isin(["ok", "not_run"])]
    reasons = [
        "  " + _clip(f"{r['status']}: {r['case']}: {r['reason']}", WIDTH - 2)
        for r in failed.to_dict("records")
    ]
    drawn = [style.figure_path(stem(*pair), "svg") for pair in figures]
    shown = [f"  {_short(path)}" for path in [*drawn, paths.PAGE] if path.is_file()]
    rule = "-" * max(map(len, lines))
    absent = _unavailable(whole)
    blocks = [
        [lines[0], rule, *lines[1:]],
        absent and ["", *absent],
        reasons and ["", "why not ok:", *reasons],
    ]
    return "\n".join([line for block in [*blocks, ["", PRINTED], ["", "figures:", *shown]] for line in block])


def _unavailable(rows: pd.DataFrame) -> list[str]:
    """`42 cases of fill2_gpu, gsofa are unavailable: no NVIDIA GPU`."""
    absent = rows[rows["status"] == "unavailable"]
    return [
        _clip(
            f"{len(own)} cases of {', '.join(sorted(set(own['implementation'])))} are unavailable: {reason}",
            WIDTH,
        )
        for reason, own in absent.groupby("reason", sort=False)
    ]


def _short(path: Path) -> Path:
    return path.relative_to(paths.ROOT) if path.is_relative_to(paths.ROOT) else path


def _clip(text: str, width: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: width - 3]}..."
