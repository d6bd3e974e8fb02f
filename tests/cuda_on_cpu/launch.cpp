// A launch: its blocks in a random order, as many at a time as are resident, each on an OS thread.
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <thread>

#include "races.hpp"

namespace cuda_on_cpu {

// The shared memory of an OS thread: all thread-local storage of the kernel's library, with the dynamic part in it.
struct Shared {
    const void *library;
    char *begin = nullptr, *dynamic = nullptr;
    size_t size = 0;

    explicit Shared(const Launch &launch) : dynamic(launch.shared()) {
        Dl_info info;
        dladdr((void *)launch.shared, &info);
        library = info.dli_fbase;
        dl_iterate_phdr(visit, this);
    }

    static int visit(dl_phdr_info *info, size_t, void *self) {
        Shared &shared = *(Shared *)self;
        const auto *header = (const ElfW(Ehdr) *)shared.library;
        if ((const char *)info->dlpi_phdr != (const char *)header + header->e_phoff) return 0;
        shared.begin = (char *)info->dlpi_tls_data;
        for (int k = 0; k < info->dlpi_phnum; ++k)
            if (info->dlpi_phdr[k].p_type == PT_TLS) shared.size = info->dlpi_phdr[k].p_memsz;
        return 1;
    }
};

static void prepare(const Launch &launch, const Shared &shared, unsigned char poison) {
    const u32 threads = launch.block[0] * launch.block[1] * launch.block[2];
    if (watch) begin_watch(threads);
    memset(shared.begin, poison, shared.size);
    block->live = threads;
    block->arrived = 0;
    block->ready.clear();
    block->warps.assign((threads + 31) / 32, Warp{});
    // Lanes that do not exist.
    if (threads % 32) block->warps.back().exited = ~0u << threads % 32;
    const u32 b = block->number;
    for (u32 k = 0; k < threads; ++k) {
        Fiber &fiber = block->fibers[k];
        Place &place = fiber.place;
        place.blocks = dim3(launch.grid[0], launch.grid[1], launch.grid[2]);
        place.threads = dim3(launch.block[0], launch.block[1], launch.block[2]);
        place.block = {b % launch.grid[0], b / launch.grid[0] % launch.grid[1], b / launch.grid[0] / launch.grid[1]};
        place.thread = {k % launch.block[0], k / launch.block[0] % launch.block[1],
                        k / launch.block[0] / launch.block[1]};
        fiber.number = k;
        make_ready(fiber);
    }
}

static void check_dynamic(const Launch &launch, const Shared &shared, unsigned char poison) {
    for (size_t k = launch.shared_bytes; k < DYNAMIC; ++k)
        if ((unsigned char)shared.dynamic[k] != poison)
            fail("block " + std::to_string(block->number) + ": wrote byte " + std::to_string(k) + " of " +
                 std::to_string(launch.shared_bytes) + " bytes of dynamic shared memory");
}

static void run_block(const Launch &launch, const Shared &shared) {
    const unsigned char poison = (unsigned char)(0x81 + 2 * block->random.below(60));
    prepare(launch, shared, poison);
    if (__builtin_setjmp(block->home) == 0) enter_any();
    if (block->run->failed || __builtin_setjmp(block->home) != 0) return;
    check_dynamic(launch, shared, poison);
}

static void work(Run &run, u32 worker) {
    const Launch &launch = run.launch;
    const u32 threads = launch.block[0] * launch.block[1] * launch.block[2];
    const SignalStack signals;
    const Shared shared(launch);
    Block mine{};
    mine.run = &run;
    mine.random.state = (launch.seed * 0x9E3779B97F4A7C15u ^ (worker + 1) * 0xD1B54A32D192ED03u) | 1;
    mine.fibers.resize(threads);
    mine.stacks = take_stacks(threads);
    Watch races{};
    if (launch.races) {
        races.begin = shared.begin;
        races.size = shared.size;
        races.bytes = (Byte *)calloc(shared.size, sizeof(Byte));
        watch = &races;
    }
    block = &mine;
    for (u32 taken; !run.failed && (taken = run.next++) < run.order.size();) {
        mine.number = run.order[taken];
        for (u32 k = 0; k < 8; ++k) mine.random.below(2);
        // Some blocks change their thread at every access, others only where one waits.
        mine.patience = 4u << 3 * mine.random.below(5);
        run_block(launch, shared);
    }
    block = nullptr;
    watch = nullptr;
    free(races.bytes);
    return_stacks(mine.stacks, threads);
}

// Returns 0, or 1 after an error, whose message the launch then has.
extern "C" int cuda_on_cpu_launch(const Launch *launch) {
    static std::mutex one_at_a_time;
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    Run run(*launch);
    run.order.resize((size_t)launch->grid[0] * launch->grid[1] * launch->grid[2]);
    Random random{launch->seed * 0x9E3779B97F4A7C15u | 1};
    for (u32 k = 0; k < run.order.size(); ++k) {
        const u32 other = random.below(k + 1);
        run.order[k] = run.order[other];
        run.order[other] = k;
    }
    run.deadline = std::chrono::steady_clock::now() +
                   std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                       std::chrono::duration<double>(launch->limit));
    const Faults faults;
    std::vector<std::thread> workers;
    for (u32 k = 0; k < std::min<size_t>(launch->resident, run.order.size()); ++k)
        workers.emplace_back(work, std::ref(run), k);
    for (std::thread &worker : workers) worker.join();
    return run.failed;
}
}  // namespace cuda_on_cpu
