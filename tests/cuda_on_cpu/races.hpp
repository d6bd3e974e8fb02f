// Hazards in shared memory: a thread reads what no thread of its block has written; or two threads access a byte, one
// of them writes it, and nothing orders the two.
//
// A barrier of the block orders all before it and all after it, __syncwarp the lanes that it names; other collectives
// order only what their lanes have read before what they write then. Atomics may meet each other, and volatile
// accesses may meet anything. A write of what is there already is no hazard: it is looked at when its thread has made
// it, as no other thread runs before the next access.
#pragma once
#include "scheduler.hpp"

namespace cuda_on_cpu {

enum Access : unsigned char { READ, WRITE, ATOMIC, VOLATILE_READ, VOLATILE_WRITE };

// When a thread accessed a byte: the block's barriers before, and the collectives of its warp's that it had passed.
struct Stamp {
    u32 epoch, clock, thread;
    const void *code;
};

// The last accesses to a byte; of reads those of two threads. block : of the OS thread's, the last that wrote it.
struct Byte {
    Stamp written, changed, read[2];
    u32 block;
};

// Of the OS thread's shared memory. `size` is 0 while races are not looked for.
struct Watch {
    char *begin;
    size_t size;
    u32 epoch;                 // barriers so far, of all blocks of the OS thread
    u32 blocks;                // blocks so far
    Byte *bytes;               // most of them never touched, and so no memory
    // (threads, 32): of each lane of its warp, up to which collective of it a thread knows all accesses, or the reads.
    std::vector<u32> clocks, reads;
    // A write that may change nothing.
    const char *address;
    u32 length;
    unsigned char before[16];
    std::string hazard;
};

extern __thread Watch *watch __attribute__((tls_model("initial-exec")));

// Before an access of the running fiber.
void observe(const void *address, u32 bytes, Access access, const void *code);
// Fails if the last write that met another one has changed the bytes.
void check_write();
// Of a block that starts.
void begin_watch(u32 threads);
// The lanes of the mask know of each other's accesses; or of the reads alone.
void order_lanes(const Fiber &self, u32 mask, bool reads);
}  // namespace cuda_on_cpu
