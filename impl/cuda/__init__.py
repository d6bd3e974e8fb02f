"""Everything that touches CUDA and is not an algorithm: kernels, facts of the device, moving nouns."""
