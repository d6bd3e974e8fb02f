// What conjugate gradients know of themselves, on the device: an array of doubles, one each.
//
// RZ, OLD : r.z of this application of the preconditioner and of the one before. PQ : p.Lp. RR : r.r. BOUND : what
// RR may be. ITERATIONS : steps done. DONE : 0, 1 where RR <= BOUND, 2 where RZ or PQ is not positive, 3 where the
// preconditioner waited in vain; whatever is launched after that does nothing. DENSE : the part of RZ that is found
// before the last kernel of an application.

enum State { RZ, OLD, PQ, RR, BOUND, ITERATIONS, DONE, DENSE };

// The application of the preconditioner is over: what it gave is r.z.
__device__ __forceinline__ void close_application(double *state, double rz) {
    state[OLD] = state[RZ];
    state[RZ] = rz;
}
