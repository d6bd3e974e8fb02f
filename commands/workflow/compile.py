"""Compile what the suite calls on CPUs, on all cores."""

import sys

from commands._parser import Arguments
from fillpath.hardware import hardware
from fillpath.nouns import content_hash
from fillpath.numba_locator import ROOMS, base, compilers
from fillpath.paths import CONFIG, ROOT, write_text
from fillpath.settings import settings


def run(arguments: Arguments) -> None:
    choosing = [CONFIG / name for name in ("experiments.yaml", "matrices.csv")]
    code = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    words = (sys.version, str(hardware().cpu), settings().text(), *compilers())
    # The marker exists once all code of these settings is compiled for CPUs like this one's.
    marker = base() / f"compiled-{content_hash(*words, *(path.read_bytes() for path in (*choosing, *code)))}"
    if not marker.is_file():
        # These import every implementation, which takes longer than to look for the marker.
        from benchmarks.runs.cases import suite_cases
        from benchmarks.runs.compiling import compile_for

        compile_for(suite_cases(settings()))
        write_text(marker, "")
