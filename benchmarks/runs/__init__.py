"""Runs: their cases, when and where these are measured, and the night."""
