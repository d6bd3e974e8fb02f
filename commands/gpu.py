"""Run all that a machine with a GPU should, in four tiers, each packed before the next starts.

FILLPATH_PACKS names the folder of the packs, FILLPATH_SUITE the matrices. Exit status 1 where a tier
failed, 2 without a GPU."""

from benchmarks.engine.follow import die_with_parent
from benchmarks.engine.machine import introduce
from benchmarks.runs.tiers import TIERS, resumed, run_tiers
from commands._parser import Arguments
from fillpath.errors import UnavailableError
from fillpath.paths import ROOT
from fillpath.settings import settings
from impl.cuda import kernels


def run(arguments: Arguments) -> int:
    die_with_parent()
    available, why_not = kernels.available()
    if not available:
        raise UnavailableError(f"{why_not}: nothing to run")
    introduce()
    return run_tiers(resumed(TIERS), settings().packs or ROOT / "packs")
