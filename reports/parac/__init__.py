"""ParAC (Liang and others, 2025): one module a table or figure."""
