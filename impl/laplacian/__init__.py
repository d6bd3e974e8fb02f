"""Linear systems with graph Laplacians: a preconditioner and conjugate gradients."""
