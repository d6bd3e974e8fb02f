"""Measurements of more than seconds: counters, page faults, durations of kernels, ceilings."""
