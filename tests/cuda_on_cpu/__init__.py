"""Kernels of .cu files on the CPU: tests of what they compute, without a GPU.

    def test_fill2(cuda_on_cpu: Machine) -> None:           # a fixture: `import cupy` now gives ours
        filled, _ = fill2_gpu(transfer.on_device(pattern))  # the real host driver, the real kernel
        kernel = load(Path("a.cu"), ("twice",), ("FACTOR=2",))["twice"]
        kernel((4,), (128,), (cupy.zeros(512, np.uint32), np.uint32(512)), shared_mem=1024)
        with machine(seed=7, blocks=1): ...                 # another order of threads, fewer resident blocks

load(path, names, defines) : as `impl.cuda.kernels.load`; a kernel is called as CuPy's RawKernel.
machine(seed=, multiprocessors=, blocks=, limit=, memory=, races=) : a context; kernel.Machine names them.
cuda_on_cpu : the fixture; `parametrize("cuda_on_cpu", [{"seed": 1}], indirect=True)` gives it such facts.
tests.cuda_on_cpu.cupy : what `import cupy` gives below the fixture.

How it runs: g++ compiles the kernel (compiler.py). A resident block is an OS thread, its threads are fibers
(scheduler.hpp). At barriers, collectives, atomics, volatile and cache-hinted accesses, and now and then at
any other memory access, another thread of the block goes on, drawn by the seed. Blocks start in a random
order too. Shared memory and new arrays hold garbage. `__CUDA_ARCH__` is 900 unless defined.

A KernelError names block and thread of: an access behind or before an array (at once from the next page on;
written within it, after the launch), an index outside a declared array, a misaligned address, a shift by too
many bits, a bool that is neither; a barrier that part of a block waits at, or at two places; a collective
whose mask names a lane that has exited, does not exist, or waits with another mask; a deadlock; a launch that
takes too long; arguments that are not as the kernel's parameters. With `races=True` also of two accesses to
the same shared memory with no barrier between, whatever their order was, and of a read of what the block has
not written (races.hpp).

What it does not show: the weak order of memory (an x86's is stronger), races in global memory but by wrong
results, reads behind an array within its last 16 to 512 bytes, speed, registers, a missing volatile.
"""

from tests.cuda_on_cpu.compiler import CompileError
from tests.cuda_on_cpu.fixture import cuda_on_cpu, machine
from tests.cuda_on_cpu.kernel import Kernel, KernelError, Machine, load

__all__ = ["CompileError", "Kernel", "KernelError", "Machine", "cuda_on_cpu", "load", "machine"]
