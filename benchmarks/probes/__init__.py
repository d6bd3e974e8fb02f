"""Measurements next to seconds: counters, page faults, kernels' durations, ceilings."""
