"""What a measurement may take."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.engine import machine


@dataclass(frozen=True)
class Limits:
    """The limits of one measurement.

    seconds : of the worker's whole life.
    preparation : seconds of preparing its matrix and making the reference, which none of the above are.
    memory : bytes resident; None: nine tenths of what is available when it starts.
    samples : how many exactly; None: by the worker's rule.
    """

    seconds: float = 600.0
    preparation: float = 1800.0
    memory: int | None = None
    samples: int | None = None

    def memory_limit(self) -> int | None:
        """Bytes; None where nobody says how much memory there is."""
        available = machine.available_memory()
        return self.memory or (None if available is None else available * 9 // 10)
