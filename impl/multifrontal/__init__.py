"""Numeric factorisation and solves on fronts."""
