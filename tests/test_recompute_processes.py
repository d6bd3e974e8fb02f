"""The page's numbers against the recomputation where records are of several processes, runs and hosts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commands._records import figure_cases
from fetch import catalogue
from fillpath.paths import ROOT, results
from reports.facts.records import Records
from reports.facts.standings import Outcome, Scope
from reports.figures import available_figures, exhibits
from reports.pages.ledger.view import view
from tests.recompute import CLAIMS, read
from tests.recompute_page import Numbers, differences, on_page
from tests.recompute_processes import Raw

STORED = ROOT / "results" / "h200"
COVERED = {line.split()[0] for line in CLAIMS.strip().splitlines()}
LATER = {"run_id": "2031-01-01-pools", "started_at": "2031-01-01T00:00:00.000000Z"}
LATEST = {"run_id": "2032-01-01-night", "started_at": "2032-01-01T00:00:00.000000Z"}
HOST, OTHER_HOST = "1" * 16, "2" * 16
# The records that a case has, made of those that it had.
History = Callable[[list[Raw], np.random.Generator], list[Raw]]


def process(raw: Raw, number: int, drift: float, noise: np.random.Generator, **changes: Any) -> Raw:
    """The record as another process would give it: all slower by a drift, and what it counted another."""
    work = raw["work"] and {**raw["work"], "edges": (raw["work"].get("edges") or 0) + 1000 * number}
    count = int(noise.integers(1, 8))
    slower = drift * np.exp(noise.normal(0, 0.03) + noise.normal(0, 0.05, count))

    def sampled(seconds: list[float] | None) -> list[float] | None:
        return seconds and (np.median(seconds) * slower).tolist()

    phases = {name: sampled(seconds) for name, seconds in raw["phases"].items()}
    return {
        **raw, **LATER, "host": HOST, "process": number, "seconds": sampled(raw["seconds"]), "phases": phases,
        "kernel_seconds": sampled(raw["kernel_seconds"]), "work": work, **changes,
    }  # fmt: skip


def pool(raw: Raw, noise: np.random.Generator, count: int = 5, **changes: Any) -> list[Raw]:
    """Processes of one run, whose rounds all cases share a drift of."""
    drifts = 1.5 ** np.array([0.3, -1.0, 0.0, 1.0, -0.4])
    return [process(raw, each, drifts[each], noise, **changes) for each in range(count)]


def failed(raw: Raw, status: str) -> Raw:
    nothing = {"seconds": [], "phases": {}, "kernel_seconds": None, "energy": None, "verified": None}
    return {**raw, **nothing, "status": status, "reason": "planted"}


def five(raws: list[Raw], noise: np.random.Generator) -> list[Raw]:
    return [*raws, *pool(raws[-1], noise)]


def five_before_a_night(raws: list[Raw], noise: np.random.Generator) -> list[Raw]:
    """A later run of the same sources with fewer processes."""
    return [*raws, *pool(raws[-1], noise), *pool(raws[-1], noise, 3, **LATEST)]


def five_before_other_sources(raws: list[Raw], noise: np.random.Generator) -> list[Raw]:
    return [*raws, *pool(raws[-1], noise), *pool(raws[-1], noise, 2, **LATEST, key="f" * 64)]


def five_then_one(raws: list[Raw], noise: np.random.Generator) -> list[Raw]:
    """Where the older single record was stored last again."""
    return [*raws[:-1], *pool(raws[-1], noise), raws[-1]]


def three_then_a_limit(raws: list[Raw], noise: np.random.Generator) -> list[Raw]:
    """Which takes nothing from the processes before it."""
    first, second, third = pool(raws[-1], noise, 3)
    return [*raws, first, second, failed(third, "timeout"), third]


def five_then_wrong(raws: list[Raw], noise: np.random.Generator) -> list[Raw]:
    return [*raws, *pool(raws[-1], noise, 4), failed(process(raws[-1], 4, 1.0, noise), "wrong")]


def five_on_another_host(raws: list[Raw], noise: np.random.Generator) -> list[Raw]:
    return [*raws, *pool(raws[-1], noise, host=OTHER_HOST)]


def two_hosts_in_one_run(raws: list[Raw], noise: np.random.Generator) -> list[Raw]:
    """A run that went on elsewhere, from a first process on."""
    return [*raws, *pool(raws[-1], noise, host=OTHER_HOST), *pool(raws[-1], noise, 4)]


def as_stored(raws: list[Raw], noise: np.random.Generator) -> list[Raw]:
    return raws


# What happened to the cases of a matrix, and to one in four of them.
HISTORIES: tuple[tuple[History, History], ...] = (
    (as_stored, as_stored),
    (five, five),
    (five_before_a_night, five_before_a_night),
    (five_before_other_sources, five_before_other_sources),
    (five_then_one, five_then_one),
    (five, three_then_a_limit),
    (five_before_a_night, five_then_wrong),
    (five, five_on_another_host),
    (five, two_hosts_in_one_run),
    (five, as_stored),
)


def on_ranks(by_variant: dict[str, list[Raw]]) -> dict[str, list[Raw]]:
    """Records of HYPRE on 16 ranks, made of ParAC's: it takes other times and iterations."""
    made = []
    for raw in by_variant.get("laplacian.parac_cpu@amd", []):
        case = raw["case"].replace("parac_cpu", "hypre.ranks=16")
        longer = {"factor": 2.0, "solve": 0.3}
        phases = {name: [by * s for s in raw["phases"].get(name, [])] for name, by in longer.items()}
        work = raw["work"] and {**raw["work"], "facts": {**raw["work"]["facts"], "iterations": 8.0}}
        made.append({**raw, "case": case, "phases": phases, "work": work})
    return {"laplacian.hypre.ranks=16@amd": made} if made else {}


@pytest.fixture
def folder() -> Path:
    """The committed records of h200, of most matrices with such a history each."""
    rng = np.random.default_rng(25)
    folder = results() / "h200"
    (folder / "records").mkdir(parents=True)
    for place, by_variant in enumerate(read(STORED / "records").values()):
        by_variant = by_variant | on_ranks(by_variant)
        histories = HISTORIES[place % len(HISTORIES)]
        for raws in by_variant.values():
            history = histories[int(rng.random() < 0.25)]
            lines = history(raws, rng) if raws[-1]["status"] == "ok" else raws
            text = "".join(f"{json.dumps(raw)}\n" for raw in lines)
            (folder / "records" / f"{raws[0]['case']}.jsonl").write_text(text)
    return folder


def judged() -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    """What the figures behind CLAIMS say of the records, by claim and kind of input."""
    records, entries = Records.load("h200"), catalogue.entries()
    cases_of = figure_cases(records)
    for paper, figure in available_figures():
        subjects = {f"{paper}.{subject}" for subject in exhibits(paper)[figure].subjects}
        if not subjects & {claim.rpartition(".")[0] for claim in COVERED}:
            continue
        seen = view(paper, figure, records, entries, cases_of(paper, figure))
        assert not seen.failure, seen.failure
        for verdict in seen.verdicts:
            decides = verdict.outcome is not Outcome.BESIDE or verdict.scope is Scope.PANEL
            if verdict.claim in COVERED and verdict.measured and decides:
                yield (verdict.claim, str(verdict.scope)), asdict(verdict)


def test_numbers_of_several_processes_runs_and_hosts_are_those_recomputed(folder: Path) -> None:
    verdicts: Numbers = dict(judged())
    assert differences(on_page(verdicts), folder / "records") == {}
    processes = {point["processes"] for of in verdicts.values() for point in of["measured"]["points"]}
    assert processes >= {1, 2, 3, 5}
    hypre = {f"parac.table2_cpu.{name}" for name in ("below_hypre", "over_hypre")}
    assert hypre <= {claim for claim, _ in verdicts}, "which has no record yet, but those that were planted"
