"""Numeric factorisation: the values of L and U on the filled pattern."""
