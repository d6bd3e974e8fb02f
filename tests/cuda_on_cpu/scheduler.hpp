// Blocks on OS threads, their threads as fibers.
//
// A fiber runs until it waits, or until its budget of memory accesses is spent; then one of those that can run is drawn
// at random. It never changes its OS thread. What a block knows belongs to its OS thread alone.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "runtime.hpp"

namespace cuda_on_cpu {

using u32 = unsigned int;
using u64 = unsigned long long;

constexpr size_t STACK = 64 * 1024;
constexpr size_t PAGE = 4096;

// As __builtin_setjmp fills it in, which saves less than the C library's.
using Context = void *[5];

// One launch, as Python fills it in.
struct Launch {
    void (*entry)(void **);   // calls the kernel
    char *(*shared)();        // the dynamic shared memory of the calling OS thread
    void **arguments;
    u32 grid[3], block[3];
    u32 shared_bytes;
    u32 resident;             // blocks at a time
    u64 seed;
    double limit;             // seconds
    u32 races;                // whether hazards in shared memory are looked for
    char *message;            // of the first error
    u32 message_bytes;
};

// What all blocks of a launch share.
struct Run {
    explicit Run(const Launch &launch) : launch(launch) {}
    const Launch &launch;
    std::vector<u32> order;   // in which blocks start
    std::atomic<u32> next{0};
    std::atomic<bool> failed{false};
    std::mutex mutex;
    std::chrono::steady_clock::time_point deadline;
};

struct Random {
    u64 state;
    u32 below(u32 limit) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        return (u32)((state >> 32) * limit >> 32);
    }
};

enum State : unsigned char { READY, AT_BARRIER, AT_WARP, EXITED };

struct Fiber {
    Place place;
    Context context;
    bool started;
    State state;
    u32 number;
    Site site;                // where it waits, or waited last
    // Of a collective: what it is, and its result.
    Collective kind;
    u32 mask, from, first;
    bool is_signed;
    u64 value;
    int vote;                 // of a barrier
};

// A warp: lanes that wait at a collective, lanes that have exited; and by the first lane that came to a collective, all
// that have come to it.
struct Warp {
    u32 waiting, exited, came[32];
};

struct Block {
    Run *run;
    Fiber *running;
    std::vector<Fiber> fibers;
    std::vector<Warp> warps;
    std::vector<u32> ready;   // fibers that can run, but for the running one
    char *stacks;
    Context home;             // the OS thread's own context
    Random random;
    u32 number, live, arrived, any, count;
    Vote vote;
    Site barrier;
    u32 patience;             // accesses between two preemptions, about
    u32 waits;                // preemptions since another OS thread had its turn, those of spins 16 times
    u32 looks;                // until the clock is looked at
};

// The block of the calling OS thread, and how many accesses the running fiber has left.
extern __thread Block *block __attribute__((tls_model("initial-exec")));
extern __thread int budget __attribute__((tls_model("initial-exec")));

// Ends the launch with this message, unless another one was first. Does not return.
[[noreturn]] void fail(const std::string &message);
// The running fiber and where it is, for a message.
std::string here();
std::string where(const Site &site);
// A place in the kernel's code, as " [offset]"; Python makes it a line.
std::string line_of(const void *code);
// Leaves the OS thread's own context for a fiber of the block.
[[noreturn]] void enter_any();
// Another fiber runs; the running one is in `ready`, or waits, or has exited.
void switch_fiber();
// The running fiber lets others run and goes on later.
void preempt(bool waits);
void make_ready(Fiber &fiber);
// Errors of lanes that wait for one that has exited.
void check_warp_of(const Fiber &exited);
void complete_barrier_if_all_came();

// Stacks of so many fibers, each above a page that faults; kept for later launches.
char *take_stacks(u32 fibers);
void return_stacks(char *stacks, u32 fibers);

// While one lives, faults in the calling process that are a fiber's become errors of the launch.
struct Faults {
    Faults();
    ~Faults();
};
// The calling OS thread's stack for signals.
struct SignalStack {
    SignalStack();
    ~SignalStack();
    char *memory;
};
}  // namespace cuda_on_cpu
