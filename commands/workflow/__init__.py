"""Commands of the Snakefile, one per step; nobody else needs them."""
