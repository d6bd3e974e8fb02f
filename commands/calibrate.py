"""Measure what this machine can do at most, for rooflines.

Exit status 1 where there is a GPU and its ceilings could not be measured."""

from benchmarks.engine.machine import introduce
from benchmarks.probes import ceilings
from commands._parser import Arguments
from fillpath.holdings import read_ceilings


def run(arguments: Arguments) -> int:
    introduce()
    path = ceilings.calibrate()
    measured = read_ceilings(path.parent)
    for kind in ("host", "gpu", "gpus"):
        if device := measured[kind]:
            print(f"{kind}: {device['name']}")
            for name, rate in device["rates"].items():
                ends = f"{rate['low']:.4g} to {rate['high']:.4g}"
                print(f"  {name}: {rate['per_second']:.4g} a second ({ends})")
        # One GPU has no ceilings of several, and that is no failure.
        elif measured["gpu_reason"]:
            print(f"{kind}: not measured: {measured['gpu_reason']}")
    print(path)
    return int(measured["gpu_reason"].startswith(ceilings.FAILED))
