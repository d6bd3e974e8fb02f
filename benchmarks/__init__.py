"""How it is measured: one file per stage, and the rooms that they stand on."""
