"""What the benchmarks of all stages share: a stage as asv sees it.

A stage is measured by one file, benchmarks/<stage>.py, which holds a `Suite`. asv imports every module below
benchmarks/, and a worker imports the file of its stage: both import what takes long where it is used.
"""

from __future__ import annotations

from benchmarks.engine.benchmark import Benchmark


class Suite(Benchmark):
    """asv's class: one number per case, its seconds.

    Abstract, so that asv does not collect it where it is imported. asv asks an instance for its parameters:
    an import has no side effects.
    """

    param_names = ("case",)
    # The time limit is `measure`'s: asv's, a minute, must not cut in where asv is run by hand.
    timeout = 3e8
    # Fixed: asv would otherwise start a new series whenever the file is edited.
    version = "1"
    unit = "seconds"

    @property
    def params(self) -> list[list[str]]:
        """The names of the cases that the settings choose and this machine can run."""
        from benchmarks.runs.airspeed import case_names

        return [case_names(self.stage)]

    def track_seconds(self, case: str) -> float:
        """The median of the case's seconds; nan, which asv takes as skipped, unless its status is ok."""
        from benchmarks.runs.airspeed import median_seconds

        return median_seconds(case)
