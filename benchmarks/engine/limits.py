"""Limits of a measurement, and the samples that a process takes and a stored record needs."""

import math
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
# For the embedded suite, which shows that everything works, and forks its workers.
SHORT = Sampling(3, 1.0)


@dataclass(frozen=True)
class Limits:
    """Limits of one measurement.

    seconds : of the worker's whole life, preparation left out
    preparation : seconds of preparing its matrix and making the reference
    samples : exact number, None for SHORT where `forked`, else for USUAL
    forked : whether the worker of a case's only process may be forked from a template, if it uses no GPU
    """

    seconds: float = 600.0
    preparation: float = 1800.0
    samples: int | None = None
    forked: bool = False

    @property
    def sampling(self) -> Sampling:
        usual = SHORT if self.forked else USUAL
        return Sampling(self.samples, math.inf) if self.samples else usual
