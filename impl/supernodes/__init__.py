"""Supernodes: rows of U that share a structure."""
