"""Numbers of samples that a process takes of a case, and that a stored record needs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sampling:
    """most : int, samples. seconds : float, of all samples, after which no other begins."""

    most: int
    seconds: float

    def wants_more(self, count: int, spent: float) -> bool:
        """Return whether another sample is due after `count` samples that took `spent` seconds."""
        return count < self.most and spent < self.seconds


# More samples gain little: processes differ by more than the samples within one.
USUAL = Sampling(5, 2.0)
# For the embedded suite, which shows that everything works.
SHORT = Sampling(3, 1.0)
