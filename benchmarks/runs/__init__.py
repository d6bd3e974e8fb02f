"""Which cases are measured, when and where."""
