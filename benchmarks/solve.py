"""asv's view of the stage solve."""

from benchmarks.runs.airspeed import Cases


class Solve(Cases):
    """Seconds from the matrix, resident, through all stages to the solution of a linear system, resident."""

    stage = "solve"
