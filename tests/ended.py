"""Whether processes have ended."""

import time
from pathlib import Path


def is_gone(pid: int | str, what: str = "exe") -> bool:
    """Return whether the process ends within ten seconds. what : "" where its id has to be given up too."""
    place = Path(f"/proc/{pid}/{what}")
    deadline = time.monotonic() + 10
    while place.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    return not place.exists()
