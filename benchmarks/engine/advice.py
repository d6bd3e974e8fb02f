"""Leave out of a reason the advice that the case has followed.

A text below impl/ does not know how the matrix was prepared, and is part of the key of what it explains.
"""

import re
from collections.abc import Mapping

from fillpath.registry import Implementation

_CHOICE = re.compile(r"--[a-z]+ \S+|[a-z_]+=\S+")


def followable(reason: str, used: set[str]) -> str:
    """Return the reason of a failure, without advice that the case has followed.

    used : choices as advice writes them, such as `--matching mc64` and `dtype=float64`
    """
    cause, advises, advice = reason.rpartition(": try ")
    alternatives = [(each, set(_CHOICE.findall(each))) for each in re.split(r",? or ", advice)]
    left = [each for each, named in alternatives if not named or named - used]
    if not advises or len(left) == len(alternatives):
        return reason
    return f"{cause}: try {', or '.join(left)}" if left else cause


def choices(prepared: Mapping[str, object], entry: Implementation, options: Mapping[str, str]) -> set[str]:
    """List what a case used, and `refine=N` where it has nothing to refine.

    prepared : facts of its input
    options : the case's, defaults left out
    """
    chosen = {f"{name}={entry.option(name).text(value)}" for name, value in entry.values(options).items()}
    words = {f"--{name} {prepared[name]}" for name in ("matching", "ordering")}
    refined = {option.name for option in entry.options} & {"refine"}
    return chosen | words | {f"--diagonal {prepared['diagonal']:g}"} | (set() if refined else {"refine=N"})
