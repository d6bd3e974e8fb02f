// The interface between a compiled kernel and the scheduler; included by both, so without system headers.
#pragma once

struct uint3 {
    unsigned int x, y, z;
};

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
};

namespace cuda_on_cpu {

// The largest dynamic shared memory of a block, in bytes.
constexpr unsigned int DYNAMIC = 227 * 1024;

// What a thread of a block knows about itself.
struct Place {
    uint3 thread, block;
    dim3 threads, blocks;
};

// What a rendezvous of the lanes of a warp computes.
enum Collective {
    SYNC, SHUFFLE, BALLOT, MATCH, REDUCE_ADD, REDUCE_MIN, REDUCE_MAX, REDUCE_AND, REDUCE_OR, REDUCE_XOR, PRODUCT
};

// A lane's part of a product of 16 x 8 by 8 x 8 numbers, as `mma` of impl/cuda/tensor_cores.cuh deals it out.
template <class Real>
struct Part {
    Real a[4], b[2], product[4];
};

// Of all threads of a block.
enum Vote { NOTHING, ANY, ALL, COUNT };

// Where in the kernel a thread waits.
struct Site {
    const char *what, *file;
    int line;
};

extern "C" {
// Of the running thread.
const Place &cuda_on_cpu_place() __attribute__((const));
// Waits for all threads of the block. Returns the vote on `value`.
int cuda_on_cpu_barrier(Vote vote, int value, Site site);
// Waits for the lanes of the mask. from : the lane whose value SHUFFLE returns, the bytes of a number for PRODUCT.
// is_signed : how MIN and MAX compare. value : for PRODUCT the address of a Part, whose product is filled in.
unsigned long long cuda_on_cpu_collective(
    Collective kind, unsigned int mask, unsigned long long value, unsigned int from, bool is_signed, Site site);
// Others may run now. waits : the thread waits for another one.
void cuda_on_cpu_yield(bool waits);
// Before an atomic access; code : where the kernel makes it.
void cuda_on_cpu_atomic(const void *address, unsigned int bytes, const void *code);
long long cuda_on_cpu_clock();
}
}  // namespace cuda_on_cpu
