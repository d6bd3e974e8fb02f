// What the lanes of a warp compute together.
#include "scheduler.hpp"

namespace cuda_on_cpu {

static std::string lanes(u32 mask) {
    char text[16];
    snprintf(text, sizeof text, "0x%08X", mask);
    return text;
}

// The fibers of the running one's warp.
static Fiber *warp_of(const Fiber &fiber) { return &block->fibers[fiber.number & ~31u]; }

static u32 lanes_of_warp(const Fiber &fiber) {
    return (u32)std::min<size_t>(32, block->fibers.size() - (fiber.number & ~31u));
}

void check_warp_of(const Fiber &exited) {
    const Fiber *warp = warp_of(exited);
    for (u32 lane = 0; lane < lanes_of_warp(exited); ++lane) {
        const Fiber &other = warp[lane];
        if (other.state == AT_WARP && other.mask >> (exited.number & 31u) & 1u)
            fail(here() + ": exited, and thread " + std::to_string(other.number) + " waits for it at " +
                 where(other.site) + " with mask " + lanes(other.mask));
    }
}

// The lanes of the mask that have not come yet. Fails on one that never will.
static u32 missing(const Fiber &self) {
    const Fiber *warp = warp_of(self);
    const u32 size = lanes_of_warp(self);
    u32 left = 0;
    for (u32 lane = 0; lane < 32; ++lane) {
        if (!(self.mask >> lane & 1u)) continue;
        const auto at = [&] { return here() + ": " + where(self.site) + " with mask " + lanes(self.mask) + ", but "; };
        if (lane >= size) fail(at() + "the warp has " + std::to_string(size) + " threads");
        const Fiber &other = warp[lane];
        if (other.state == EXITED) fail(at() + "thread " + std::to_string(other.number) + " has exited");
        if (other.state != AT_WARP)
            left |= 1u << lane;
        else if (other.mask != self.mask || other.kind != self.kind)
            fail(at() + "thread " + std::to_string(other.number) + " waits at " + where(other.site) + " with mask " +
                 lanes(other.mask));
    }
    return left;
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

// All lanes of the mask have come: replaces their values by their results.
static void complete(const Fiber &self) {
    Fiber *warp = warp_of(self);
    const u32 mask = self.mask;
    u64 values[32];
    for (u32 lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1u) values[lane] = warp[lane].value;
    u64 common = 0;
    if (self.kind == BALLOT)
        for (u32 rest = mask; rest; rest &= rest - 1) common |= values[__builtin_ctz(rest)] << __builtin_ctz(rest);
    if (self.kind >= REDUCE_ADD) {
        common = values[__builtin_ctz(mask)];
        for (u32 rest = mask & (mask - 1); rest; rest &= rest - 1)
            common = reduced(self.kind, self.is_signed, common, values[__builtin_ctz(rest)]);
    }
    for (u32 lane = 0; lane < 32; ++lane) {
        if (!(mask >> lane & 1u)) continue;
        Fiber &fiber = warp[lane];
        if (self.kind == SHUFFLE) {
            // The value of a lane outside the mask is undefined.
            fiber.value = mask >> fiber.from & 1u ? values[fiber.from] : 0x9E3779B97F4A7C15u * (block->random.state | 1);
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
    self.state = AT_WARP;
    if (missing(self) == 0) complete(self);
    switch_fiber();
    return self.value;
}
}  // namespace cuda_on_cpu
