"""Draw the run's figures, and write the page of all records.

Exit status 1 where a figure could not be judged or drawn."""

from benchmarks.runs import marks
from benchmarks.runs.cases import suite_figures
from commands import page
from commands._parser import Arguments
from commands._records import load_records
from fillpath.settings import settings


def run(arguments: Arguments) -> int:
    chosen = settings()
    made_from = marks.drawn_from(chosen)
    whole = page.write(suite_figures(chosen), load_records())
    if whole:
        marks.keep_drawn(made_from)
    return int(not whole)
