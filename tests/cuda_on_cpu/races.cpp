// Hazards in shared memory.
#include "races.hpp"

#include <string.h>

namespace cuda_on_cpu {

__thread Watch *watch;

void begin_watch(u32 threads) {
    watch->epoch += 1;
    watch->blocks += 1;
    for (std::vector<u32> *clocks : {&watch->clocks, &watch->reads}) {
        clocks->assign(32 * threads, 0);
        for (u32 k = 0; k < threads; ++k) (*clocks)[32 * k + (k & 31u)] = 1;
    }
}

// Of a call, by where it returns to.
static std::string line_before(const void *code) { return line_of((const char *)code - 1); }

// Whether the running fiber knows that this access is done.
static bool before(const Stamp &stamp, const Fiber &self, const std::vector<u32> &clocks) {
    if (stamp.epoch < watch->epoch || stamp.thread == self.number) return true;
    return stamp.thread >> 5 == self.number >> 5 && clocks[32 * self.number + (stamp.thread & 31u)] >= stamp.clock;
}

static std::string hazard(const char *does, const void *code, const char *did, const Stamp &stamp, size_t offset) {
    return here() + ": " + does + " byte " + std::to_string(offset) + " of its shared memory" + line_before(code) +
           ", that thread " + std::to_string(stamp.thread) + " " + did + line_before(stamp.code) +
           ", with no barrier between";
}

void check_write() {
    if (watch->hazard.empty()) return;
    const bool changed = memcmp(watch->address, watch->before, watch->length) != 0;
    const std::string message = watch->hazard;
    watch->hazard.clear();
    if (changed) fail(message);
}

void observe(const void *address, u32 bytes, Access access, const void *code) {
    check_write();
    const size_t offset = (const char *)address - watch->begin;
    if (offset >= watch->size || offset + bytes > watch->size) return;
    const Fiber &self = *block->running;
    const Stamp now{watch->epoch, watch->clocks[32 * self.number + (self.number & 31u)], self.number, code};
    for (Byte *byte = watch->bytes + offset; byte < watch->bytes + offset + bytes; ++byte) {
        if (access != WRITE && access != VOLATILE_WRITE && byte->block != watch->blocks)
            fail(here() + ": reads byte " + std::to_string(byte - watch->bytes) +
                 " of its shared memory, which its block has not written" + line_before(code));
        byte->block = watch->blocks;
    }
    if (access == VOLATILE_READ || access == VOLATILE_WRITE) return;
    const char *does = access == READ ? "reads" : access == WRITE ? "writes" : "changes";
    for (u32 k = 0; k < bytes; ++k) {
        Byte &byte = watch->bytes[offset + k];
        if (!before(byte.written, self, watch->clocks)) {
            const std::string message = hazard(does, code, "wrote", byte.written, offset + k);
            if (access != WRITE) fail(message);
            watch->hazard = message;
        }
        if (access != ATOMIC && !before(byte.changed, self, watch->clocks))
            fail(hazard(does, code, "changed", byte.changed, offset + k));
        for (const Stamp &read : byte.read)
            if (access != READ && !before(read, self, watch->reads)) {
                const std::string message = hazard(does, code, "read", read, offset + k);
                if (access != WRITE) fail(message);
                watch->hazard = message;
            }
        if (access == WRITE) byte.written = now;
        if (access == ATOMIC) byte.changed = now;
        if (access == READ && byte.read[0].thread != self.number) byte.read[1] = byte.read[0];
        if (access == READ) byte.read[0] = now;
    }
    if (watch->hazard.empty()) return;
    watch->address = (const char *)address;
    watch->length = std::min(bytes, 16u);
    memcpy(watch->before, address, watch->length);
}

static void join(std::vector<u32> &clocks, u32 first, u32 mask) {
    u32 joined[32] = {};
    for (u32 rest = mask; rest; rest &= rest - 1)
        for (u32 lane = 0; lane < 32; ++lane)
            joined[lane] = std::max(joined[lane], clocks[32 * (first + __builtin_ctz(rest)) + lane]);
    for (u32 rest = mask; rest; rest &= rest - 1)
        memcpy(&clocks[32 * (first + __builtin_ctz(rest))], joined, sizeof joined);
}

void order_lanes(const Fiber &self, u32 mask, bool reads) {
    const u32 first = self.number & ~31u;
    join(watch->reads, first, mask);
    if (!reads) join(watch->clocks, first, mask);
    for (u32 rest = mask; rest; rest &= rest - 1) {
        const u32 lane = __builtin_ctz(rest);
        watch->reads[32 * (first + lane) + lane] += 1;
        watch->clocks[32 * (first + lane) + lane] += 1;
    }
}
}  // namespace cuda_on_cpu
