"""Everything that touches CUDA and is not an algorithm: loading kernels, facts of the device, moving
nouns."""
