"""Machines against each other: the best of each, the same cases on all, and rooflines."""
