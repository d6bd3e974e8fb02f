"""Nested dissection of any graph by one V-cycle, on all threads: see fetch/vcycle/cycle.py."""
