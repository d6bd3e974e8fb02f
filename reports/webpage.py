"""The page that shows everything, and the table at the end of a run. Plain HTML, one file, no script."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from fillpath.case import Case
from fillpath.paths import ROOT, SITE, results, write_text
from reports import style
from reports.bars import seconds
from reports.claims import PAPERS, paper_figure
from reports.figures import spec, stem
from reports.records import MatrixEntry, Records

WIDTH = 110
PRINTED = "the paper: a ratio that it prints over this implementation, on its own matrices and machine"

_CSS = """
:root { color-scheme: light dark;
  --ink: #1a1a1a; --paper: #ffffff; --line: #767676; --soft: #f0f0f0; --link: #00528a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --paper: #161616; --line: #8a8a8a; --soft: #262626; --link: #7cc4ff; }
}
body { margin: 0 auto; max-width: 75rem; padding: 1rem 1.5rem 3rem;
  color: var(--ink); background: var(--paper); font: 1rem/1.5 system-ui, sans-serif; }
a { color: var(--link); } h1, h2, h3 { line-height: 1.2; } figure { margin: 1.5rem 0; }
figure img { max-width: 100%; height: auto; background: #fff; padding: .5rem; box-sizing: border-box; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; }
caption { text-align: left; padding: .3rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .7rem; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tbody tr:nth-child(even), .stamp { background: var(--soft); } .stamp { padding: .5rem 1rem; font-size: .85rem;
  overflow-wrap: anywhere; } .failed { font-weight: bold; }
"""


def page(
    figures: Iterable[tuple[str, str]],
    cases: Sequence[Case],
    records: Records,
    entries: Sequence[MatrixEntry],
) -> Path:
    """Write index.html: the figures drawn so far, a row for every case, what the machines are."""
    rows = records.frame(cases)
    parts = [
        "<h1>fillpath</h1>",
        "<p>Papers on sparse factorisation on GPUs, re-implemented and measured: a result is checked before "
        "its time counts, and a case that failed says so. What the papers print stands beside it.</p>",
        _timeline(),
        "<h2>Figures</h2>",
        *(_figure(paper, figure) for paper, figure in figures),
        "<h2>Cases</h2>",
        _cases(rows, [paper_figure(Case.parse(name), entries) for name in rows["case"]]),
        "<h2>Machines</h2>",
        *(_machine(name, rows) for name in sorted(set(rows["machine"].dropna()))),
        "<h2>Stamp</h2>",
        _stamp(style.Stamp.of(rows).items()),
    ]
    path = SITE / "index.html"
    write_text(path, _document("\n".join(parts)))
    return path


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
    drawn = [path for pair in figures if (path := _path(*pair, "svg")).is_file()]
    shown = [f"  {_short(path)}" for path in [*drawn, SITE / "index.html"] if path.is_file()]
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


def _document(body: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<title>fillpath: figures</title>\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{_CSS}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _figure(paper: str, figure: str) -> str:
    """A drawn figure with its caption and stamp, both as its CSV carries them."""
    name, title = stem(paper, figure), f"{PAPERS[paper]}, {spec(paper, figure).title}"
    if not _path(paper, figure, "csv").is_file():
        return f"<p>{escape(title)}: not drawn yet.</p>"
    comments, _ = style.read_csv(_path(paper, figure, "csv"))
    caption = comments.pop("caption", "")
    verdicts = [(key, comments.pop(key)) for key in list(comments) if key.startswith("verdict ")]
    links = ", ".join(f'<a href="figures/{name}.{kind}">{kind.upper()}</a>' for kind in ("svg", "png", "csv"))
    return (
        f'<figure id="{name}">\n<h3>{escape(title)}</h3>\n'
        f'<img src="figures/{name}.svg" alt="{escape(title)}: '
        f'the numbers are in the CSV linked below">\n<figcaption><p>{escape(caption)}</p>\n'
        f"{_verdicts(verdicts)}<p>{links}</p>\n"
        f"{_stamp(list(comments.items()))}</figcaption>\n</figure>"
    )


def _verdicts(verdicts: Sequence[tuple[str, str]]) -> str:
    """What became of the claims, an item each."""
    items = [f"<li>{escape(key)}: {escape(text)}</li>" for key, text in verdicts]
    return f"<ul>{''.join(items)}</ul>\n" if items else ""


def _cases(rows: pd.DataFrame, printed: Sequence[str]) -> str:
    names = (
        "case",
        "status",
        "median",
        "interval",
        "samples",
        "verified by",
        "the paper",
        "machine",
        "reason",
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    body = "\n".join(_case(row, paper) for row, paper in zip(rows.to_dict("records"), printed, strict=True))
    caption = (
        f"{len(rows)} rows, {int((rows['status'] == 'ok').sum())} ok. The interval is that of the median."
    )
    return (
        f'<div class="scroll"><table>\n<caption>{caption}</caption>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def _case(row: Any, printed: str) -> str:
    between = "-" if pd.isna(row["low"]) else f"{seconds(row['low'])} to {seconds(row['high'])}"
    gate = "-" if pd.isna(row["verified_by"]) else f"{row['verified_by']}, {row['verified_method']}"
    reason = "; ".join(
        text for text in ("suspect: too fast" if row["suspect"] else "", row["reason"]) if text
    )
    cells = [
        ("number", seconds(row["median"])), ("number", between), ("number", str(row["samples"])), ("", gate),
        ("", printed), ("", "-" if pd.isna(row["machine"]) else row["machine"]), ("", reason),
    ]  # fmt: skip
    failed = "" if row["status"] == "ok" else ' class="failed"'
    rest = "".join(f'<td class="{c}">{escape(t)}</td>' if c else f"<td>{escape(t)}</td>" for c, t in cells)
    return (
        f'<tr><th scope="row">{escape(row["case"])}</th><td{failed}>{escape(row["status"])}</td>{rest}</tr>'
    )


def _machine(name: str, rows: pd.DataFrame) -> str:
    """What results/<machine>/machine.json says, or what the records say where there is none."""
    path = results() / name / "machine.json"
    own = rows[rows["machine"] == name]
    recorded = {key: ", ".join(sorted(set(own[key].dropna()))) for key in ("host_cpu", "device", "versions")}
    facts = json.loads(path.read_text()) if path.is_file() else recorded
    items = [(key, value if isinstance(value, str) else json.dumps(value)) for key, value in facts.items()]
    return f"<h3>{escape(name)}</h3>\n{_stamp([(key, value) for key, value in items if value])}"


def _stamp(items: Sequence[tuple[str, str]]) -> str:
    return f'<p class="stamp">{"<br>".join(f"{escape(key)}: {escape(value)}" for key, value in items)}</p>'


def _timeline() -> str:
    if not (SITE / "asv" / "index.html").is_file():
        return ""
    return (
        '<p><a href="asv/index.html">Timings over the commits</a> (airspeed velocity; its pages load scripts '
        "from the network and want to be served: <code>python -m http.server -d reports/site</code>).</p>"
    )


def _path(paper: str, figure: str, kind: str) -> Path:
    return SITE / "figures" / f"{stem(paper, figure)}.{kind}"


def _short(path: Path) -> Path:
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def _clip(text: str, width: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: width - 3]}..."
