"""Levels: sets of columns of L and U that can be factorised at the same time."""
