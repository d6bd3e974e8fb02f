// What g++ calls before each memory access of a kernel (-fsanitize=thread), and where a rule of the language is broken
// (-fsanitize=bounds and others). The sanitizers' own libraries are not linked.
#include "races.hpp"

using namespace cuda_on_cpu;

static inline void access(const void *address, u32 bytes, Access access, const void *code) {
    if (--budget <= 0 && block) preempt(false);
    if (watch) observe(address, bytes, access, code);
}

// A thread may spin on a volatile word.
static inline void access_volatile(const void *address, u32 bytes, Access access, const void *code) {
    if (block) cuda_on_cpu_yield(true);
    if (watch) observe(address, bytes, access, code);
}

#define CODE __builtin_return_address(0)
#define ACCESSES(bytes)                                                                           \
    void __tsan_read##bytes(void *address) { access(address, bytes, READ, CODE); }                \
    void __tsan_write##bytes(void *address) { access(address, bytes, WRITE, CODE); }              \
    void __tsan_unaligned_read##bytes(void *address) { access(address, bytes, READ, CODE); }      \
    void __tsan_unaligned_write##bytes(void *address) { access(address, bytes, WRITE, CODE); }    \
    void __tsan_volatile_read##bytes(void *at) { access_volatile(at, bytes, VOLATILE_READ, CODE); }            \
    void __tsan_volatile_write##bytes(void *at) { access_volatile(at, bytes, VOLATILE_WRITE, CODE); }          \
    void __tsan_unaligned_volatile_read##bytes(void *at) { access_volatile(at, bytes, VOLATILE_READ, CODE); }  \
    void __tsan_unaligned_volatile_write##bytes(void *at) { access_volatile(at, bytes, VOLATILE_WRITE, CODE); }

// As the compiler lays them out.
struct SourceLocation {
    const char *file;
    u32 line, column;
};

[[noreturn]] static void broken(const SourceLocation &at, const char *rule) {
    const Site site{rule, at.file ? at.file : "?", (int)at.line};
    fail(here() + ": " + where(site));
}

extern "C" {
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
void __tsan_read_range(void *address, unsigned long bytes) { access(address, bytes, READ, CODE); }
void __tsan_write_range(void *address, unsigned long bytes) { access(address, bytes, WRITE, CODE); }
void cuda_on_cpu_atomic(const void *address, u32 bytes, const void *code) {
    cuda_on_cpu_yield(false);
    if (watch) observe(address, bytes, ATOMIC, code);
}
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void **, void *) {}

void __ubsan_handle_out_of_bounds(SourceLocation *at, u64) { broken(*at, "an index is outside its array"); }
void __ubsan_handle_shift_out_of_bounds(SourceLocation *at, u64, u64) { broken(*at, "shifts by too many bits"); }
void __ubsan_handle_type_mismatch_v1(SourceLocation *at, u64) { broken(*at, "an address is not aligned"); }
void __ubsan_handle_divrem_overflow(SourceLocation *at, u64, u64) { broken(*at, "divides by zero"); }
void __ubsan_handle_load_invalid_value(SourceLocation *at, u64) { broken(*at, "reads a bool that is neither 0 nor 1"); }
void __ubsan_handle_missing_return(SourceLocation *at) { broken(*at, "ends without a value"); }
}
