"""The records as they stand, what the papers print, and what a paper calls a matrix."""
