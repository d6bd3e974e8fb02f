"""The page that shows everything: one HTML file with its style and script in it, which opens from disk."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from fillpath import paths
from fillpath.case import Case
from fillpath.errors import InputError
from fillpath.holdings import read_ceilings, read_facts
from fillpath.paths import ROOT, results, write_text
from reports.facts.claims import PAPERS
from reports.facts.records import MatrixEntry, Records
from reports.facts.standings import Standing
from reports.pages.compare import Comparison
from reports.pages.webpage.case_table import cases_section
from reports.pages.webpage.comparison import comparisons_section
from reports.pages.webpage.exhibits import paper_section
from reports.pages.webpage.markup import address, code, element, facts, items, link
from reports.pages.webpage.scoreboard import lead, machines_of, matrix

ASSETS = Path(__file__).parent / "assets"
WHAT = (
    "Four papers on sparse factorisation on GPUs, re-implemented and measured. A result is verified before "
    "its time counts, a case that failed says so, and a verdict follows from records by code."
)
# What a ceiling is called, and what it is counted in.
CEILINGS: Mapping[str, tuple[str, float, str]] = {
    "copy_bytes": ("copy", 1e9, "GB/s"),
    "flops_double": ("double precision", 1e9, "GFLOP/s"),
    "flops_single": ("single precision", 1e9, "GFLOP/s"),
    "link_to_device_bytes": ("link to the device", 1e9, "GB/s"),
    "link_to_host_bytes": ("link to the host", 1e9, "GB/s"),
    "page_faults": ("pages made on first touch", 1e3, "thousand a second"),
}
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
    comparisons: Sequence[Comparison] = (),
) -> Path:
    """Write the page: the verdicts, each paper's figures as far as they are drawn, a row for every case, the
    machines. comparisons : of the machines, two by two, none for fewer than two."""
    rows = records.frame(cases)
    machines = machines_of(standings)
    sections = [
        _section("verdicts", "Verdicts", lead(standings, records) + matrix(standings)),
        *(paper_section(paper, standings) for paper in PAPERS),
        *(
            [_section("compare", "Machine against machine", comparisons_section(comparisons))]
            if comparisons
            else []
        ),
        _section("cases", "Cases", cases_section(rows, entries)),
        _section("machines", "Machines", _refused(records.refused) + _machines(machines, rows)),
        _section("method", "Method", _method()),
    ]
    write_text(paths.PAGE, _document(_navigation(bool(comparisons)), "\n".join(sections)))
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


def _refused(refused: Mapping[str, str]) -> str:
    """The folders of results/ that could not be used, and why; empty for none."""
    told = [f"<b>{escape(name)}</b>: {escape(reason)}" for name, reason in refused.items()]
    head = element("p", "Of these folders nothing is shown here, because they are damaged or not whole:")
    return element("div", head + items(told), class_="refused") if told else ""


def _machines(machines: Sequence[str], rows: pd.DataFrame) -> str:
    shown = [_machine(name, rows[rows["machine"] == name]) for name in machines]
    return element("div", "".join(shown), class_="machines")


def _machine(name: str, own: pd.DataFrame) -> str:
    """What the records say of a machine, and what results/<machine>/ says: its facts, and its ceilings."""
    recorded = {
        "device": ", ".join(sorted(set(own["device"].dropna()))),
        "cpu": ", ".join(sorted(set(own["host_cpu"].dropna()))),
        "cases": f"{int((own['status'] == 'ok').sum())} ok of {len(own)}",
        "versions": _versions(own["versions"].dropna().unique()),
    }
    folder = results() / name
    try:
        known = {**recorded, **_facts(folder), **_ceilings(folder)}
    except InputError as error:
        known = {**recorded, "damaged": str(error)}
    told = [(key.replace("_", " "), str(value)) for key, value in known.items() if value not in (None, "")]
    return element("div", f"{element('h3', escape(name))}{facts(told)}", id=f"machine-{name}")


def _facts(folder: Path) -> Mapping[str, Any]:
    found = read_facts(folder)
    memory = found.get("memory")
    told = {**found, **({"memory": f"{memory / 2**30:.0f} GiB"} if memory else {})}
    return {key: value for key, value in told.items() if key != "name"}


def _ceilings(folder: Path) -> Mapping[str, str]:
    """What its devices can do at most, as far as it was measured."""
    found = read_ceilings(folder) or {}
    devices = {kind: found[kind] for kind in ("host", "gpu") if found.get(kind)}
    return {
        f"{kind}, {CEILINGS[name][0]}": _ceiling(rate, *CEILINGS[name][1:])
        for kind, device in devices.items()
        for name, rate in device["rates"].items()
    }


def _ceiling(rate: Mapping[str, float], scale: float, unit: str) -> str:
    """`4,180 GB/s (4,150 to 4,190)`."""
    middle, low, high = (_digits(rate[name] / scale) for name in ("per_second", "low", "high"))
    return f"{middle} {unit} ({low} to {high})"


def _digits(number: float) -> str:
    """Three digits, all of a whole number."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def _versions(texts: Iterable[str]) -> str:
    """Each library once, with all the versions that the records name."""
    found: dict[str, set[str]] = {}
    for text in texts:
        for name, version in json.loads(text).items():
            found.setdefault(name, set()).add(str(version))
    return ", ".join(f"{name} {' and '.join(sorted(found[name]))}" for name in sorted(found))


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
