"""ParAC on the GPU: its factor, then preconditioned conjugate gradients (Table 3)."""

from __future__ import annotations

from typing import Literal

from fillpath.nouns import Solution, System, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cholesky.parac_gpu import parac_gpu as factorised
from impl.cuda import kernels
from impl.laplacian.pcg_cpu import RightHandSide
from impl.laplacian.pcg_gpu import solved
from impl.laplacian.spsv import factor_triangles
from impl.laplacian.triangular_gpu import Solves

VARIANTS: tuple[tuple[str, ...], ...] = ((),)
# Number of vertices at the end of the order whose factor is inverted.
TAIL = 2048


@implementation(
    stage="laplacian",
    device="gpu",
    paper="parac",
    section="6.2, Table 3",
    available=kernels.available,
    kernels=("../cholesky/parac.cu", "pcg.cu", "triangular.cu"),
)
def parac_gpu(
    system: System,
    *,
    seed: int = 0,
    triangular: Literal["own", "cusparse"] = "own",
    tail: int = TAIL,
    rhs: RightHandSide = "random",
) -> tuple[Solution, Work]:
    """Solve by ParAC's factor, then conjugate gradients, all on the GPU.

    system : on the device
    seed : int, of the factor
    triangular : solver with G: "own", our solves without levels, or "cusparse", SpSV as in the paper
    tail : int, with "own", how many last vertices have their factor inverted as a dense matrix; 0 for none
    rhs : as in parac_cpu

    Phases and facts as in parac_cpu. Raises the errors of the factorisation, UnsupportedError as parac_cpu
    does, and InputError for a negative tail.
    """
    graph = system.laplacian
    with phase("factor"):
        factor, work = factorised(graph, seed=seed)
    with phase("analysis"):
        vertices = graph.n - graph.grounded
        own = triangular == "own"
        solves = Solves(factor, vertices, tail) if own else factor_triangles(factor, vertices)
    facts = {**(work.facts or {}), "nnz_factor": len(factor.pattern.indices)}
    return solved(system, solves, rhs, facts)
