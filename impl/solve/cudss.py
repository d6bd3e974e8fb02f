"""NVIDIA's cuDSS as a peer, from the matrix to the solution, all on the GPU.

A call with analysis="kept" skips the reordering and the symbolic phase for a known pattern.

    solution, work = cudss(prepared, kind="spd", columns=8)    # arrays on the device
    solution.x.shape                                           # (8, n)
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import Literal

from numba import get_num_threads

from fillpath.errors import InputError
from fillpath.nouns import Array, Pattern, Prepared, Solution, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.multifrontal.residual_gpu import residual
from impl.peers import cudss as peer
from impl.peers.kinds import Kind, solved_as_known
from impl.solve.right_hand_side import known_solutions


@dataclass(frozen=True)
class _Settings:
    """The settings of an analysis. given : bool, whether the matrix keeps its order."""

    kind: Kind
    given: bool
    columns: int


@dataclass(frozen=True, eq=False)
class _Kept:
    """The system of the last call with analysis="kept". closing : gives cuDSS's memory back."""

    pattern: Pattern
    settings: _Settings
    system: peer.System
    closing: ExitStack

    def serves(self, pattern: Pattern, settings: _Settings) -> bool:
        return (
            _same(self.pattern, pattern)
            and self.settings == settings
            and self.system.threads == get_num_threads()
        )


# The system of the last such call; at most one entry.
_kept: list[_Kept] = []


# The function is defined without cuDSS too, for the keys of other machines' records.
@implementation(
    stage="solve",
    device="gpu",
    available=peer.available,
    kernels=("../multifrontal/residual.cu",),
    peer="cudss",
)
def cudss(
    prepared: Prepared,
    *,
    kind: Literal["auto", "general", "symmetric", "spd"] = "auto",
    ordering: Literal["own", "given"] = "own",
    analysis: Literal["fresh", "kept"] = "fresh",
    columns: int = 1,
    refine: int = 1,
) -> tuple[Solution, Work]:
    """Solve by NVIDIA's cuDSS: reordering, factorisation and solves (GPU), pivoting within blocks.

    prepared : n x n, on the device; cuDSS replaces small pivots
    kind : the kind of matrix that cuDSS is given. The value "auto" follows its manual: symmetric if the
        matrix is, spd if its diagonal is positive too, unless cuDSS finds otherwise. Users know their matrix,
        so the kind is found once, in the call before the samples
    ordering : "own" lets cuDSS reorder the matrix; from 1.0 on cuDSS may match and scale first. The value
        "given" keeps the prepared order, with its tree of separators and no matching, so the phase
        `reordering` has nothing to find
    analysis : "kept" reuses the reordering and symbolic phase of the last call, if that had the same pattern
        and options, and refactorises. It shows the cost of a second system of a pattern
    columns : int, right-hand sides that are solved at a time
    refine : as in lu_cpu

    The defaults follow cuDSS's manual, on all threads of the case. Returns x, float64, for the b of
    `right_hand_side`, on the device; (columns, n) for several. Phases: right_hand_side, separators (of a
    given order), reordering, symbolic, numeric, triangular, refine. cuDSS's memory is outside of CuPy's pool
    and not in `peak_memory`. Facts as in `System.counted`. Raises InputError for refine < 0 or columns < 1;
    UnsupportedError if cuDSS calls the matrix singular, or not positive definite where kind="spd", or cannot
    take it. Raises MemoryBudgetError if cuDSS runs out of memory.
    """
    if refine < 0 or columns < 1:
        raise InputError(f"refine={refine}, columns={columns}: expected a number of steps, and one or more")
    with phase("right_hand_side"):
        b = _right_hand_sides(prepared, columns)

    def solve(kind: Kind) -> tuple[Solution, Work]:
        settings = _Settings(kind, ordering == "given", columns)
        return _solved(prepared, b, settings, analysis == "kept", refine)

    if kind != "auto":
        return solve(kind)
    return solved_as_known(prepared, solve, lambda: peer.kind_of(prepared.pattern, prepared.values))


def _solved(
    prepared: Prepared, b: Array, settings: _Settings, keep: bool, refine: int
) -> tuple[Solution, Work]:
    kept = _taken(prepared.pattern, settings if keep else None)
    with kept.closing if kept else ExitStack() as stack:
        system = kept.system if kept else _analysed(prepared, settings, stack)
        with phase("numeric"):
            if kept:
                system.take(prepared.values)
            system.factorise(again=kept is not None)
        with phase("triangular"):
            x = system.solved(b)
        with phase("refine"):
            for _ in range(refine):
                x += system.solved(residual(prepared, x, b))
        facts = system.counted()
        if keep:
            _kept.append(_Kept(prepared.pattern, settings, system, stack.pop_all()))
    return Solution(x[0] if settings.columns == 1 else x), Work(facts=facts)


def _taken(pattern: Pattern, settings: _Settings | None) -> _Kept | None:
    """Take the kept system, or free it if it does not fit. settings : wanted ones, None for no system."""
    kept = _kept.pop() if _kept else None
    if kept is None or (settings is not None and kept.serves(pattern, settings)):
        return kept
    kept.closing.close()
    return None


def _analysed(prepared: Prepared, settings: _Settings, stack: ExitStack) -> peer.System:
    """Return the system after cuDSS's symbolic phase. stack : closes it."""
    opened = peer.opened(prepared.pattern, prepared.values, kind=settings.kind, columns=settings.columns)
    system = stack.enter_context(opened)
    system.analyse(prepared.pattern, given=settings.given)
    return system


def _same(one: Pattern, other: Pattern) -> bool:
    return one.indptr is other.indptr and one.indices is other.indices


def _right_hand_sides(prepared: Prepared, columns: int) -> Array:
    import cupy

    return residual(prepared, cupy.asarray(known_solutions(prepared.pattern.n, columns)), None)
