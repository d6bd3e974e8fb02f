"""Measuring: one file per stage, and the rooms below them."""
