"""Write the appendix of an artefact evaluation, and all that belongs to it as an RO-Crate.

Exit status 1 where a figure could not be judged or drawn."""

from __future__ import annotations

import argparse
import logging
from datetime import UTC, datetime

from benchmarks.engine.follow import adopt, begin_part
from benchmarks.engine.machine import git_state
from commands._records import figure_cases, load_records, with_records
from fetch import catalogue, collection
from reports import figures
from reports.pages import artifact, crate, drawing
from reports.shapes import style


def run(arguments: argparse.Namespace) -> int:
    records = load_records()
    cases_of = figure_cases(records)
    cases = {pair: cases_of(*pair) for pair in figures.available_figures()}
    measured = {pair: with_records(listed, records) for pair, listed in cases.items()}
    drawn = {pair: listed for pair, listed in measured.items() if listed}
    adopt()
    started = datetime.now(UTC)
    sources = drawing.Sources(records, cases, (), catalogue.entries())
    result = drawing.make(records.machines(), sources, drawn, begin_part)
    for pair, reason in result.failed.items():
        logging.getLogger("fillpath").warning("%s %s", ".".join(pair), reason)
    documents = artifact.write(result.standings, measured, records)
    names = [figures.stem(*pair) for pair in drawn if pair not in result.failed]
    pictures = [style.figure_path(name, kind) for name in names for kind in ("svg", "csv")]
    commit, dirty = git_state()
    made = crate.Drawing(
        pictures, f"{commit or 'unknown'}{'+dirty' if dirty else ''}", started, datetime.now(UTC)
    )
    files = artifact.result_files()
    metadata = crate.write(artifact.FOLDER, documents, files, records, made, collection.SITE)
    for path in (*documents, metadata):
        print(path)
    return int(bool(result.failed))
