"""ParAC: the randomised approximate Cholesky factor of a graph Laplacian."""
