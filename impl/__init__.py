"""What is measured: one room a stage, one file an implementation."""
