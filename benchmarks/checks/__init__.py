"""How a result is checked against what it should be: one module per kind of result."""
