"""What is measured: one room per stage, one file per implementation."""
