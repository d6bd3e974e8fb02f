"""PPoPP'23's figures of the symbolic phase, from made records. All numbers are made up."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.runs.cases import figure_cases
from benchmarks.runs.experiments import experiments
from fetch import catalogue
from fillpath import registry
from fillpath.case import Case
from fillpath.nouns import Series
from fillpath.paths import results
from fillpath.record import Record, Status
from fillpath.series import series_path, write_series
from fillpath.settings import SUITES, Settings
from reports import figures
from reports.facts.printed import abbreviation, abbreviations, printed_table
from reports.facts.records import Records
from reports.ooclu import arrays, budgets, faults, fig3, fig6, fig7, table2, table3
from reports.shapes import style
from reports.shapes.axes import LINE, write_names
from tests.reports_fakes import counting, made_frame, record_of, says, told, unavailable
from tests.thorough import daily

OT2, STAND_IN, OTHER = "onetone2", "ex40", "cage11"
ENTRIES = catalogue.entries()
# As an H200 and a V100 have it.
LARGE, SMALL = 150_109_880_320, 16_945_709_056
WAYS = ("out_of_core", "unified_memory.prefetch=true", "unified_memory")
KEPT = "unified_memory.keep=true.prefetch=true"
BUDGET, NAIVE = "out_of_core.memory_budget", "out_of_core.dynamic_assignment=false.memory_budget"
FAILED = {"status": Status.OUT_OF_MEMORY, "seconds": []}


def measured(name: str, median: float, on: str = OT2, card: int = LARGE, **changes: Any) -> Record:
    made = {"work": counting(), "gpu": {"memory": card}, "peak_memory": 3 * 10**9}
    return record_of(f"symbolic.{name}@{on}.metis", median, **{**made, **changes})


def three(*seconds: float, on: str = OT2, last: Any = (), **changes: Any) -> list[Record]:
    """out_of_core, unified memory with prefetching and without; last : changes of that."""
    times = zip(WAYS, seconds or (1.0, 1.5, 3.0), strict=True)
    *first, plain = (measured(name, each, on, **changes) for name, each in times)
    return [*first, replace(plain, **dict(last))]


def counted(*facts: Any, first: Any = (), **changes: Any) -> list[Record]:
    """What was counted of the three is on disk, unless it is None; first : changes of out_of_core."""
    ours, *others = three(**changes)
    pairs = zip([replace(ours, **dict(first)), *others], facts, strict=True)
    return [record if own is None else count(record, **own) for record, own in pairs]


def count(record: Record, **facts: Any) -> Record:
    path = results() / record.machine / "faults" / f"{record.case}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    known = {"gpu_fault_groups": 12_000.0, "overhead": 1.2, "link_bytes_per_second": 5e10, "fault_share": 0.5}
    path.write_text(json.dumps({"key": facts.pop("key", record.key), "facts": known | facts}))
    return record


def kept(*matrices: str, edges: Any) -> list[Record]:
    """Records of out_of_core whose series, the entries that each row examines, are on disk."""
    records = [measured("out_of_core", 1.0, matrix) for matrix in matrices]
    held, prepared = Series(edges=np.array(edges)), [{**(r.prepared or {}), "n": len(edges)} for r in records]
    files = [write_series(series_path(r.machine, r.case), held, len(edges)) for r in records]
    return [replace(r, series=f, prepared=p) for r, f, p in zip(records, files, prepared, strict=True)]


def all_seven(prefetched: Callable[[int], float], plain: float = 3.0, **changes: Any) -> list[Record]:
    """Of each of the seven, the densest first: out_of_core in a second, unified memory in so many with
    prefetching, by its place, and in `plain` times as many without. No sample differs."""
    table = printed_table("ooclu_table2_matrices").sort_values("nnz_per_row", ascending=False)
    return [
        measured(name, s, matrix, **{"card": SMALL, "seconds": [s] * 3, **changes})
        for place, matrix in enumerate(table.loc[table["abbr"].isin(arrays.the_seven()), "matrix"])
        for name, s in zip(WAYS, (1.0, prefetched(place), plain * prefetched(place)), strict=True)
    ]


def shared(share_of: Callable[[int], float], prefetched: float = 0.2, card: int = SMALL) -> list[Record]:
    """Of the seven, the densest first: the share of time that faults take without prefetching by place, and
    with it; out_of_core moves 0.1 % of its time."""
    records = all_seven(lambda place: 1.5, card=card, work=counting(bytes_matrix=5e7, spilled=0.0))
    shares = [share for place in range(7) for share in (0.5, prefetched, share_of(place))]
    return [count(record, fault_share=share) for record, share in zip(records, shares, strict=True)]


def gains(*each: tuple[str, str, float], launches: float | None = 2.0) -> list[Record]:
    """Of (matrix, budget, seconds): so many without dynamic assignment, 1 with. No sample differs."""
    work = counting(launches=launches)
    return [
        measured(f"{name}={budget}", s, matrix, work=work, seconds=[s] * 3)
        for matrix, budget, naive in each
        for name, s in ((NAIVE, naive), (BUDGET, 1.0))
    ]


def gone(records: Sequence[Record]) -> list[Record]:
    return [unavailable(Case.parse(record.case), 1) for record in records]


def frame_of(figure: Any, given: Any) -> pd.DataFrame:
    return made_frame(figure.EXHIBIT.frame, ENTRIES, given() if callable(given) else given)


def test_each_paper_has_its_own_abbreviations() -> None:
    rma10, gemat11 = catalogue.lookup("rma10"), catalogue.lookup("gemat11")
    assert abbreviation(rma10, "ooclu") == "RM" and abbreviation(catalogue.lookup(OT2), "ooclu") == "OT2"
    assert abbreviation(catalogue.lookup(OT2), "gsofa") is None, "GSoFA does not list it"
    assert abbreviation(gemat11, "ooclu") is None and abbreviation(None, "ooclu") is None
    assert len(abbreviations("ooclu")) == 18 and len(abbreviations("gsofa")) == 13


def test_the_seven_are_those_with_the_smallest_n_and_have_stand_ins_at_hand() -> None:
    table = printed_table("ooclu_table2_matrices")
    assert set(table.nsmallest(7, "order")["abbr"]) == set(arrays.the_seven())
    assert set(table.nlargest(3, "order")["abbr"]) == set(arrays.LARGEST)
    figure = next(experiment for experiment in experiments() if experiment.id == "ooclu-fig6")
    assert set(figure.only) == set(table.nsmallest(7, "order")["matrix"])
    small = [entry for entry in ENTRIES if entry.suite == "small"]
    assert set(figure.only) <= {name for entry in small for name in (entry.id, *entry.stands_for)}


def test_without_a_gpu_nothing_of_this_paper_is_run_but_two_figures_baselines() -> None:
    of_gpus = {e.figure for e in experiments() if e.paper == "ooclu"} - {"fig4", "kahn"}
    chosen = [(figure, Settings(suite=suite)) for figure in of_gpus for suite in SUITES]
    cases = {case for figure, settings in chosen for case in figure_cases("ooclu", figure, settings)}
    assert {registry.lookup(case.stage, case.implementation).device for case in cases} == {"gpu"}


# The cases of the tables below.
LOWER = [measured("out_of_core", 2.0, "apache2")]
WRONG = [measured("out_of_core", 1.0, STAND_IN, status=Status.WRONG, seconds=[])]
STEPS = partial(kept, OTHER, edges=[10] * 500 + [400] * 400 + [810] * 100)
BEHIND = [measured("out_of_core", 1.0, "bcsstk32")]
LATE, EARLY = ([*[10] * rise, *[900] * 20, *[10] * (980 - rise)] for rise in (950, 300))
PHASES = {"prefetch": 0.5, "traverse": 1.0, "release": 0.8}
MOVING = [measured(WAYS[0], 1.0), measured(WAYS[1], 2.0, phases=PHASES), measured(WAYS[2], 3.0)]
WITH_KEPT = [*three(card=SMALL), measured(KEPT, 1.2, card=SMALL)]
STOPPED, APART = three(last=FAILED), three(last={"run_id": "2"})
MOVED = {"work": counting(bytes_matrix=1e6, spilled=250_000.0)}
LESS, MORE = {"gpu_fault_groups": 3000.0, "fault_share": 0.25}, {"fault_share": 0.75}
COUNTED = partial(counted, {}, LESS, MORE, first=MOVED)
OVERLAP = partial(counted, {}, {**LESS, "gpu_fault_groups": 6000.0}, {"fault_share": 1.049}, card=SMALL)
NONE_LEFT = partial(counted, {}, {"gpu_fault_groups": 0.0}, {})
STALE, REFUSED = partial(counted, None, None, {"key": "0"}), partial(counted, {}, {}, None, last=FAILED)
BUDGETED = [
    measured("out_of_core", 2.0, work=counting(launches=1.0)),
    measured(f"{BUDGET}=64MB", 8.0),
    measured(f"{BUDGET}=1GB", 3.0, **FAILED),
    measured(f"{BUDGET}=16GB", 2.0, work=counting(launches=1.0)),
    measured("gsofa", 1.0, work=counting(launches=1.0)),
]
ONE_FAILED = [BUDGETED[2], *gone(BUDGETED[:1])]
TWO_RUNS = [replace(record, run_id=record.case) for record in gains((OTHER, "64MB", 1.05))]
ASSIGNED = [*gains((OTHER, "1GB", 1.25), launches=1.0), *gains((OTHER, "64MB", 1.05))]
UNCOUNTED = gains((OTHER, "64MB", 1.5), launches=None)
DOUBLE, SLOWED = (gains((OTHER, "64MB", naive)) for naive in (2.0, 0.7))
FOUR = (OTHER, "bcsstk32", "qa8fk", STAND_IN)
SLOWER = gains(*((matrix, *each) for matrix in FOUR for each in (("64MB", 1.5), ("250MB", 0.8))))
OWN_N = "n=36057|own_nnz=2.2763e+05|launches=2|managed_bytes=3.1203e+10|times_card=0.20786"
GROUPS = "groups=12000|prefetched_groups=3000|reduction=4|share=75|prefetched_share=25|both=ok|overhead=1.2"
NOT_COUNTED = "told=not_measured|prefetched_told=not_measured|out_of_core_told=not_measured|groups=nan"


@pytest.mark.parametrize(
    ("figure", "given", "where", "expected"),
    [
        (table2, three()[:1], "OT2", f"{OWN_N}|paper_n=36057|paper_own_nnz=2.2763e+05|peak_memory=3e+09"),
        # The lower triangle, as printed.
        (table2, LOWER, "AP", "own_nnz=2.7665e+06|paper_own_nnz=2.7665e+06"),
        (table2, LOWER, "WI", "status=not_run|managed_bytes=3.9983e+10|launches=nan"),
        (table2, WRONG, STAND_IN, "stand_in_for=BB, MI, GO, WI|abbr=None|peak_memory=nan|status=wrong"),
        # The frontiers are not bounded by what a step takes: entries over nnz/n = 559.722.
        (fig3, STEPS, OTHER, "frontier=0.017866|largest=1.4471|split=90|before=90|stand_in_for=pre2"),
        (fig3, LOWER, "apache2", "status=ok|reason=its record names no series|frontier=nan"),
        (fig6, three(), "out_of_core", "pair=baseline|ratio=nan|managed_bytes=3.1203e+10|regime=fits"),
        (fig6, three(), arrays.PREFETCHED, "ratio=1.5|prefetched_ratio=nan|pages_share=nan"),
        (fig6, three(), arrays.PLAIN, "ratio=3|ratio_high=4|prefetched_ratio=1.5"),
        (fig6, three(card=SMALL), arrays.PLAIN, "regime=oversubscribed"),
        (fig6, three(gpu=None), arrays.PLAIN, "regime="),
        # Nothing is said of what did not run.
        (fig6, three(), "GO", "status=not_run|pair=not_run|regime="),
        (fig6, STOPPED, arrays.PLAIN, "pair=out_of_memory|ratio=nan"),
        (fig6, APART, arrays.PLAIN, "pair=two_runs|ratio=nan"),
        (fig6, three()[1:], arrays.PLAIN, "pair=out of core not_run|ratio=nan"),
        (fig6, gone(three()), arrays.PLAIN, "pair=unavailable"),
        (fig6, MOVING, arrays.PREFETCHED, "pages_share=25|release_share=40"),
        (fig6, WITH_KEPT, arrays.WAYS[KEPT], "ratio=1.2|prefetched_ratio=nan"),
        (table3, COUNTED, "OT2", f"{GROUPS}|movement=0.01|movement_low=0.0083333|share_told=ok"),
        (table3, COUNTED, "OT2", "paper_groups=16734|paper_prefetched_share=56.6|paper_movement=0.06"),
        # Groups that are serviced at once add up to more than the call; their number stays.
        (table3, OVERLAP, "OT2", "share=nan|over_movement=nan|groups=12000|told=ok"),
        (table3, OVERLAP, "OT2", "share_told=groups_overlap|prefetched_share=25|prefetched_share_told=ok"),
        (table3, NONE_LEFT, "OT2", "groups=12000|prefetched_groups=0|reduction=nan|both=ok"),
        (table3, STALE, "OT2", f"{NOT_COUNTED}|movement=nan|reduction=nan"),
        (table3, REFUSED, "OT2", "both=out_of_memory|told=out_of_memory|movement=0.0012"),
        (table3, three()[1:], "OT2", "out_of_core_told=not_run|regime=fits"),
        (faults, COUNTED, faults.MEASURED, "groups=3000|over_first_touches=0.20163|regime=fits"),
        (faults, three(), faults.MEASURED, "told=not_measured|groups=nan|nnz_per_row=6.313"),
        (fig7, ASSIGNED, "1GB", "gain=25|binds=0|stand_in_for=PR|over_naive=0.8"),
        (fig7, ASSIGNED, "64MB", "gain=5|binds=1|launches=2"),
        (fig7, TWO_RUNS, "64MB", "gain=nan|pair=two_runs|binds=1"),
        (fig7, UNCOUNTED, "64MB", "gain=50|binds=nan"),
        (budgets, BUDGETED, "64MB", "ratio=4|binds=1|whole=2"),
        (budgets, BUDGETED, "16GB", "ratio=1|binds=0"),
        # What failed and gsofa have no chunks.
        (budgets, BUDGETED, "1GB", "ratio=nan|binds=nan|pair=out_of_memory"),
        (budgets, BUDGETED, "gsofa", "ratio=0.5|binds=nan|budget=nan"),
    ],
)
def test_rows_say_what_was_measured(figure: Any, given: Any, where: str, expected: str) -> None:
    frame = frame_of(figure, given)
    row = frame[(frame == where).any(axis=1)].iloc[0]
    assert says(row, expected) == expected


def test_rows_stand_in_the_order_of_budgets_and_density() -> None:
    assert frame_of(fig7, [*SLOWER[:4], *ASSIGNED[:2]])["budget"].tolist() == ["1GB", "250MB", "64MB"]
    assert frame_of(budgets, BUDGETED)["budget"].fillna("gsofa").tolist() == ["64MB", "1GB", "16GB", "gsofa"]
    assert frame_of(fig6, [*three(on=STAND_IN), *three()])["nnz_per_row"].dropna().is_monotonic_increasing
    assert len(frame_of(fig3, STEPS)) == fig3.ITERATIONS + 2 and len(frame_of(table2, [])) == 18


RISING, FALLING = (partial(all_seven, each) for each in (lambda k: 1.2 + k / 6, lambda k: 2.2 - k / 6))
SLOW, QUICK = (partial(all_seven, each) for each in (lambda k: 4.0 + k / 6, lambda k: 0.5 + k / 60))
UNTESTABLE, OF_FIG6 = "cannot be tested here", "range order density density_prefetched"
HALF, LESS_DENSE = partial(shared, lambda k: 0.5), partial(shared, lambda k: 0.3 + k / 20)
DENSER = partial(shared, lambda k: 0.7 - k / 20)


@pytest.mark.parametrize(
    ("figure", "given", "claims", "outcomes", "said"),
    [
        # crankseg_1 and crankseg_2 are denser than WI and MI, and onetone1 is sparser than rajat15.
        (table2, [], "exceed", "derived", "18 of 18, printed all|the two agree"),
        (table2, [], "highest", "derived", "0 of 2, printed all|the two do not agree"),
        (table2, [], "lowest", "derived", "2 of 2, printed all|the two agree"),
        (table2, [], "lowest_of_seven", "derived", "1 of 2, printed all|the two do not agree"),
        (fig3, partial(kept, *fig3.SHOWN, edges=LATE), "late", "reproduced", "firm=True"),
        # An early iteration with large frontiers is what the paper says does not happen.
        (fig3, partial(kept, *fig3.SHOWN, edges=EARLY), "late", "contradicted", "firm=True"),
        # Too far from pre2 to weigh.
        (fig3, partial(kept, OTHER, edges=LATE), "late", "not run, beside the print", "too far"),
        (fig6, RISING, OF_FIG6, "reproduced", "oversubscribed"),
        (fig6, partial(RISING, card=LARGE), OF_FIG6, UNTESTABLE, "fits"),
        # A shared card forbids it, and that is said.
        (fig6, three(), OF_FIG6, UNTESTABLE, "fits|may not be filled"),
        (fig6, three(), "range", UNTESTABLE, "1.5x (onetone2 (OT2)), printed 1.2x to 2.2x; 1 of 1 within it"),
        (fig6, three(gpu=None), OF_FIG6, UNTESTABLE, "regime unknown"),
        (fig6, [], OF_FIG6, "not run", ""),
        (fig6, FALLING, "range order", "reproduced", ""),
        (fig6, FALLING, "density density_prefetched", "contradicted", ""),
        (fig6, QUICK, "range order", "contradicted", ""),
        (fig6, partial(RISING, 0.9), "order", "contradicted", ""),
        (fig6, SLOW, "range", "deviates", ""),
        (fig6, SLOW, "order", "reproduced", ""),
        (table3, COUNTED, "reduction groups", UNTESTABLE, "fits"),
        (table3, COUNTED, "movement", "deviates", "0.01"),
        (table3, OVERLAP, "time density", "not run", "groups overlap"),
        (table3, OVERLAP, "groups reduction", "deviates", "oversubscribed"),
        (table3, OVERLAP, "reduction", "deviates", "2x (onetone2 (OT2)), "),
        (table3, NONE_LEFT, "reduction", "not run", ""),
        (table3, STALE, "movement", "not run", "not measured"),
        (table3, REFUSED, "groups", "not run", "out of memory"),
        # Where the arrays do not fit, the share of faults falls with density, or rises.
        (table3, LESS_DENSE, "density", "reproduced", "oversubscribed"),
        (table3, DENSER, "density", "contradicted", "oversubscribed"),
        (table3, partial(DENSER, card=LARGE), "density", UNTESTABLE, "fits"),
        (table3, HALF, "above_movement", "reproduced", "oversubscribed"),
        (table3, partial(HALF, 0.0), "above_movement", "contradicted", "oversubscribed"),
        (table3, partial(HALF, card=LARGE), "above_movement", UNTESTABLE, "fits"),
        (fig7, SLOWER, "faster", "contradicted", "0 of 4, printed all"),
        (fig7, SLOWER[:4], "faster", "deviates", "0 of 1, printed all"),
        (fig7, [r for r in SLOWER if "64MB" in r.case], "faster", "reproduced", "4 of 4, printed all"),
        (fig7, ASSIGNED, "faster", "inconclusive", "1 of 1"),
        # The paper names no matrix, so that the largest gain of others is none of its.
        (fig7, ASSIGNED, "largest", "not run, beside the print", "5% (cage11 at 64MB), printed 10% (the"),
        (fig7, DOUBLE, "largest", "not run, beside the print", "100%"),
        (fig7, SLOWED, "largest", "not run, beside the print", "-30%"),
        (fig7, UNCOUNTED, "largest faster", "not run", ""),
    ],
)
def test_claims_are_judged(figure: Any, given: Any, claims: str, outcomes: str, said: str) -> None:
    verdicts = figure.EXHIBIT.verdicts(frame_of(figure, given))
    for name in claims.split():
        found = [verdict for verdict in verdicts if verdict.claim.rpartition(".")[2] == name]
        assert ", ".join(v.outcome for v in found) == outcomes
        reasons = [reason for v in found for _, reason in v.left_out]
        texts = [*reasons, *(f"{v.basis}; {v.numbers}; {v.why}; firm={v.firm}" for v in found)]
        assert [each for each in said.split("|") if each not in "\n".join(texts)] == []


def test_kept_arrays_are_in_no_claim_and_regimes_are_judged_apart() -> None:
    """The paper allocates for each call: what is kept is beside its ratios."""
    with_it, without = (fig6.EXHIBIT.verdicts(frame_of(fig6, given)) for given in (WITH_KEPT, WITH_KEPT[:3]))
    assert with_it == without
    verdicts = fig6.EXHIBIT.verdicts(frame_of(fig6, [*WITH_KEPT, *three(on=STAND_IN)]))
    regimes = {next(r for r in ("oversubscribed", "fits") if r in v.basis): v.outcome for v in verdicts}
    assert regimes == {"oversubscribed": "inconclusive", "fits": UNTESTABLE}


@pytest.mark.parametrize("turned", [1, -1])
def test_what_several_ratios_say_is_of_the_least_of_their_processes(turned: int) -> None:
    several, few = (5.0, 2.0)[::turned]
    pair = frame_of(fig7, gains((OTHER, "64MB", 1.5), (OTHER, "250MB", 1.5)))
    ways = frame_of(fig6, three()).assign(ratio_processes=several, prefetched_ratio_processes=few)
    for figure, frame in ((fig7, pair.assign(gain_processes=[several, few])), (fig6, ways)):
        verdicts = figure.EXHIBIT.verdicts(frame)
        (found,) = (v for v in verdicts if v.n and v.claim.endswith(("faster", "order")))
        assert found.points["processes"].tolist() == [2]


NOTHING, FIRST = "Nothing of it was measured here.", "1.09 to 1.31 times|rank correlation +0.82"
TABLE_ROW = "onetone2 (OT2), 12,000, 3,000, 75.0, 25.0, 0.01, 1.20x, 1.20x, 6.3, fits"


@pytest.mark.parametrize(
    ("figure", "given", "said", "unsaid"),
    [
        (table2, three()[:1], "onetone2 (OT2), 36,057, 227,628, 6.3, 31.20, 0.208, 3.00, 2", "not run"),
        (table2, three()[:1], "printed, 36,057, 227,628, |Not measured: Goodwin_054 (GO)", "bbmat (BB), -"),
        (table2, [*three()[:1], *LOWER], "the card here in 1 of 2 rows", NOTHING),
        (table2, WRONG, "wrong", "OT2), 36,057"),
        (fig3, STEPS, "cage11, stand-in: pre2|after 90% of the it|Not measured: audikw_1, pre2", NOTHING),
        (fig3, partial(kept, "pre2", edges=range(1, 90)), "\npre2 (PR)\n|Not measured: audikw_1.", "series"),
        (fig3, BEHIND, "bcsstk32, stand-in: audikw_1\n|names no series", NOTHING),
        (fig6, three(), "\n1 s\n1.5x\n3x|nothing is evicted|Not measured: Goodwin_054 (GO)", "not run"),
        (
            fig6,
            three(),
            "releasing them|below: onetone2 (OT2), nnz/n 6.31\n31 GB (fits)\n",
            "Of the prefetched",
        ),
        (fig6, three(gpu=None), "\n31 GB\n|printed, of prefetched: 1.2x to 2.2x", "GB ("),
        (fig6, MOVING, "pages are 25 to 25 % and release 40 to 40 %", NOTHING),
        (fig6, WITH_KEPT, f"1.2x|{arrays.WAYS[KEPT]}; |GB (oversubscribed)", NOTHING),
        (fig6, STOPPED, "out of memory", "3x"),
        (fig6, APART, "two runs", "3x"),
        (fig6, three()[1:], "out of core not run", "3x"),
        (fig6, gone(three()), f"{NOTHING}|onetone2 (OT2)|below: \n", "unavailable"),
        (table3, gone(three()), NOTHING, "onetone2 (OT2), unavailable"),
        # The paper's others are a line below.
        (table3, COUNTED, f"{TABLE_ROW}|printed, 16,734, 4,638, 78.4, 56.6, 0.06, , , , ", "not run"),
        (table3, OVERLAP, "12,000, 6,000, groups overlap, 25.0", NOTHING),
        (table3, REFUSED, "OT2), out of memory, 12,000, out of memory, 50.0", NOTHING),
        (faults, [], f"{FIRST}|No case has been counted here", "measured, "),
        (faults, COUNTED, "2 cases were counted here|\nonetone2 (OT2)|; measured, prefetched", "No case"),
        # Where nothing binds there is nothing to see.
        (fig7, ASSIGNED, "+5%|below: cage11, 64MB\nstand-in: PR\n|printed, at most +10%", "+25%"),
        (fig7, TWO_RUNS, "two runs", "+5%"),
        (budgets, BUDGETED, "gsofa: 0.5x|out of memory|1x: 2 s|4x|below: 64MB; 1GB; 16GB; none\n", NOTHING),
        (budgets, gone(BUDGETED), "nothing was measured", "1x"),
        (budgets, ONE_FAILED, "out of memory", "1x"),
    ],
)
def test_it_is_said_what_was_measured(figure: Any, given: Any, said: str, unsaid: str) -> None:
    records = given() if callable(given) else given
    whole = told(figure, frame_of(figure, records), records)
    assert [each for each in said.split("|") if each not in whole] == [] and unsaid not in whole


def test_much_longer_bars_get_a_log_axis() -> None:
    frames = (frame_of(fig6, three(1.0, 1.5, plain)) for plain in (3.0, 300.0))
    assert [fig6.EXHIBIT.picture(each).axes[0].get_yscale() for each in frames] == ["linear", "log"]


def test_names_stand_beside_their_points_and_over_no_other() -> None:
    axes = style.new_figure(6.0, 6.0).subplots()
    axes.set(xlim=(0, 10), ylim=(0, 10))
    points = [(5.0, 5.0), (5.0, 5.05), (5.0, 5.1), (9.9, 5.0)]
    write_names(axes, points, ["first", "second", "third", "a long name"])
    *heights, long = axes.texts
    assert np.diff(np.sort([text.xyann[1] for text in heights])).min() >= LINE
    assert (long.get_text(), long.get_ha()) == ("a long name", "right")


@pytest.mark.parametrize("figure", daily(figures.exhibits("ooclu"), "fig3", "fig6", "table2", "kahn"))
def test_a_picture_of_any_rows_is_drawn_and_judged(figure: str) -> None:
    """Of some results and no failure, of failures alone, and of nothing."""
    shown, facts = figures.exhibit("ooclu", figure), counting()["facts"]
    cases = list(figure_cases("ooclu", figure, Settings(suite="small")))
    records = [record_of(case.name, 1.0 + k, facts, gpu={"memory": LARGE}) for k, case in enumerate(cases)]
    records[::4] = [replace(r, status=Status.TIMEOUT, seconds=[]) for r in records[::4]]
    frame, nothing = (shown.frame(Records(tuple(each)), ENTRIES, cases) for each in (records, []))
    ok = frame["status"] == "ok"
    for rows in (frame[ok].iloc[1::2], frame[~ok], nothing, nothing.iloc[:0]):
        part = rows.reset_index(drop=True)
        assert style.measured(shown.picture(part)).height > 0 and shown.words(part)
        assert all(verdict.text for verdict in shown.verdicts(part))
