"""What is measured beside seconds: counters, page faults, ceilings, ranks of MPI."""
