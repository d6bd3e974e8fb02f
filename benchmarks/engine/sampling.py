"""How many samples a process takes of a case, and how many a stored record must have."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sampling:
    """most : samples. seconds : that the samples take together, after which no other begins."""

    most: int
    seconds: float

    def wants_more(self, count: int, spent: float) -> bool:
        """Whether another sample is due after `count` of them that took `spent` seconds."""
        return count < self.most and spent < self.seconds


# More samples say little: processes differ by more than the samples of one.
USUAL = Sampling(5, 2.0)
# Of the embedded suite, which shows that everything works.
SHORT = Sampling(3, 1.0)
