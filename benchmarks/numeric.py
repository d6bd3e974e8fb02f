"""asv's view of the stage numeric."""

from benchmarks.runs.airspeed import Cases


class Numeric(Cases):
    """Seconds from the values on the filled pattern, resident, to those of L and U, resident."""

    stage = "numeric"
