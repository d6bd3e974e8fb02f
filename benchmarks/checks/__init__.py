"""How a result is held against what it should be: one module per kind of result."""
