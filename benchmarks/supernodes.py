"""asv's view of the stage supernodes."""

from benchmarks.runs.airspeed import Cases


class Supernodes(Cases):
    """Seconds from the filled pattern, resident, to the first row of each supernode, resident."""

    stage = "supernodes"
