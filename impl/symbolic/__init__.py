"""Symbolic factorisation: which entries of L + U fill."""
