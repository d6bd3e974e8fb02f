"""Preparation: a matrix is matched, scaled and ordered before it is factorised."""
