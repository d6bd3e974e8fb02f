"""End-to-End LU Factorization of Large Matrices on GPUs (Xia and others, PPoPP 2023): one module per table
or figure."""
