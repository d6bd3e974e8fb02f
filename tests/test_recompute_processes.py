"""The page's numbers against the recomputation where records are of several processes, runs and hosts."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commands._records import figure_cases
from fetch import catalogue
from fillpath.papers import paper_names
from fillpath.paths import ROOT
from reports.facts.records import Records
from reports.figures import exhibits, view
from reports.pages.ledger.document import verdict_json
from tests.recompute import CLAIMS, read
from tests.recompute_page import Numbers, differences, on_page, scope_of
from tests.recompute_processes import Raw

STORED = ROOT / "results" / "h200"
COVERED = {line.split()[0] for line in CLAIMS.strip().splitlines()}
SUBJECTS = {claim.rpartition(".")[0] for claim in COVERED}
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


SUITE = {entry.id: entry.suite for entry in catalogue.entries()}

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
    """Records of HYPRE on 16 ranks, made of ParAC's: it takes other times and iterations.

    The embedded suite has no case of 16 ranks."""
    made = []
    for raw in by_variant.get("laplacian.parac_cpu@amd", []):
        if SUITE[raw["parts"]["matrix"]] == "embedded":
            continue
        case = raw["case"].replace("parac_cpu", "hypre.ranks=16").removesuffix("amd") + "natural"
        longer = {"factor": 2.0, "solve": 0.3}
        phases = {name: [by * s for s in raw["phases"].get(name, [])] for name, by in longer.items()}
        work = raw["work"] and {**raw["work"], "facts": {**raw["work"]["facts"], "iterations": 8.0}}
        made.append({**raw, "case": case, "phases": phases, "work": work})
    return {"laplacian.hypre.ranks=16@natural": made} if made else {}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Records]:
    """The committed records of h200 on all matrices, most with such a history each."""
    rng = np.random.default_rng(25)
    folder = tmp_path_factory.mktemp("planted") / "h200" / "records"
    folder.mkdir(parents=True)
    for place, by_variant in enumerate(read(STORED / "records").values()):
        by_variant = by_variant | on_ranks(by_variant)
        histories = HISTORIES[place % len(HISTORIES)]
        for raws in by_variant.values():
            for raw in raws:
                # A card that the second paper's arrays do not fit.
                raw["gpu"] = raw["gpu"] and {**raw["gpu"], "memory": 10**6}
            history = histories[int(rng.random() < 0.25)]
            lines = history(raws, rng) if raws[-1]["status"] == "ok" else raws
            text = "".join(f"{json.dumps(raw)}\n" for raw in lines)
            (folder / f"{raws[0]['case']}.jsonl").write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FILLPATH_RESULTS", str(folder.parent.parent))
        patch.setenv("FILLPATH_MACHINE", "test-machine")
        return folder, Records.load("h200")


def judged(paper: str, records: Records) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    """What the figures of a paper behind CLAIMS say of the records, by claim and kind of input."""
    entries, cases_of = catalogue.entries(), figure_cases(records)
    for figure, exhibit in exhibits(paper).items():
        if not {f"{paper}.{subject}" for subject in exhibit.claims} & SUBJECTS:
            continue
        seen = view(paper, figure, records, entries, cases_of(paper, figure))
        assert not seen.failure, seen.failure
        for verdict in seen.verdicts:
            found = verdict_json(verdict)
            if verdict.claim in COVERED and verdict.n and (scope := scope_of(found)):
                yield (verdict.claim, scope), found


@pytest.mark.parametrize("paper", paper_names())
def test_numbers_of_several_processes_runs_and_hosts_are_those_recomputed(
    planted: tuple[Path, Records], paper: str
) -> None:
    folder, records = planted
    verdicts: Numbers = dict(judged(paper, records))
    assert verdicts and differences(on_page(verdicts), folder, paper) == {}
    processes = {point["processes"] for of in verdicts.values() for point in of["measured"]["points"]}
    assert processes >= ({1, 2, 3, 5} if paper in ("gsofa", "parac") else {1, 2, 5})
    hypre = {f"parac.table2_cpu.{name}" for name in ("below_hypre", "over_hypre")}
    assert paper != "parac" or hypre <= {claim for claim, _ in verdicts}, "of which planted records alone are"
