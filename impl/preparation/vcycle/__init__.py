"""Nested dissection of any graph by one V-cycle, on all threads: see impl/preparation/vcycle/cycle.py."""
