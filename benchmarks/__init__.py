"""Measuring: one file per stage, and the rooms of the engine, the checks, the probes and the runs."""
