"""Matrices of networks: netlists, circuits in harmonic balance, and chains of stages.

Stages are, for example, the periods of an economic model or the trays of a column. `_directed` makes entries
of pairs of unknowns: symmetry f is the share of the off-diagonal entries whose mirror is also an entry.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from fetch.names import Spec
from fetch.random_patterns import distinct, dominated

Array = npt.NDArray[Any]


def netlist(spec: Spec) -> csr_array:
    """Join nodes on a ring by wires.

    A wire is longer than l with probability l^(1 - power). So more wires cross any cut the smaller the power
    is: Rent's rule for circuits.
    """
    rng = np.random.default_rng(spec.seed)
    low, high = _wires(spec.size, float(spec.key("wires")), float(spec.key("power")), rng)
    return _directed(spec, low, high, rng)


def harmonic(spec: Spec) -> csr_array:
    """Put a netlist into harmonic balance: a node has the 2 h + 1 coefficients of its waveform.

    A linear device couples each coefficient of a node with the same coefficient of the other node. A
    nonlinear device, which a share of the wires and of the nodes are, couples all with all.
    """
    rng = np.random.default_rng(spec.seed)
    low, high = _wires(spec.size, float(spec.key("wires")), float(spec.key("power")), rng)
    nonlinear = rng.random(len(low)) < spec.key("nonlinear")
    nodes = np.flatnonzero(rng.random(spec.size) < spec.key("nonlinear"))
    block = 2 * int(spec.key("harmonics")) + 1
    every, (one, other) = np.arange(block), np.divmod(np.arange(block * block), block)
    above = one < other
    parts = [
        _spread(low[~nonlinear], high[~nonlinear], block, every, every),
        _spread(low[nonlinear], high[nonlinear], block, one, other),
        _spread(nodes, nodes, block, one[above], other[above]),
    ]
    lows, highs = zip(*parts, strict=True)
    return _directed(spec, np.concatenate(lows), np.concatenate(highs), rng)


def staged(spec: Spec) -> csr_array:
    """Chain alike stages.

    Within a stage the variables form a netlist, the same in each. Between a stage and the next run `states`
    links per variable, which leave from a share min(states, 1) of the variables and arrive at any.
    """
    rng = np.random.default_rng(spec.seed)
    variables = int(spec.key("variables"))
    low, high = _wires(variables, float(spec.key("wires")), float(spec.key("power")), rng)
    links = round(float(spec.key("states")) * variables)
    carriers = rng.permutation(variables)
    leave = carriers[np.arange(links) % max(min(links, variables), 1)]
    arrive = _shifted(leave, variables, float(spec.key("power")), rng)
    bases = np.arange(spec.size, dtype=np.int64) * variables
    inside = [(bases[:, None] + ends).ravel() for ends in (low, high)]
    across = (bases[:-1, None] + leave).ravel(), (bases[1:, None] + arrive).ravel()
    pairs = np.concatenate([inside[0], across[0]]), np.concatenate([inside[1], across[1]])
    return _directed(spec, *distinct(*pairs, spec.order), rng)


def _wires(n: int, wires: float, power: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw up to `wires` n wires: the two ends of each, the lower first.

    No wire occurs twice, and none joins a node with itself.
    """
    starts = rng.integers(0, n, round(wires * n))
    return distinct(starts, _shifted(starts, n, power, rng), n)


def _shifted(starts: Array, n: int, power: float, rng: np.random.Generator) -> Array:
    """Move each place along the ring by a length from the power law, either way."""
    lengths = np.minimum(rng.random(len(starts)) ** (-1.0 / (power - 1.0)), n).astype(np.int64)
    return np.asarray((starts + lengths * rng.choice([-1, 1], len(starts))) % n)


def _spread(low: Array, high: Array, block: int, one: Array, other: Array) -> tuple[Array, Array]:
    """Return the pairs of unknowns (one, other) of each pair of nodes."""
    return (low[:, None] * block + one).ravel(), (high[:, None] * block + other).ravel()


def _directed(spec: Spec, low: Array, high: Array, rng: np.random.Generator) -> csr_array:
    """Make both entries of a pair with probability f / (2 - f), else one; values over three decades."""
    both = rng.random(len(low)) < spec.symmetry / (2 - spec.symmetry)
    flip = rng.random(len(low)) < 0.5
    rows, columns = np.where(flip, high, low), np.where(flip, low, high)
    rows, columns = np.concatenate([rows, columns[both]]), np.concatenate([columns, rows[both]])
    return dominated(spec.order, rows, columns, -np.power(10.0, rng.uniform(-3, 0, len(rows))))
