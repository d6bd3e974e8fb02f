// The state of conjugate gradients on the device: an array of doubles.
//
// RZ, OLD : r.z of this application of the preconditioner and of the previous one. PQ : p.Lp. RR : r.r. BOUND : the
// bound on RR. ITERATIONS : steps done. DONE : 0, 1 if RR <= BOUND, 2 if RZ or PQ is not positive, 3 if the
// preconditioner waited in vain; what is launched after that does nothing. DENSE : the part of RZ that is computed
// before the last kernel of an application.

enum State { RZ, OLD, PQ, RR, BOUND, ITERATIONS, DONE, DENSE };

// The application of the preconditioner is complete, with r.z = rz.
__device__ __forceinline__ void close_application(double *state, double rz) {
    state[OLD] = state[RZ];
    state[RZ] = rz;
}
