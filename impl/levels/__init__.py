"""Levels: columns of L and U that can be factorised at once."""
