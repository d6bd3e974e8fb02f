"""All that touches CUDA and is no algorithm: loading kernels, facts of the device, moving nouns."""
