// Which fiber runs, and the barrier of a block.
#include "races.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <string.h>
#include <ucontext.h>

#include <map>

namespace cuda_on_cpu {

__thread Block *block;
__thread int budget;

std::string where(const Site &site) {
    const char *slash = strrchr(site.file, '/');
    return std::string(site.what) + " (" + (slash ? slash + 1 : site.file) + ":" + std::to_string(site.line) + ")";
}

std::string line_of(const void *code) {
    Dl_info info;
    if (!dladdr(code, &info)) return "";
    char text[32];
    snprintf(text, sizeof text, " [0x%tx]", (const char *)code - (const char *)info.dli_fbase);
    return text;
}

std::string coordinates(const uint3 &at, const dim3 &size) {
    if (size.y == 1 && size.z == 1) return std::to_string(at.x);
    return "(" + std::to_string(at.x) + ", " + std::to_string(at.y) + ", " + std::to_string(at.z) + ")";
}

std::string here() {
    const Place &place = block->running->place;
    return "block " + coordinates(place.block, place.blocks) + ", thread " + coordinates(place.thread, place.threads);
}

void fail(const std::string &message) {
    Run &run = *block->run;
    {
        const std::lock_guard<std::mutex> lock(run.mutex);
        if (!run.failed) {
            strncpy(run.launch.message, message.c_str(), run.launch.message_bytes - 1);
            run.failed = true;
        }
    }
    __builtin_longjmp(block->home, 1);
}

// The fibers by what they do: "0-15, 17: wait at __syncthreads (x.cu:12)".
static std::string standing() {
    static const char *const does[] = {"can run", "wait at ", "wait at ", "have exited"};
    std::map<std::string, std::string> groups;
    for (u32 k = 0; k < block->fibers.size();) {
        const auto label = [&](u32 number) {
            const Fiber &fiber = block->fibers[number];
            const bool waits = fiber.state == AT_BARRIER || fiber.state == AT_WARP;
            return does[fiber.state] + (waits ? where(fiber.site) : "");
        };
        const std::string now = label(k);
        u32 last = k;
        while (last + 1 < block->fibers.size() && label(last + 1) == now) ++last;
        std::string &group = groups[now];
        group += (group.empty() ? "" : ", ") + std::to_string(k) + (last > k ? "-" + std::to_string(last) : "");
        k = last + 1;
    }
    std::string text;
    for (const auto &[label, members] : groups) text += (text.empty() ? "" : "; ") + members + " " + label;
    return text;
}

[[noreturn]] static void leave();

// A fiber is a thread of each block of its OS thread in turn.
static void start() {
    for (;;) {
        block->run->launch.entry(block->run->launch.arguments);
        if (watch) check_write();
        Fiber &self = *block->running;
        self.state = EXITED;
        block->live -= 1;
        check_warp_of(self);
        complete_barrier_if_all_came();
        if (__builtin_setjmp(self.context) == 0) leave();
    }
}

// Not inlined: a function may not save a context and restore it.
[[noreturn, gnu::noinline]] static void enter(Fiber &fiber) {
    budget = 1 + (int)block->random.below(2 * block->patience);
    block->running = &fiber;
    if (fiber.started) __builtin_longjmp(fiber.context, 1);
    fiber.started = true;
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = block->stacks + fiber.number * (STACK + PAGE) + PAGE;
    // The tops of the stacks are not all of one set of the cache.
    context.uc_stack.ss_size = STACK - fiber.number % 32 * 128;
    context.uc_link = nullptr;
    makecontext(&context, start, 0);
    setcontext(&context);
    __builtin_trap();
}

// Takes one of the fibers that can run.
static Fiber &drawn() {
    if (block->run->failed.load(std::memory_order_relaxed)) __builtin_longjmp(block->home, 1);
    if (block->ready.empty())
        fail("deadlock in block " + std::to_string(block->number) + ": no thread can run; " + standing());
    const u32 place = block->random.below((u32)block->ready.size());
    Fiber &fiber = block->fibers[block->ready[place]];
    block->ready[place] = block->ready.back();
    block->ready.pop_back();
    return fiber;
}

void enter_any() { enter(drawn()); }

[[noreturn, gnu::noinline]] static void leave() {
    if (block->live == 0) __builtin_longjmp(block->home, 1);
    enter(drawn());
}

void switch_fiber() {
    if (watch) check_write();
    Fiber &next = drawn();
    if (&next == block->running) {
        budget = 1 + (int)block->random.below(2 * block->patience);
        return;
    }
    if (__builtin_setjmp(block->running->context) == 0) enter(next);
}

void make_ready(Fiber &fiber) {
    fiber.state = READY;
    block->ready.push_back(fiber.number);
}

void preempt(bool waits) {
    if (block->looks-- == 0) {
        block->looks = 1000;
        if (std::chrono::steady_clock::now() > block->run->deadline)
            fail("the launch did not end within its limit; block " + std::to_string(block->number) + ": " + standing());
    }
    // A spin may be on any access, such as an atomic one.
    block->waits += waits ? 16 : 1;
    if (block->waits > 16 * block->ready.size() + 16) {
        block->waits = 0;
        sched_yield();
    }
    make_ready(*block->running);
    switch_fiber();
}

void complete_barrier_if_all_came() {
    if (block->arrived == 0 || block->arrived < block->live) return;
    const int result = block->vote == ANY ? block->any != 0 : block->vote == ALL ? block->count == block->arrived
                       : (int)block->count;
    block->arrived = 0;
    if (watch) watch->epoch += 1;
    for (Fiber &fiber : block->fibers) {
        if (fiber.state != AT_BARRIER) continue;
        fiber.vote = result;
        make_ready(fiber);
    }
}

extern "C" {
const Place &cuda_on_cpu_place() { return block->running->place; }

int cuda_on_cpu_barrier(Vote vote, int value, Site site) {
    Fiber &self = *block->running;
    if (block->arrived == 0) {
        block->vote = vote, block->any = block->count = 0;
        block->barrier = site;
    } else if (vote != block->vote || site.line != block->barrier.line ||
               (site.file != block->barrier.file && strcmp(site.file, block->barrier.file))) {
        fail(here() + ": waits at " + where(site) + ", others of its block at " + where(block->barrier));
    }
    block->arrived += 1;
    block->any |= value != 0;
    block->count += value != 0;
    self.state = AT_BARRIER;
    self.site = site;
    complete_barrier_if_all_came();
    switch_fiber();
    return self.vote;
}

void cuda_on_cpu_yield(bool waits) {
    budget -= waits ? (int)block->patience : 1;
    if (budget <= 0) preempt(waits);
}

long long cuda_on_cpu_clock() {
    cuda_on_cpu_yield(true);
    return std::chrono::steady_clock::now().time_since_epoch().count();
}
}
}  // namespace cuda_on_cpu
