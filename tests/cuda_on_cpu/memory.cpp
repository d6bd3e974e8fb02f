// Device arrays between pages that fault, the fibers' stacks, and what a fault says.
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <map>

#include "scheduler.hpp"

namespace cuda_on_cpu {

constexpr unsigned char GUARD = 0xA5;

// An array of `size` bytes within the pages from `pages` on; GUARD fills what is left of them.
struct Allocation {
    char *pages;
    size_t length, size;
    char *data;
};

static std::mutex mutex;
// By the address of its data.
static std::map<const char *, Allocation> allocations;
static std::multimap<u32, char *> free_stacks;

static char *map_pages(size_t bytes) {
    void *pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? nullptr : (char *)pages;
}

// The data end at a page that faults, as far as their alignment allows it.
extern "C" void *cuda_on_cpu_allocate(u64 size) {
    size_t alignment = 16;
    while (alignment < 512 && size % (2 * alignment) == 0) alignment *= 2;
    const size_t rounded = (size + alignment - 1) / alignment * alignment;
    const size_t length = (rounded + PAGE) / PAGE * PAGE;
    char *pages = map_pages(length + 2 * PAGE);
    if (!pages) return nullptr;
    mprotect(pages, PAGE, PROT_NONE);
    mprotect(pages + PAGE + length, PAGE, PROT_NONE);
    const Allocation one{pages, length, size, pages + PAGE + length - rounded};
    memset(pages + PAGE, GUARD, one.data - pages - PAGE);
    memset(one.data + size, GUARD, rounded - size);
    const std::lock_guard<std::mutex> lock(mutex);
    allocations[one.data] = one;
    return one.data;
}

extern "C" void cuda_on_cpu_free(const char *data) {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = allocations.find(data);
    munmap(found->second.pages, found->second.length + 2 * PAGE);
    allocations.erase(found);
}

// Returns 1 and a message if anything was written beside an array; once, as the guard is then mended.
extern "C" int cuda_on_cpu_check_guards(char *message, u32 message_bytes) {
    const std::lock_guard<std::mutex> lock(mutex);
    for (const auto &[data, one] : allocations) {
        const char *first = one.pages + PAGE, *last = one.pages + PAGE + one.length;
        for (const char *at = first; at < last; ++at) {
            if (at == data) at += one.size;
            if (at >= last || (unsigned char)*at == GUARD) continue;
            memset(const_cast<char *>(at), GUARD, 1);
            snprintf(message, message_bytes, "wrote at byte %td of an array of %zu bytes", at - data, one.size);
            return 1;
        }
    }
    return 0;
}

char *take_stacks(u32 fibers) {
    {
        const std::lock_guard<std::mutex> lock(mutex);
        const auto found = free_stacks.lower_bound(fibers);
        if (found != free_stacks.end() && found->first == fibers) {
            char *stacks = found->second;
            free_stacks.erase(found);
            return stacks;
        }
    }
    char *stacks = map_pages(fibers * (STACK + PAGE));
    for (u32 k = 0; k < fibers; ++k) mprotect(stacks + k * (STACK + PAGE), PAGE, PROT_NONE);
    return stacks;
}

void return_stacks(char *stacks, u32 fibers) {
    const std::lock_guard<std::mutex> lock(mutex);
    free_stacks.emplace(fibers, stacks);
}

SignalStack::SignalStack() : memory(map_pages(STACK)) {
    stack_t stack{};
    stack.ss_sp = memory;
    stack.ss_size = STACK;
    sigaltstack(&stack, nullptr);
}

SignalStack::~SignalStack() {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    munmap(memory, STACK);
}

// What an address is, that may not be accessed.
static std::string address(const char *at) {
    const char *stack = block->stacks + block->running->number * (STACK + PAGE);
    if (at >= stack && at < stack + PAGE) return "has no stack left";
    const auto after = allocations.upper_bound(at);
    for (auto found = after; found != allocations.begin();) {
        const Allocation &one = (--found)->second;
        if (at < one.data + one.length + 2 * PAGE)
            return "reads or writes byte " + std::to_string(at - one.data) + " of an array of " +
                   std::to_string(one.size) + " bytes";
        break;
    }
    if (after != allocations.end() && at >= after->second.pages)
        return "reads or writes byte " + std::to_string(at - after->first) + " of an array of " +
               std::to_string(after->second.size) + " bytes";
    char text[64];
    snprintf(text, sizeof text, "reads or writes at %p, where nothing is", (const void *)at);
    return text;
}

static struct sigaction before[3];
static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGFPE};

// Where the faulting instruction is.
static const void *instruction(const void *context) {
    const auto &machine = ((const ucontext_t *)context)->uc_mcontext;
#if defined(__x86_64__)
    return (const void *)machine.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const void *)machine.pc;
#else
    return nullptr;
#endif
}

static void handle(int signal, siginfo_t *info, void *context) {
    if (!block) {
        // Not a kernel's.
        for (int k = 0; k < 3; ++k) sigaction(SIGNALS[k], &before[k], nullptr);
        return;
    }
    fail(here() + ": " + (signal == SIGFPE ? "divides by zero" : address((const char *)info->si_addr)) +
         line_of(instruction(context)));
}

Faults::Faults() {
    struct sigaction action{};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (int k = 0; k < 3; ++k) sigaction(SIGNALS[k], &action, &before[k]);
}

Faults::~Faults() {
    for (int k = 0; k < 3; ++k) sigaction(SIGNALS[k], &before[k], nullptr);
}
}  // namespace cuda_on_cpu
