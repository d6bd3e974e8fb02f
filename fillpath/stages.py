"""The stages of a factorisation, one row of data each. How a stage is measured is in benchmarks/<name>.py."""

from collections.abc import Mapping
from dataclasses import dataclass

from fillpath.errors import find
from fillpath.nouns import Assembled, Filled, Pattern, Prepared, TwoWay


@dataclass(frozen=True)
class Stage:
    """A stage, whoever implements it.

    name : str, as in a case's name
    summary : str, its answer, in a few words
    withheld : tuple of type, nouns that hold its answer: no implementation of the stage may be given them
    on_values : bool, whether it works with the matrix's values, which then have to be real
    on_graph : bool, whether it works on the matrix's graph, in which explicit zeros are no edges
    refers : bool, whether F is made for it or held against its results, so that it needs a reference
    """

    name: str
    summary: str
    withheld: tuple[type, ...] = ()
    on_values: bool = False
    on_graph: bool = False
    refers: bool = True


# In the order in which a factorisation passes them.
_ROWS = (
    Stage("preparation", "the matrix matched, scaled, ordered", withheld=(Prepared, Pattern), refers=False),
    Stage("symbolic", "the filled pattern of L + U", withheld=(Filled, TwoWay, Assembled)),
    Stage("supernodes", "rows of U that share a structure"),
    Stage("levels", "columns that can be factorised at once", withheld=(Assembled,)),
    Stage("numeric", "the values of L and U", on_values=True),
    Stage("solve", "a linear system, through all stages", on_values=True, refers=False),
    Stage("cholesky", "ParAC's randomised factor", on_values=True, on_graph=True, refers=False),
    Stage("laplacian", "factor and conjugate gradients", on_values=True, on_graph=True, refers=False),
)
STAGES: Mapping[str, Stage] = {stage.name: stage for stage in _ROWS}


def stage_of(name: str) -> Stage:
    """Return the stage of that name. Raises UnknownNameError with a suggestion, or all names."""
    return find(name, STAGES, "no stage")
