"""asv's view of the stage cholesky."""

from benchmarks.runs.airspeed import Cases


class Cholesky(Cases):
    """Seconds from a graph Laplacian, resident, to its randomised factor, resident."""

    stage = "cholesky"
