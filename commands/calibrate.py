"""Measure what this machine can do at most, for rooflines.

Exit status 1 where there is a GPU and its ceilings could not be measured."""

import json

from benchmarks.engine.machine import introduce
from benchmarks.probes import ceilings
from commands._parser import Arguments


def run(arguments: Arguments) -> int:
    introduce()
    path = ceilings.calibrate()
    measured = json.loads(path.read_text())
    for kind in ("host", "gpu", "gpus"):
        if measured[kind] is None:
            # One GPU has no ceilings of several, and that is no failure.
            if measured["gpu_reason"]:
                print(f"{kind}: not measured: {measured['gpu_reason']}")
            continue
        print(f"{kind}: {measured[kind]['name']}")
        for name, rate in measured[kind]["rates"].items():
            print(f"  {name}: {rate['per_second']:.4g} a second ({rate['low']:.4g} to {rate['high']:.4g})")
    print(path)
    return int(measured["gpu_reason"].startswith(ceilings.FAILED))
