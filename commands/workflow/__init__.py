"""What the Snakefile calls, one command per step; nobody else needs them."""
