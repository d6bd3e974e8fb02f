"""GSoFA's Figures 17, 18, 19 and 21, from made records. All numbers are made up."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from benchmarks.probes.faults import faults_path
from fillpath.case import Case
from fillpath.record import Record
from reports.claims.judge import judge_numbers
from reports.facts.claims import claim
from reports.figures import exhibit
from tests.reports_fakes import ENTRIES, counting, made_frame, made_record, names, texts


def made(name: str, seconds: float) -> Record:
    """An ok record; in turn, its slowest worker takes 1/10 of the seconds."""
    case = Case.parse(f"symbolic.{name}@bcsstk18.metis")
    options = dict(case.options)
    workers = max(1, case.gpus) * int(options.get("nodes", "1")) * int(options.get("virtual_gpus", "1"))
    simulated = workers > max(1, case.gpus)
    phases = {f"gpu{k}": [seconds / (10 + k)] * 3 for k in range(workers)} if simulated else {}
    work = counting(workers=float(workers), load_balance=1.1, simulated=float(simulated))
    return replace(made_record(case, 1), seconds=[seconds] * 3, phases=phases, work=work)


def frame_of(figure: str, *records: Record) -> pd.DataFrame:
    return made_frame(exhibit("gsofa", figure).frame, ENTRIES, records)


ORDERS = ("order=contiguous.", "order=inter_node.", "")
ON_GPUS = [made(f"gsofa_multi.gpus=2.{way}"[:-1], 8.0 / r) for way, r in zip(ORDERS, (1, 2, 8), strict=True)]
IN_TURN = [
    made(f"gsofa_multi.nodes=6.{way}virtual_gpus=6", 60.0 / ratio)
    for way, ratio in zip(ORDERS, (1, 2, 6), strict=True)
]
NODES = {"": 66.0, "nodes=33.": 3.0, "nodes=44.": 2.0}
OF_FILL2 = [made(f"fill2_multi.{way}virtual_gpus=6", seconds) for way, seconds in NODES.items()]
OF_GPUS = [made("gsofa_multi", 8.0), made("gsofa_multi.gpus=2", 5.0), made("gsofa_multi.gpus=4", 2.5)]
CHUNKS = [made(f"gsofa_multi.gpus=4{size}", s) for size, s in {".maxsup=64": 2.0, "": 3.0}.items()]
LARGE = "gsofa_multi.gpus=4.maxsup=256"
FILL2, GPUS = "simulated: nodes of 6, by fill2 in turn", "measured: GPUs"


@pytest.mark.parametrize(
    ("figure", "records", "panels", "printed"),
    [
        (
            "fig17", [*ON_GPUS, *IN_TURN],
            {"measured: 2 GPUs": "2x 8x", "simulated: 6 nodes of 6, by gsofa in turn": "2x 6x"},
            ["inter: drops", "inter: drops", "inter: drops", "1.6x", "4.3x"],
        ),
        # A panel tells of fill2 only where it is drawn.
        ("fig19", OF_FILL2, {FILL2: "22x 33x"}, ["31x", "24.9x", "21.5x", "21.5x", "16.1x", "16.1x"]),
        ("fig19", OF_GPUS, {GPUS: "1.6x 3.2x"}, ["31x"]),
        ("fig19", [*OF_GPUS, *OF_FILL2], {GPUS: "1.6x 3.2x", FILL2: "22x 33x"}, ["31x"]),
        ("fig21", [*CHUNKS, made(LARGE, 4.0)], {"measured: 4 GPUs": "1.5x 2x"}, ["1.04x", "1.13x", "1.6x"]),
    ],
)  # fmt: skip
def test_a_panel_for_each_kind_beside_the_print(
    figure: str, records: list[Record], panels: Mapping[str, str], printed: list[str]
) -> None:
    print_of, *rest = exhibit("gsofa", figure).picture(frame_of(figure, *records)).axes
    headings = [" ".join(axes.get_title(loc="left").split()) for axes in rest]
    assert headings == [f"{panel} on made-up" for panel in panels]
    for axes, ratios in zip(rest, panels.values(), strict=True):
        assert texts(axes).splitlines()[-2:] == ratios.split() and names(axes) == ["bcsstk18 (BC)"]
    written = texts(print_of).splitlines()
    assert all(written.count(text) >= printed.count(text) for text in printed)


def test_scheduling_is_measured_by_seconds_and_simulated_by_the_slowest_worker() -> None:
    frame = frame_of("fig17", *ON_GPUS, *IN_TURN)
    own = frame[frame["case"].notna()]
    found = own.groupby("simulated")["ratio"].agg(list)
    assert found[False] == [2.0, 4.0, 8.0] and found[True] == [2.0, 3.0, 6.0], "inter, intra on top, both"
    assert set(own.loc[own["simulated"], "median"]) == {3.0, 1.0}
    assert own["paper"].isna().all(), "BC has no printed number of its own"
    verdicts = exhibit("gsofa", "fig17").verdicts(frame)
    assert {v.word for v in verdicts} == {"not judged (beside the print)"}, "no machine here has 36 GPUs"
    kinds = "measured: 2 GPUs", "simulated: 6 nodes of 6, by gsofa in turn"
    for verdict in verdicts:
        assert sum(kind in verdict.basis for kind in kinds) == 1, "never one mean of both"


def test_scaling_has_an_efficiency_and_nodes_are_held_against_one_and_33() -> None:
    frame = frame_of("fig19", *OF_GPUS, *OF_FILL2)
    found = frame.set_index(["what", "times"])[["ratio", "efficiency", "from_33"]]
    assert found.loc[("GPUs of one host", 4)].tolist()[:2] == pytest.approx([3.2, 0.8])
    assert found.loc[("nodes of six GPUs", 44)].tolist() == pytest.approx([33, 0.75, 1.5])
    assert set(frame.loc[frame["simulated"], "by"]) == {"fill2"}
    assert frame_of("fig19", OF_FILL2[0], OF_FILL2[2])["from_33"].isna().all(), "33 nodes were not simulated"


def test_a_larger_chunk_is_held_against_64_and_a_wide_whisker_does_not_stretch_the_axis() -> None:
    frame = frame_of("fig21", *CHUNKS, replace(made(LARGE, 4.0), seconds=[0.04, 4.0, 400.0]))
    found = frame.dropna(subset="case").set_index("what")["ratio"]
    assert found.to_dict() == pytest.approx({"128": 1.5, "256": 2.0}) and frame["ratio_high"].max() > 100
    axes = exhibit("gsofa", "fig21").picture(frame).axes[1]
    low, high = axes.get_ylim()
    assert low > 0.3 and high < 3 and axes.get_yscale() == "linear"


def test_faults_are_read_beside_their_record_and_their_absence_is_said() -> None:
    one = "gpus=2.sharing=one_array"
    ways = (f"advise=false.{one}", one, "gpus=2.sharing=separate_arrays")
    records = [made(f"gsofa_multi.{way}", 1.0) for way in ways]
    assert set(frame_of("fig18", *records)["pair"]) <= {"not_measured", "not_run"}
    for record, groups in zip(records, (440, 200, 160), strict=True):
        path = Path(faults_path(record.machine, record.case))
        path.parent.mkdir(parents=True, exist_ok=True)
        calls = [{"gpu_fault_groups": groups + more} for more in (-10, 0, 60)]
        path.write_text(json.dumps({"key": record.key, "facts": calls[1], "repeats": calls}))
    frame = frame_of("fig18", *records)
    steps, printed = frame.set_index("what"), frame.set_index("abbr")["paper"]
    ends = steps.loc["advice", ["ratio", "ratio_low", "ratio_high"]].tolist()
    assert ends == pytest.approx([2.2, 430 / 260, 500 / 190])
    assert steps.loc["separation", "fewer"] == pytest.approx(20)
    left = steps.loc["both", ["left_low", "left", "left_high"]].tolist()
    assert left == pytest.approx([150 / 500, 160 / 440, 220 / 430])
    _, axes = exhibit("gsofa", "fig18").picture(frame).axes
    assert {"45%", "36%"} <= set(texts(axes).splitlines())
    assert printed[["LH", "AU"]].tolist() == pytest.approx([100 / 15, 10.3])


@pytest.mark.parametrize(
    ("subject", "name", "matrices"),
    [
        ("fig17_source_scheduling", "inter_node_drops", ("AU", "DI", "HM")),
        ("fig18_unified_memory_faults", "separation_rises", ("PR", "TT")),
    ],
)
def test_a_gain_is_against_a_print_of_none(subject: str, name: str, matrices: tuple[str, ...]) -> None:
    drops = claim("gsofa", subject, name)
    assert drops.needs and drops.matrices == matrices and drops.printed == "none"
    assert drops.time == (subject == "fig17_source_scheduling")
    for gains, outcome in ((0.0, "reproduced"), (1.0, "not reproduced")):
        assert judge_numbers(drops, dict.fromkeys(matrices, gains)).outcome == outcome
    assert claim("gsofa", "fig19_strong_scaling", "flat").needs
