// What the tests of the harness run on a GPU. Grid and block of each: one thread.

// Busy for so many nanoseconds; writes one byte, so that nothing is left out.
extern "C" __global__ void spin(unsigned char *out, unsigned long long nanoseconds)
{
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - start < nanoseconds);
    out[0] = 1;
}

// Writes to an address that nobody has allocated.
extern "C" __global__ void stray(unsigned long long address)
{
    *reinterpret_cast<volatile int *>(address) = 1;
}

// out[i] = FACTOR * i for one element a thread, of which there are n.
extern "C" __global__ void multiples(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = FACTOR * i;
}
