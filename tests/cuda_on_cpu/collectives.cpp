// What the lanes of a warp compute together.
#include "races.hpp"

namespace cuda_on_cpu {

static std::string lanes(u32 mask) {
    char text[16];
    snprintf(text, sizeof text, "0x%08X", mask);
    return text;
}

static Fiber *warp_of(const Fiber &fiber) { return &block->fibers[fiber.number & ~31u]; }

void check_warp_of(const Fiber &exited) {
    Warp &warp = block->warps[exited.number >> 5];
    const u32 lane = exited.number & 31u;
    warp.exited |= 1u << lane;
    for (u32 rest = warp.waiting; rest; rest &= rest - 1) {
        const Fiber &other = warp_of(exited)[__builtin_ctz(rest)];
        if (other.mask >> lane & 1u)
            fail(here() + ": exited, and thread " + std::to_string(other.number) + " waits for it at " +
                 where(other.site) + " with mask " + lanes(other.mask));
    }
}

// Fails on a lane of the mask that does not come: it has exited, or waits elsewhere.
static void check(const Fiber &self, const Warp &warp, u32 came) {
    const u32 elsewhere = self.mask & warp.waiting & ~came, gone = self.mask & warp.exited;
    if (!elsewhere && !gone) return;
    const std::string at = here() + ": " + where(self.site) + " with mask " + lanes(self.mask) + ", but ";
    const u32 lane = __builtin_ctz(gone ? gone : elsewhere), number = (self.number & ~31u) + lane;
    if (number >= block->fibers.size())
        fail(at + "the warp has " + std::to_string(block->fibers.size() & 31u) + " threads");
    if (gone) fail(at + "thread " + std::to_string(number) + " has exited");
    const Fiber &other = block->fibers[number];
    fail(at + "thread " + std::to_string(number) + " waits at " + where(other.site) + " with mask " +
         lanes(other.mask));
}

static u64 reduced(Collective kind, bool is_signed, u64 a, u64 b) {
    const bool less = is_signed ? (long long)b < (long long)a : b < a;
    switch (kind) {
        case REDUCE_ADD: return a + b;
        case REDUCE_MIN: return less ? b : a;
        case REDUCE_MAX: return less ? a : b;
        case REDUCE_AND: return a & b;
        case REDUCE_OR: return a | b;
        default: return a ^ b;
    }
}

template <class Real>
static void multiply(const u64 *addresses) {
    Part<Real> *parts[32];
    for (u32 lane = 0; lane < 32; ++lane) parts[lane] = (Part<Real> *)addresses[lane];
    for (u32 lane = 0; lane < 32; ++lane)
        for (u32 q = 0; q < 4; ++q) {
            const u32 row = lane & ~3u, column = 4 * (2 * (lane & 3u) + (q & 1u));
            Real sum = 0;
            for (u32 k = 0; k < 8; ++k)
                sum += parts[row + (k & 3u)]->a[2 * (k >> 2) + (q >> 1)] * parts[column + (k & 3u)]->b[k >> 2];
            parts[lane]->product[q] = sum;
        }
}

// All lanes of the mask have come: replaces their values by their results.
static void complete(const Fiber &self) {
    Fiber *warp = warp_of(self);
    const u32 mask = self.mask;
    u64 values[32];
    for (u32 rest = mask; rest; rest &= rest - 1) values[__builtin_ctz(rest)] = warp[__builtin_ctz(rest)].value;
    if (self.kind == PRODUCT) self.from == sizeof(float) ? multiply<float>(values) : multiply<double>(values);
    u64 common = 0;
    if (self.kind == BALLOT)
        for (u32 rest = mask; rest; rest &= rest - 1) common |= values[__builtin_ctz(rest)] << __builtin_ctz(rest);
    if (self.kind >= REDUCE_ADD && self.kind <= REDUCE_XOR) {
        common = values[__builtin_ctz(mask)];
        for (u32 rest = mask & (mask - 1); rest; rest &= rest - 1)
            common = reduced(self.kind, self.is_signed, common, values[__builtin_ctz(rest)]);
    }
    for (u32 left = mask; left; left &= left - 1) {
        const u32 lane = __builtin_ctz(left);
        Fiber &fiber = warp[lane];
        if (self.kind == SHUFFLE) {
            // The value of a lane outside the mask is undefined.
            fiber.value = mask >> fiber.from & 1u ? values[fiber.from] : block->random.state;
        } else if (self.kind == MATCH) {
            fiber.value = 0;
            for (u32 rest = mask; rest; rest &= rest - 1)
                if (values[__builtin_ctz(rest)] == values[lane]) fiber.value |= 1u << __builtin_ctz(rest);
        } else {
            fiber.value = common;
        }
        make_ready(fiber);
    }
}

extern "C" u64 cuda_on_cpu_collective(Collective kind, u32 mask, u64 value, u32 from, bool is_signed, Site site) {
    Fiber &self = *block->running;
    if (!(mask >> (self.number & 31u) & 1u))
        fail(here() + ": " + where(site) + " with mask " + lanes(mask) + ", which lacks its own lane");
    self.kind = kind, self.mask = mask, self.from = from & 31u;
    self.is_signed = is_signed, self.value = value, self.site = site;
    Warp &warp = block->warps[self.number >> 5];
    const u32 lane = self.number & 31u, others = mask & warp.waiting;
    const Fiber &other = warp_of(self)[others ? __builtin_ctz(others) : lane];
    const bool joins = others && other.mask == mask && other.kind == kind;
    self.first = joins ? other.first : lane;
    u32 &came = warp.came[self.first];
    if (!joins) came = 0u;
    check(self, warp, came);
    self.state = AT_WARP;
    warp.waiting |= 1u << lane;
    came |= 1u << lane;
    if (came == mask) {
        warp.waiting &= ~mask;
        if (watch) order_lanes(self, mask, kind != SYNC);
        complete(self);
    }
    switch_fiber();
    return self.value;
}
}  // namespace cuda_on_cpu
