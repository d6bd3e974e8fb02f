"""GSoFA's Figures 12, 17, 18, 19 and 21, from made records. All numbers are made up."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from benchmarks.probes.faults import faults_path
from fillpath.case import Case
from fillpath.record import Record
from reports.claims.judge import judge_numbers
from reports.facts.claims import claim
from reports.figures import exhibit
from reports.gsofa.fig19 import COLOURS
from tests.reports_fakes import ENTRIES, counting, made_frame, made_record, names, texts


def made(name: str, seconds: float, **changes: Any) -> Record:
    """An ok record; in turn, its slowest worker takes 1/10 of the seconds."""
    case = Case.parse(f"symbolic.{name}@bcsstk18.metis")
    options = dict(case.options)
    workers = max(1, case.gpus) * int(options.get("nodes", "1")) * int(options.get("virtual_gpus", "1"))
    simulated = workers > max(1, case.gpus)
    phases = {f"gpu{k}": [seconds / (10 + k)] * 3 for k in range(workers)} if simulated else {}
    work = counting(workers=float(workers), load_balance=1.1, simulated=float(simulated))
    return replace(made_record(case, 1), seconds=[seconds] * 3, phases=phases, work=work, **changes)


def of_records(figure: str, records: Sequence[Record]) -> pd.DataFrame:
    return made_frame(exhibit("gsofa", figure).frame, ENTRIES, records)


def frame_of(figure: str, seconds: Mapping[str, float]) -> pd.DataFrame:
    """Return the figure's frame of cases that took so many seconds."""
    return of_records(figure, [made(name, each) for name, each in seconds.items()])


ON_GPUS, IN_TURN = "gsofa_multi.gpus=2{}", "gsofa_multi.nodes=6{}.virtual_gpus=6"
ORDERS = (".order=contiguous", ".order=inter_node", "")


def test_scheduling_is_measured_by_seconds_and_simulated_by_the_slowest_worker() -> None:
    names_of = [kind.format(order) for kind in (ON_GPUS, IN_TURN) for order in ORDERS]
    frame = frame_of("fig17", dict(zip(names_of, (8.0, 4.0, 1.0, 60.0, 30.0, 10.0), strict=True)))
    own = frame[frame["case"].notna()]
    inter, intra, both = dict.fromkeys(own["what"])
    assert own.set_index(["what", "simulated"])["ratio"].to_dict() == {
        (inter, False): 2.0, (intra, False): 4.0, (both, False): 8.0,
        (inter, True): 2.0, (intra, True): 3.0, (both, True): 6.0,
    }  # fmt: skip
    assert set(own.loc[own["simulated"], "median"]) == {3.0, 1.0}
    assert own["paper"].isna().all(), "BC has no printed number of its own"
    verdicts = exhibit("gsofa", "fig17").verdicts(frame)
    assert {verdict.outcome for verdict in verdicts} == {"beside the print"}, "no machine here has 36 GPUs"
    kinds = "measured: 2 GPUs", "simulated: 6 nodes of 6, by gsofa in turn"
    for verdict in verdicts:
        assert sum(kind in verdict.basis for kind in kinds) == 1, "never one mean of both"
    printed, *panels = exhibit("gsofa", "fig17").picture(frame).axes
    for axes, kind, heights in zip(panels, kinds, ([2, 8], [2, 6]), strict=True):
        assert " ".join(axes.get_title(loc="left").split()) == f"{kind} on made-up"
        assert sorted(patch.get_height() for patch in axes.patches) == pytest.approx(heights)
        assert names(axes) == ["bcsstk18 (BC)"]
    assert texts(printed).count("inter: drops") == 3 and {"1.6x", "4.3x"} <= set(texts(printed).splitlines())


def test_which_matrices_drop_is_a_claim_that_six_nodes_are_needed_for() -> None:
    for name, subject in (("inter_node_drops", "fig17_source_scheduling"), ("flat", "fig19_strong_scaling")):
        assert claim("gsofa", subject, name).needs
    drops = claim("gsofa", "fig17_source_scheduling", "inter_node_drops")
    assert drops.matrices == ("AU", "DI", "HM") and drops.printed == "none"
    rises = claim("gsofa", "fig18_unified_memory_faults", "separation_rises")
    assert rises.matrices == ("PR", "TT") and rises.printed == "none" and not rises.time


@pytest.mark.parametrize(("ratio", "outcome"), [(0.8, "reproduced"), (1.2, "contradicted")])
def test_a_gain_where_none_is_printed_contradicts(ratio: float, outcome: str) -> None:
    drops = claim("gsofa", "fig17_source_scheduling", "inter_node_drops")
    gains = dict.fromkeys(drops.matrices or (), float(ratio > 1))
    assert judge_numbers(drops, gains).outcome == outcome


BY_FILL2 = {"fill2_multi.virtual_gpus=6": 66.0, "fill2_multi.nodes=44.virtual_gpus=6": 2.0}
BY_GPUS = {"gsofa_multi": 8.0, "gsofa_multi.gpus=4": 2.5}


def test_scaling_has_an_efficiency_and_nodes_are_held_against_one_node() -> None:
    frame = frame_of("fig19", BY_GPUS | BY_FILL2).set_index("what")
    hosts, nodes = frame.loc["GPUs of one host"], frame.loc["nodes of six GPUs"]
    assert hosts["ratio"] == pytest.approx(3.2) and hosts["efficiency"] == pytest.approx(0.8)
    assert nodes["ratio"] == pytest.approx(33) and nodes["times"] == 44 and nodes["simulated"]
    assert pd.isna(nodes["from_33"]), "33 nodes were not simulated"


@pytest.mark.filterwarnings("error")
def test_points_at_one_alone_have_an_axis_too() -> None:
    picture = exhibit("gsofa", "fig19").picture(frame_of("fig19", BY_GPUS).assign(times=1.0))
    low, high = picture.axes[-1].get_xlim()
    assert low < 1 < high


def test_flat_from_33_nodes_is_the_speedup_over_that_of_33() -> None:
    two = {"gsofa_multi": 8.0, "gsofa_multi.gpus=2": 5.0, "fill2_multi.nodes=33.virtual_gpus=6": 3.0}
    frame = frame_of("fig19", BY_FILL2 | two)
    assert frame.set_index("times").loc[44, "from_33"] == pytest.approx(1.5)
    printed, nodes, hosts = exhibit("gsofa", "fig19").picture(frame).axes
    assert {"AU 31x", "HM 16.1x"} <= set(texts(printed).splitlines())
    assert names(hosts) == ["1", "2"] and hosts.get_ylim()[1] < 2, "a step to two GPUs is no axis to 64"
    assert names(nodes) == ["1", "33", "44"]


@pytest.mark.parametrize(
    ("seconds", "ways"),
    [(BY_FILL2, ["simulated: fill2 in turn"]), (BY_GPUS, ["measured"]),
     (BY_FILL2 | BY_GPUS, ["simulated: fill2 in turn", "measured"])],
)  # fmt: skip
def test_a_heading_tells_of_fill2_only_where_it_is_drawn(
    seconds: Mapping[str, float], ways: Sequence[str]
) -> None:
    _, *panels = exhibit("gsofa", "fig19").picture(frame_of("fig19", seconds)).axes
    assert [axes.get_title(loc="left").replace("\n", " ") for axes in panels] == [
        f"{way} on made-up" for way in ways
    ]


def test_a_stand_in_has_the_colour_of_its_matrix() -> None:
    frame = frame_of("fig19", BY_FILL2)
    of_none = frame[frame["pair"] == "ok"].assign(abbr=None, near=None)
    for abbr, colour in COLOURS.items():
        (_, axes) = exhibit("gsofa", "fig19").picture(of_none.assign(stand_in_for=f"RM, {abbr}")).axes
        assert colour in [line.get_color() for line in axes.lines if line.get_marker() == "s"]
        assert any(text.endswith(f"for {abbr}") for text in texts(axes).splitlines())
    both = pd.concat([of_none.assign(stand_in_for="AU"), of_none.assign(label="alone", stand_in_for=None)])
    (_, axes) = exhibit("gsofa", "fig19").picture(both).axes
    assert {"bcsstk18 (BC) 33x, for AU", "alone 33x"} <= set(texts(axes).splitlines())


CHUNKS = {f"gsofa_multi.gpus=4{size}": seconds for size, seconds in ((".maxsup=64", 2.0), ("", 3.0))}
LARGE = "gsofa_multi.gpus=4.maxsup=256"


def test_a_larger_chunk_is_held_against_64() -> None:
    frame = frame_of("fig21", CHUNKS | {LARGE: 4.0})
    found = frame.dropna(subset="case").set_index("what")["ratio"]
    assert found.to_dict() == pytest.approx({"128": 1.5, "256": 2.0})
    printed, axes = exhibit("gsofa", "fig21").picture(frame).axes
    assert axes.get_yscale() == "linear" and {"1.5x", "2x"} <= set(texts(axes).splitlines())
    assert {"1.04x", "1.13x", "1.6x"} <= set(texts(printed).splitlines())


def test_a_wide_whisker_does_not_stretch_the_axis() -> None:
    wide = replace(made(LARGE, 4.0), seconds=[0.04, 4.0, 400.0])
    frame = of_records("fig21", [*(made(*each) for each in CHUNKS.items()), wide])
    assert frame["ratio_high"].max() > 100
    low, high = exhibit("gsofa", "fig21").picture(frame).axes[1].get_ylim()
    assert low > 0.3 and high < 3


def test_faults_are_read_beside_their_record_and_their_absence_is_said() -> None:
    one_array = "gsofa_multi.{}gpus=2.sharing=one_array"
    apart = "gsofa_multi.gpus=2.sharing=separate_arrays"
    names_of = [one_array.format("advise=false."), one_array.format(""), apart]
    records = [made(name, 1.0) for name in names_of]
    assert set(of_records("fig18", records)["pair"]) <= {"not_measured", "not_run"}
    for record, groups in zip(records, (440, 200, 160), strict=True):
        path = Path(faults_path(record.machine, record.case))
        path.parent.mkdir(parents=True, exist_ok=True)
        calls = [{"gpu_fault_groups": groups + more} for more in (-10, 0, 60)]
        path.write_text(json.dumps({"key": record.key, "facts": calls[1], "repeats": calls}))
    frame = of_records("fig18", records)
    steps, printed = frame.set_index("what"), frame.set_index("abbr")["paper"]
    ends = steps.loc["advice", ["ratio", "ratio_low", "ratio_high"]].tolist()
    assert ends == pytest.approx([2.2, 430 / 260, 500 / 190])
    assert steps.loc["separation", "fewer"] == pytest.approx(20)
    left = steps.loc["both", ["left_low", "left", "left_high"]].tolist()
    assert left == pytest.approx([150 / 500, 160 / 440, 220 / 430])
    _, axes = exhibit("gsofa", "fig18").picture(frame).axes
    assert {"45%", "36%"} <= set(texts(axes).splitlines())
    assert printed[["LH", "AU"]].tolist() == pytest.approx([100 / 15, 10.3])
