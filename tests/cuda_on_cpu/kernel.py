"""A kernel as CuPy's RawKernel: called with a grid, a block and arguments."""

import ctypes
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tests.cuda_on_cpu import compiler

# The dynamic shared memory that a launch may ask for, in bytes.
DYNAMIC = 227 * 1024
_MESSAGE = 4096


class KernelError(AssertionError):
    """A kernel did what it must not, or a launch is not as the kernel's parameters are."""


@dataclass
class Machine:
    """What the CPU plays.

    seed : of the order in which threads run; each launch has another order
    multiprocessors : how many
    blocks : resident on each at a time
    limit : seconds that a launch may take
    memory : bytes
    races : whether hazards in shared memory are looked for (races.hpp), which takes longer
    """

    seed: int = 0
    multiprocessors: int = 2
    blocks: int = 2
    limit: float = 20.0
    memory: int = 2**28
    races: bool = False
    launches: Any = field(default_factory=itertools.count)


MACHINE = Machine()
# Launches that streams capture at present, for graphs.
CAPTURED: list[list[Callable[[], None]]] = []


class _Launch(ctypes.Structure):
    """As scheduler.hpp has it."""

    _fields_ = (
        ("entry", ctypes.c_void_p), ("shared", ctypes.c_void_p), ("arguments", ctypes.c_void_p),
        ("grid", ctypes.c_uint32 * 3), ("block", ctypes.c_uint32 * 3), ("shared_bytes", ctypes.c_uint32),
        ("resident", ctypes.c_uint32), ("seed", ctypes.c_uint64), ("limit", ctypes.c_double),
        ("races", ctypes.c_uint32),
        ("message", ctypes.c_char_p), ("message_bytes", ctypes.c_uint32),
    )  # fmt: skip


class Kernel:
    """One entry point of a .cu file. attributes, max_dynamic_shared_size_bytes : as RawKernel's"""

    def __init__(self, library: Any, name: str, path: Path) -> None:
        self.name, self.path = name, path
        self._library = Path(library._name)
        self._enter = getattr(library, f"cuda_on_cpu_enter_{name}")
        self._shared = library.cuda_on_cpu_shared
        sizes = (ctypes.c_int * 256)()
        count = getattr(library, f"cuda_on_cpu_parameters_{name}")(sizes)
        # For each parameter, its bytes and those of what it points to, 0 where it is no pointer.
        self._parameters = list(zip(sizes[:count], sizes[count : 2 * count], strict=True))
        self.kernel = self
        self.ptr = id(self)
        self.attributes: dict[str, int] = {}
        self.max_dynamic_shared_size_bytes = 48 * 1024
        self.num_regs = 32

    def __call__(
        self, grid: Sequence[int], block: Sequence[int], args: Sequence[Any], shared_mem: int = 0,
        stream: Any = None, enable_cooperative_groups: bool = False,
    ) -> None:  # fmt: skip
        grid, block = ((*map(int, size), 1, 1)[:3] for size in (grid, block))
        self._check_launch(grid, block, shared_mem, enable_cooperative_groups)
        values = self._values(args)
        if CAPTURED:
            CAPTURED[-1].append(lambda: self._launch(grid, block, values, shared_mem))
        else:
            self._launch(grid, block, values, shared_mem)

    def _launch(self, grid: Sequence[int], block: Sequence[int], values: Sequence[Any], shared: int) -> None:
        pointers = (ctypes.c_void_p * max(1, len(values)))(*(ctypes.addressof(value) for value in values))
        message = ctypes.create_string_buffer(_MESSAGE)
        seed = MACHINE.seed * 1_000_003 + next(MACHINE.launches) + 1
        launch = _Launch(
            ctypes.cast(self._enter, ctypes.c_void_p), ctypes.cast(self._shared, ctypes.c_void_p),
            ctypes.addressof(pointers), (ctypes.c_uint32 * 3)(*grid), (ctypes.c_uint32 * 3)(*block), shared,
            MACHINE.multiprocessors * MACHINE.blocks, seed, MACHINE.limit, MACHINE.races,
            ctypes.cast(message, ctypes.c_char_p), _MESSAGE,
        )  # fmt: skip
        runtime = compiler.runtime()
        failed = runtime.cuda_on_cpu_launch(ctypes.byref(launch))
        failed = failed or runtime.cuda_on_cpu_check_guards(message, _MESSAGE)
        if failed:
            what = compiler.with_lines(message.value.decode(), self._library)
            raise KernelError(f"{self.name} ({self.path.name}): {what}")

    def _check_launch(self, grid: Sequence[int], block: Sequence[int], shared: int, together: bool) -> None:
        blocks, threads = int(np.prod(grid)), int(np.prod(block))
        room = MACHINE.multiprocessors * MACHINE.blocks
        if min(*grid, *block) < 1 or threads > 1024 or max(grid[1:]) > 65535 or max(grid) >= 2**31:
            raise KernelError(f"{self.name}: a grid of {grid} with blocks of {block}")
        if shared > min(DYNAMIC, self.max_dynamic_shared_size_bytes):
            raise KernelError(f"{self.name}: {shared} bytes of dynamic shared memory")
        if together and blocks > room:
            raise KernelError(f"{self.name}: {blocks} blocks together, and {room} can be resident")

    def _values(self, args: Sequence[Any]) -> list[Any]:
        if len(args) != len(self._parameters):
            raise KernelError(f"{self.name}: {len(args)} arguments for {len(self._parameters)} parameters")
        return [
            self._value(k, arg, size, pointee)
            for k, (arg, (size, pointee)) in enumerate(zip(args, self._parameters, strict=True))
        ]

    def _value(self, k: int, arg: Any, size: int, pointee: int) -> Any:
        """The bytes of an argument."""
        if hasattr(arg, "__cuda_array_interface__"):
            if not pointee or pointee % arg.dtype.itemsize:
                raise KernelError(f"{self.name}: argument {k} is an array of {arg.dtype}")
            if not arg.flags.c_contiguous:
                raise KernelError(f"{self.name}: argument {k} is not contiguous")
            arg = np.uint64(arg.data.ptr)
        elif hasattr(arg, "ptr"):
            arg = np.uint64(arg.ptr)
        value = np.asarray(arg)
        # CuPy passes an array of NumPy's by value, and only one of one element: a struct.
        if value.size != 1 or value.nbytes != size:
            raise KernelError(f"{self.name}: argument {k} is {arg!r}, and its parameter has {size} bytes")
        return (ctypes.c_char * size).from_buffer_copy(value.tobytes())


def load(path: Path, names: tuple[str, ...], defines: tuple[str, ...] = ()) -> dict[str, Any]:
    """As `impl.cuda.kernels.load`."""
    library = compiler.library(path, path.read_text(), tuple(names), tuple(defines))
    return {name: Kernel(library, name, path) for name in names}


def occupancy(kernel: Any, threads: int, shared_bytes: int) -> int:
    """As `impl.cuda.device.occupancy`."""
    return MACHINE.blocks
