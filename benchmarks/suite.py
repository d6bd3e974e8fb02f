"""A stage as asv sees it: the base of the class in each benchmarks/<stage>.py.

A worker imports the file of its stage, so what only asv calls is imported where it is used.
"""

from benchmarks.engine.benchmark import Benchmark


class Suite(Benchmark):
    """asv's class: one number per case, its seconds.

    The class is abstract, so that asv does not collect it where it is imported. An import has no side
    effects, because asv asks an instance for its parameters.
    """

    param_names = ("case",)
    # `measure` has a time limit: asv's own, a minute, must not end an `asv run` by hand.
    timeout = 3e8
    unit = "seconds"

    @property
    def params(self) -> list[list[str]]:
        """Return the names of the cases that the settings choose and this machine can run."""
        from benchmarks.runs.rounds import case_names

        return [case_names(type(self).__name__.lower())]

    def track_seconds(self, case: str) -> float:
        """Return the case's median in seconds; nan, which asv takes as skipped, unless its status is ok."""
        from benchmarks.runs.rounds import median_seconds

        return median_seconds(case)
