"""asv's view of the stage laplacian."""

from benchmarks.runs.airspeed import Cases


class Laplacian(Cases):
    """Seconds from a graph Laplacian and a right-hand side, resident, to the solution, resident."""

    stage = "laplacian"
