"""ParAC (Liang and others, 2025): one module per table or figure."""
