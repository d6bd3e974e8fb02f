"""The page that shows everything: one HTML file with its style and script in it, which opens from disk."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from fillpath import paths
from fillpath.case import Case
from fillpath.paths import ROOT, results, write_text
from reports.claims import PAPERS
from reports.compare import Comparison
from reports.records import MatrixEntry, Records
from reports.standings import Standing
from reports.webpage.case_table import cases_section
from reports.webpage.comparison import comparison_section
from reports.webpage.exhibits import paper_section
from reports.webpage.markup import address, code, element, facts, items, link
from reports.webpage.scoreboard import lead, machines_of, matrix

ASSETS = Path(__file__).parent / "assets"
WHAT = (
    "Four papers on sparse factorisation on GPUs, re-implemented and measured. A result is verified before "
    "its time counts, a case that failed says so, and a verdict follows from records by code."
)
SERVE = "python -m http.server --directory reports"
METHOD = (
    "A matrix is fetched or generated, prepared (matching, scaling, ordering) and cached.",
    "Each measurement runs in a process of its own, under limits of time and memory.",
    "Its result is held against an independent reference before and after the samples: row by row for "
    "patterns, by every dependency for levels, by residuals for factors and solutions.",
    "At least 3 samples are taken, until there are 10 or 20 seconds have passed; the interval is a bootstrap "
    "of the median, least to most below six samples.",
    "A ratio pairs measurements of one machine and one run.",
    "A verdict is firm only on the paper’s own matrices, and from 10⁹ edges on where edges are examined.",
)


def page(
    standings: Sequence[Standing],
    cases: Sequence[Case],
    records: Records,
    entries: Sequence[MatrixEntry],
    comparison: Comparison | None = None,
) -> Path:
    """Write the page: the verdicts, each paper's figures as far as they are drawn, a row for every case, the
    machines. comparison : of the machines, None for fewer than two."""
    rows = records.frame(cases)
    machines = machines_of(standings)
    sections = [
        _section("verdicts", "Verdicts", lead(standings, records) + matrix(standings)),
        *(paper_section(paper, standings) for paper in PAPERS),
        *(
            [_section("compare", "Machine against machine", comparison_section(comparison))]
            if comparison
            else []
        ),
        _section("cases", "Cases", cases_section(rows, entries)),
        _section("machines", "Machines", _machines(machines, rows)),
        _section("method", "Method", _method()),
    ]
    write_text(paths.PAGE, _document(_navigation(comparison is not None), "\n".join(sections)))
    return paths.PAGE


def _document(navigation: str, body: str) -> str:
    style, script = ((ASSETS / name).read_text() for name in ("page.css", "page.js"))
    head = element("h1", "fillpath") + element("p", escape(WHAT), class_="what")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<title>fillpath: which claims stand</title>\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<style>\n{style}</style>\n</head>\n<body>\n"
        f"{element('a', 'to the verdicts', href='#verdicts', class_='skip')}\n"
        f'<header><div class="inner">{head}</div></header>\n{navigation}\n'
        f"<main>\n{body}\n</main>\n<script>\n{script}</script>\n</body>\n</html>\n"
    )


def _section(id: str, title: str, content: str) -> str:
    return element("section", f"{element('h2', escape(title))}\n{content}", id=id)


def _navigation(compared: bool) -> str:
    targets = {
        "verdicts": "Verdicts",
        **PAPERS,
        **({"compare": "Compare"} if compared else {}),
        "cases": "Cases",
        "machines": "Machines",
        "method": "Method",
    }
    shown = items([link(f"#{id}", title) for id, title in targets.items()])
    return element("nav", shown, aria_label="sections")


def _machines(machines: Sequence[str], rows: pd.DataFrame) -> str:
    shown = [_machine(name, rows[rows["machine"] == name]) for name in machines]
    return element("div", "".join(shown), class_="machines")


def _machine(name: str, own: pd.DataFrame) -> str:
    """What the records say of a machine, and what results/<machine>/ says: its facts, and its ceilings."""
    recorded = {
        "device": ", ".join(sorted(set(own["device"].dropna()))),
        "cpu": ", ".join(sorted(set(own["host_cpu"].dropna()))),
        "cases": f"{int((own['status'] == 'ok').sum())} ok of {len(own)}",
        "versions": "; ".join(_versions(text) for text in sorted(set(own["versions"].dropna()))),
    }
    known = {**recorded, **_facts(results() / name / "machine.json"), **_ceilings(results() / name)}
    told = [(key.replace("_", " "), str(value)) for key, value in known.items() if value not in (None, "")]
    return element("div", f"{element('h3', escape(name))}{facts(told)}", id=f"machine-{name}")


def _facts(path: Path) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(path.read_text()) if path.is_file() else {}
    memory = found.get("memory")
    return {**found, **({"memory": f"{memory / 2**30:.0f} GiB"} if memory else {})}


def _ceilings(folder: Path) -> Mapping[str, str]:
    """What its devices can do at most, as far as it was measured."""
    found = _facts(folder / "ceilings.json")
    devices = {kind: found[kind] for kind in ("host", "gpu") if found.get(kind)}
    return {
        f"{kind}: {name}": f"{rate['per_second']:.4g} a second"
        for kind, device in devices.items()
        for name, rate in device["rates"].items()
    }


def _versions(text: str) -> str:
    return ", ".join(f"{name} {version}" for name, version in json.loads(text).items())


def _method() -> str:
    pages = {"claims.md": "how a claim is judged", "figures.md": "what each figure shows",
             "compare.md": "how machines are compared"}  # fmt: skip
    links = ", ".join(link(address(ROOT / "docs" / name), title) for name, title in pages.items())
    return f"{items([escape(step) for step in METHOD])}<p>More: {links}.</p>\n{_timeline()}"


def _timeline() -> str:
    """The way to asv's pages, where they are there."""
    index = paths.SITE / "asv" / "index.html"
    if not index.is_file():
        return ""
    known = results() / "asv" / "benchmarks.json"
    names = sorted(json.loads(known.read_text())) if known.is_file() else []
    graphs = [link(f"{address(index)}#{name}", name.partition(".")[0]) for name in names if name != "version"]
    by_stage = f", by stage: {', '.join(graphs)}" if graphs else ""
    told = "airspeed velocity; its pages load scripts from the network and want to be served:"
    shown = f"{link(address(index), 'Timings over the commits')}{by_stage} ({told} {code(SERVE)})."
    return element("p", shown)
