"""The current records, the papers' printed numbers, and a paper's names of matrices."""
