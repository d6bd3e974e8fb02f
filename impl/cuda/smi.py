"""What nvidia-smi knows and CUDA does not tell: the driver's version, clocks, MIG slices. Else None."""

from __future__ import annotations

import csv
import re
import subprocess
from dataclasses import dataclass

_SECONDS = 60.0
# The reasons for low clocks, by their bit in nvidia-smi's mask. An idle card is no reason.
_REASONS = {
    0x2: "applications_clocks_setting",
    0x4: "sw_power_cap",
    0x8: "hw_slowdown",
    0x10: "sync_boost",
    0x20: "sw_thermal_slowdown",
    0x40: "hw_thermal_slowdown",
    0x80: "hw_power_brake_slowdown",
    0x100: "display_clock_setting",
}
_CARD = re.compile(r"GPU \d+: (.+) \(UUID: ")
_SLICE = re.compile(r"MIG (\S+)\s+Device\s+\d+: \(UUID: (MIG-\S+)\)")
_CLOCKS = {
    "clocks.sm": "sm_mhz",
    "clocks.mem": "memory_mhz",
    "clocks.max.sm": "sm_max_mhz",
    "clocks.max.mem": "memory_max_mhz",
}


@dataclass(frozen=True)
class Slice:
    """A MIG slice. card : the name of the card that it is a part of. profile : such as 1g.10gb."""

    card: str
    profile: str
    uuid: str


def query(*names: str, card: str | None = None) -> dict[str, str | None]:
    """Those fields of one card; None for what cannot be read. card : its PCI address, None: the first."""
    chosen = ["-i", card] if card else []
    told = _output("--query-gpu=" + ",".join(names), "--format=csv,noheader,nounits", *chosen)
    row = next(csv.reader(told.splitlines(), skipinitialspace=True), []) if told else []
    cells = [None if re.match(r"\[|N/A|Unknown", cell) else cell for cell in row]
    return dict(zip(names, cells, strict=True)) if len(cells) == len(names) else dict.fromkeys(names)


def cards() -> list[str]:
    """The names of this machine's cards; empty without a driver."""
    return [heading[1] for line in _listing() if (heading := _CARD.match(line))]


def slices() -> list[Slice]:
    """The MIG slices of all cards."""
    found: list[Slice] = []
    card = ""
    for line in _listing():
        if heading := _CARD.match(line):
            card = heading[1]
        elif part := _SLICE.match(line):
            found.append(Slice(card, part[1], part[2]))
    return found


def clocks(card: str | None) -> dict[str, int] | None:
    """Clocks in MHz now and at most: those of sm_mhz, memory_mhz, sm_max_mhz, memory_max_mhz that can be
    read; None for none. card : its PCI address."""
    told = query(*_CLOCKS, card=card)
    known = {name: told[field] for field, name in _CLOCKS.items()}
    return {name: int(mhz) for name, mhz in known.items() if mhz is not None and mhz.isdigit()} or None


def throttle(card: str | None) -> list[str] | None:
    """What holds the clocks down now, by nvidia-smi's names. None where it cannot be read."""
    # Drivers from 535 on call reasons events; older ones know the other name only.
    for name in ("clocks_event_reasons.active", "clocks_throttle_reasons.active"):
        mask = query(name, card=card)[name]
        if mask is not None and re.fullmatch(r"0x[0-9a-fA-F]+", mask):
            return [reason for bit, reason in _REASONS.items() if int(mask, 16) & bit]
    return None


def _listing() -> list[str]:
    """A line a card, each followed by a line a MIG slice of it."""
    return [line.strip() for line in (_output("-L") or "").splitlines()]


def _output(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["nvidia-smi", *arguments], capture_output=True, text=True, check=False, timeout=_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
