"""Shared pieces of the CPU implementations."""
