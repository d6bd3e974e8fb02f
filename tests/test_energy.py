"""Joules are what the counters say, over a time that they resolve, and null where there is none."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks.engine import energy
from benchmarks.engine.energy import LEAST_SECONDS, Meter, metered

RANGE = 262_143_328_850


class Readings:
    """A counter that says these joules, one after the other."""

    def __init__(self, *joules: float | None) -> None:
        self._joules = iter(joules)

    def spent(self) -> float | None:
        return next(self._joules)


@pytest.fixture
def powercap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two packages, a part of the first, and the platform, which holds all."""
    monkeypatch.setattr(energy, "POWERCAP", tmp_path)
    labels = {"0": "package-0", "0:0": "core", "1": "package-1", "2": "psys"}
    for number, label in labels.items():
        folder = tmp_path / f"intel-rapl:{number}"
        folder.mkdir()
        (folder / "name").write_text(f"{label}\n")
        (folder / "max_energy_range_uj").write_text(f"{RANGE}\n")
        show(tmp_path, number, 5_000_000)
    return tmp_path


def show(powercap: Path, number: str, microjoules: int) -> None:
    (powercap / f"intel-rapl:{number}" / "energy_uj").write_text(f"{microjoules}\n")


def test_a_sample_has_its_share_of_what_was_spent_since_the_start() -> None:
    meter = Meter([Readings(1e9, 3.0, 2.0), Readings(7e9, 10.0, 5.0)])
    for _ in range(2):
        meter.advance()
    assert meter.joules == 20.0 and meter.per_sample(4, LEAST_SECONDS) == 5.0


def test_what_is_shorter_than_the_counters_resolve_has_no_energy() -> None:
    meter = Meter([Readings(0.0, 3.0)])
    meter.advance()
    assert meter.per_sample(3, 0.99 * LEAST_SECONDS) is None and meter.per_sample(3, LEAST_SECONDS) == 1.0
    assert meter.per_sample(0, 9.0) is None


@pytest.mark.parametrize(
    "counters",
    [[], [Readings(None, 3.0)], [Readings(1.0, None)], [Readings(1.0, 3.0), Readings(None, 2.0)]],
)
def test_without_every_counter_there_is_no_number(counters: list[Readings]) -> None:
    meter = Meter(counters)
    meter.advance()
    assert meter.joules is None and meter.per_sample(1, 9.0) is None


def test_packages_are_counted_once_and_beyond_the_end_of_their_range(powercap: Path) -> None:
    with metered("cpu") as meter:
        show(powercap, "0", 9_000_000)
        show(powercap, "0:0", 8_000_000)
        show(powercap, "2", 99_000_000)
        meter.advance()
        assert meter.joules == pytest.approx(4.0)
        show(powercap, "0", 1_000_000)
        show(powercap, "1", 6_000_000)
        meter.advance()
        assert meter.joules == pytest.approx(4.0 + (RANGE - 8_000_000) / 1e6 + 1.0)


@pytest.mark.parametrize("damage", ["unreadable", "no number", "no folder"])
def test_a_package_that_cannot_be_read_gives_no_energy(powercap: Path, damage: str) -> None:
    counter = powercap / "intel-rapl:1" / "energy_uj"
    if damage == "unreadable":
        # A folder cannot be read as text, whoever asks: root may read any file.
        counter.unlink()
        counter.mkdir()
    elif damage == "no number":
        counter.write_text("")
    else:
        for file in sorted(powercap.rglob("*"), reverse=True):
            file.unlink() if file.is_file() else file.rmdir()
    with metered("cpu") as meter:
        meter.advance()
        assert meter.per_sample(1, 9.0) is None


class Refused(Exception):
    """As pynvml's NVMLError."""


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, float]]:
    """Two cards by address, with their counters in millijoules. NVML answers only between begin and end."""
    counters, users = {"card 0": 5e6, "card 1": 7e6}, list[int]()

    def total(address: str) -> float:
        if not users or address not in counters:
            raise Refused
        return counters[address]

    nvml: Any = SimpleNamespace(
        NVMLError=Refused,
        nvmlInit=lambda: users.append(1),
        nvmlShutdown=users.pop,
        nvmlDeviceGetHandleByPciBusId=lambda address: address,
        nvmlDeviceGetTotalEnergyConsumption=total,
    )
    monkeypatch.setattr(energy, "pynvml", nvml)
    monkeypatch.setattr(energy, "_addresses", lambda gpus: [f"card {i}" for i in range(gpus)])
    yield counters
    assert not users, "NVML was left as it was met"


@pytest.mark.parametrize(("gpus", "joules"), [(1, 100.0), (2, 130.0)])
def test_every_card_of_the_case_is_counted(cards: dict[str, float], gpus: int, joules: float) -> None:
    with metered("gpu", gpus) as meter:
        cards["card 0"] += 100_000
        cards["card 1"] += 30_000
        meter.advance()
    assert meter.joules == pytest.approx(joules)


def test_a_card_without_a_counter_has_no_energy(cards: dict[str, float]) -> None:
    del cards["card 1"]
    with metered("gpu", 2) as meter:
        meter.advance()
    assert meter.joules is None


def test_without_a_driver_and_on_a_slice_of_a_card_there_is_no_energy(
    cards: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(energy, "_addresses", lambda gpus: [])
        with metered("gpu") as meter:
            meter.advance()
        assert meter.joules is None

    def refuse() -> None:
        raise Refused

    monkeypatch.setattr("benchmarks.engine.energy.pynvml.nvmlInit", refuse)
    with metered("gpu") as meter:
        meter.advance()
    assert meter.joules is None
