// Arithmetic.
#pragma once

inline int __popc(unsigned int x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz((unsigned int)x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned int __brev(unsigned int x) {
    unsigned int reversed = 0;
    for (int k = 0; k < 32; ++k) reversed |= (x >> k & 1u) << (31 - k);
    return reversed;
}
inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev((unsigned int)x) << 32 | __brev((unsigned int)(x >> 32));
}
inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
    return (unsigned int)(((unsigned long long)high << 32 | low) >> (shift & 31u));
}
inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
    return (unsigned int)(((unsigned long long)high << 32 | low) << (shift & 31u) >> 32);
}
inline unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) {
    return shift >= 32u ? high : __funnelshift_r(low, high, shift);
}
inline unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) {
    return shift >= 32u ? low : __funnelshift_l(low, high, shift);
}
inline unsigned int __byte_perm(unsigned int low, unsigned int high, unsigned int selector) {
    const unsigned long long bytes = (unsigned long long)high << 32 | low;
    unsigned int result = 0;
    for (int k = 0; k < 4; ++k) {
        const unsigned int which = selector >> (4 * k);
        unsigned int byte = (unsigned int)(bytes >> (8 * (which & 7u))) & 0xFFu;
        if (which & 8u) byte = byte & 0x80u ? 0xFFu : 0u;
        result |= byte << (8 * k);
    }
    return result;
}
inline unsigned int __umulhi(unsigned int a, unsigned int b) { return (unsigned int)((unsigned long long)a * b >> 32); }
inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
inline unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xFFFFFFu) * (b & 0xFFFFFFu); }
inline unsigned int __sad(int a, int b, unsigned int c) { return c + (unsigned int)(a > b ? a - b : b - a); }

// As CUDA's overloads: of an unsigned and a signed operand, the result is unsigned.
#define CUDA_ON_CPU_EXTREMES(type, a, b)                                                                          \
    inline type min(a x, b y) { return (type)x < (type)y ? (type)x : (type)y; }                                   \
    inline type max(a x, b y) { return (type)x > (type)y ? (type)x : (type)y; }
#define CUDA_ON_CPU_INTEGER_EXTREMES(name)                                                                        \
    CUDA_ON_CPU_EXTREMES(name, name, name)                                                                        \
    CUDA_ON_CPU_EXTREMES(unsigned name, unsigned name, unsigned name)                                             \
    CUDA_ON_CPU_EXTREMES(unsigned name, unsigned name, name)                                                      \
    CUDA_ON_CPU_EXTREMES(unsigned name, name, unsigned name)
CUDA_ON_CPU_INTEGER_EXTREMES(int)
CUDA_ON_CPU_INTEGER_EXTREMES(long)
CUDA_ON_CPU_INTEGER_EXTREMES(long long)
CUDA_ON_CPU_EXTREMES(float, float, float)
CUDA_ON_CPU_EXTREMES(double, double, double)

extern "C" {
double sqrt(double), fabs(double), fma(double, double, double), floor(double), ceil(double), log(double), exp(double);
double pow(double, double), fmin(double, double), fmax(double, double), copysign(double, double), cbrt(double);
float sqrtf(float), fabsf(float), fmaf(float, float, float), floorf(float), ceilf(float), logf(float), expf(float);
float fminf(float, float), fmaxf(float, float);
int abs(int);
long long llabs(long long);
}
inline long long abs(long long x) { return llabs(x); }
inline double abs(double x) { return fabs(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline bool isnan(double x) { return __builtin_isnan(x); }
inline bool isinf(double x) { return __builtin_isinf(x); }
inline bool isfinite(double x) { return __builtin_isfinite(x); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double a) { return sqrt(a); }
inline double __drcp_rn(double a) { return 1.0 / a; }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }

#define CUDA_ON_CPU_BITS(name, from, to)                                                                          \
    inline to name(from value) {                                                                                  \
        to bits;                                                                                                  \
        __builtin_memcpy(&bits, &value, sizeof(to));                                                              \
        return bits;                                                                                              \
    }
CUDA_ON_CPU_BITS(__double_as_longlong, double, long long)
CUDA_ON_CPU_BITS(__longlong_as_double, long long, double)
CUDA_ON_CPU_BITS(__float_as_int, float, int)
CUDA_ON_CPU_BITS(__int_as_float, int, float)
CUDA_ON_CPU_BITS(__float_as_uint, float, unsigned int)
CUDA_ON_CPU_BITS(__uint_as_float, unsigned int, float)
#define __ull2double_rn(x) ((double)(x))
#define __double2ll_rz(x) ((long long)(x))

inline long long clock64() { return cuda_on_cpu::cuda_on_cpu_clock(); }
inline int clock() { return (int)clock64(); }
inline void __trap() { __builtin_trap(); }
inline void __assume(bool) {}
#define __builtin_assume(condition) ((void)0)
