"""End-to-end LU of large matrices on GPUs (Xia and others, PPoPP 2023): a module per table or figure."""
