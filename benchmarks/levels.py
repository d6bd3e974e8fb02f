"""asv's view of the stage levels."""

from benchmarks.runs.airspeed import Cases


class Levels(Cases):
    """Seconds from the filled pattern by rows and columns, resident, to the columns of each level."""

    stage = "levels"
