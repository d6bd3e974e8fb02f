"""asv's view of the symbolic stage."""

from benchmarks.runs.airspeed import Cases


class Symbolic(Cases):
    """Seconds from the pattern of A, resident, to the filled pattern of L + U, resident."""

    stage = "symbolic"
