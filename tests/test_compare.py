"""Machines side by side: a mean is over what both have solved, failures stay in sight, damage is not."""

import io
import json
import subprocess
import sys
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

from benchmarks.probes import ceilings
from benchmarks.runs import archive
from commands import main
from fillpath.errors import InputError, UnknownNameError
from fillpath.holdings import SUMS, read
from fillpath.paths import results
from fillpath.record import Record, Status, read_records, record_path, write_records
from reports.facts.records import Records
from reports.hardware.comparison import compare
from reports.hardware.pictures import best_picture, speeds_picture
from reports.hardware.roofline import rooflines, roofs, spots
from reports.hardware.text import described, energy_lines, text
from tests.reports_fakes import measured
from tests.test_record import record as plain

NAMES = ("gsofa", "fill2_gpu", "gsofa.fill_first=true", "gsofa.maxid_ranges=false", "out_of_core")


def on(machine: str, *seconds: float | None) -> list[Record]:
    """A record of each of NAMES on that machine; None: it ran out of memory."""
    made = [(measured(name, s or 1.0, machine=machine), s) for name, s in zip(NAMES, seconds, strict=False)]
    failed: dict[str, Any] = {"status": Status.OUT_OF_MEMORY, "seconds": [], "reason": "40 GB"}
    return [record if s else replace(record, **failed) for record, s in made]


def of(*records: list[Record]) -> Records:
    return Records(tuple(record for own in records for record in own))


def test_a_mean_is_geometric_over_what_both_have_solved_and_the_rest_is_listed() -> None:
    """A case that the first lacks is listed by it alone, another by each machine that lacks it."""
    records = of(on("a", 8.0, 2.0, 5.0, 1.0, None), on("b", 1.0, 1.0, None), on("c", 2.0, 4.0, 1.0))
    found = compare(["a", "b", "c"], records)
    means = {(m.group, m.machine): [m.ratio, m.n] for m in found.means.itertuples()}
    assert means["all", "b"] == means["symbolic", "b"] == pytest.approx([(8 * 2) ** 0.5, 2])
    assert means["all", "c"] == pytest.approx([(4 * 0.5 * 5) ** (1 / 3), 3])
    assert means["symbolic.gsofa", "b"] == pytest.approx([8, 1]) and found.pairs["other_sources"].all()
    assert means["symbolic.gsofa", "c"] == pytest.approx([(4 * 5) ** 0.5, 2]), "with any options"
    rows = found.left_out.assign(case=found.left_out["case"].str.partition("@")[0])
    assert sorted(": ".join(row) for row in rows.astype(str).values) == [
        "symbolic.gsofa.fill_first=true: b: out of memory: 40 GB",
        "symbolic.gsofa.maxid_ranges=false: b: no record",
        "symbolic.gsofa.maxid_ranges=false: c: no record",
        "symbolic.out_of_core: a: out of memory: 40 GB",
    ]
    assert "of the same implementation: 3 cases" in text(found) and "b: out of memory: 40 GB" in text(found)


def test_answers_by_cases_that_were_not_tried_on_both_are_marked_and_in_no_mean() -> None:
    """A case that ran out of memory was tried; a third machine decides nothing."""
    own = on("a", 8.0, 2.0)
    current = {own[0].key: False}
    for others, means in (([4.0], []), ([4.0, None], [[0.5, 1]])):
        found = compare(
            ["a", "b", "c"], replace(of(own, on("b", *others), on("c", 1.0, 9.0)), current=current)
        )
        to_b = found.best["means"].query("machine == 'b'")
        assert to_b[["ratio", "n"]].values.tolist() == means
        told = {row.machine: described(row) for row in found.best["answers"].itertuples()}
        mark = "" if means else "not tried on both, "
        assert told == {
            "a": "fill2_gpu, older sources of 2030-01-01", "c": "gsofa, older sources of 2030-01-01",
            "b": f"gsofa, {mark}older sources of 2030-01-01",
        }  # fmt: skip


def test_a_processor_that_never_tried_the_other_s_case_is_marked_on_a_machine_with_a_gpu() -> None:
    """`a` has measured on its processor, but not the code that is the fastest on that of `b`."""
    gpu, idle = on("a", 8.0), measured("fill1_pruned", 9.0, machine="a", device=None)
    quick = measured("fill2_cpu", 1.0, machine="b", device=None)
    tried = measured("fill2_cpu", 9.0, machine="a", device=None)
    for more, ratios in (([idle], []), ([idle, tried], [8.0]), ([], [8.0])):
        found = compare(["a", "b"], of(gpu, more, [quick, *on("b", 9.0)])).best
        assert found["means"]["ratio"].tolist() == pytest.approx(ratios), (
            "without a record of a processor there is none"
        )
        assert found["answers"]["untried"].tolist() == [False, not ratios]


def test_a_case_with_fewer_threads_than_the_machine_has_counts_in_groups_apart() -> None:
    names, seconds = ("gsofa_cpu", "gsofa_cpu.threads=1"), {"a": (8.0, 2.0), "b": (1.0, 1.0)}
    own = [[measured(name, s, machine=m) for name, s in zip(names, seconds[m], strict=True)] for m in seconds]
    means = compare(["a", "b"], of(*own)).means.set_index("group")["ratio"]
    assert means["symbolic.gsofa_cpu"] == means["symbolic"] == means["all"] == pytest.approx(8)
    assert means["symbolic.gsofa_cpu.threads=1"] == means["symbolic.threads=1"] == pytest.approx(2)


def test_the_energy_of_a_solution_is_of_cases_with_todays_sources_and_joules_on_both() -> None:
    pairs = [on("a", 1.0, 1.0, 1.0, 1.0), on("b", 1.0, 1.0, 1.0, 1.0)]
    joules = ([2.0, 8.0, 5.0, 7.0], [1.0, 1.0, None, 70.0])
    made = [
        replace(record, energy=[each] if each else None, key=f"{record.machine} {record.case}")
        for own, energies in zip(pairs, joules, strict=True)
        for record, each in zip(own, energies, strict=True)
    ]
    old = {record.key for record in made if "maxid_ranges" in record.case}
    current = {record.key: record.key not in old for record in made}
    found = compare(["a", "b"], replace(of(made), current=current))
    assert energy_lines(found) == ["b has 0.25x the energy of a, 0.125x to 0.5x on 2 cases"]
    assert energy_lines(compare(["a", "b"], of(made))) == []
    counts = found.means.set_index("group")[["n", "older"]].loc["all"].tolist()
    assert counts == [4, 1] and "1 with older sources" not in text(found)


def test_a_machine_has_one_colour_and_marker_in_every_picture_and_comparison() -> None:
    records = of(on("a", 8.0, 2.0), on("b", 1.0, 1.0), on("c", 2.0, 4.0))
    for machine in "abc":
        (results() / machine).mkdir(parents=True)
    found = {}
    for names in ("abc", "cab", "bca"):
        comparison = compare([*names], records)
        best, speeds = (draw(comparison).axes[0] for draw in (best_picture, speeds_picture))
        points = {own.get_label(): own for own in best.lines}
        points |= {f"{own.get_label()} of speeds": own.lines[0] for own in speeds.containers}
        shown = {name: point for name, point in points.items() if not name.startswith("_")}
        assert shown.keys() == {*names, *(f"{name} of speeds" for name in names[1:])}
        for name, point in shown.items():
            found.setdefault(name[0], set()).add((point.get_markerfacecolor(), point.get_marker()))
    assert all(len(looks) == 1 for looks in found.values()) and len(set.union(*found.values())) == 3


def test_another_input_is_never_compared() -> None:
    (other,) = on("b", 1.0)
    other = replace(other, prepared={**(other.prepared or {}), "hash": "f" * 64})
    found = compare(["a", "b"], of(on("a", 1.0), [other]))
    assert found.pairs.empty and json.loads(json.dumps(found.to_json()))["pairs"] == []
    assert found.left_out["reason"].tolist() == ["another input than a's: its content differs"]


@pytest.mark.parametrize(
    ("names", "prices", "said"),
    [("a", {}, "two machines"), ("aa", {}, "two machines"), ("ab", {"c": 1.0}, "price of c: expected one")],
)
def test_fewer_than_two_machines_and_a_price_of_another_are_refused(
    names: str, prices: dict[str, float], said: str
) -> None:
    with pytest.raises(UnknownNameError, match=said):
        compare([*names], of(on("a", 1.0)), prices)


# ---- ceilings


def rates(**numbers: float) -> dict[str, object]:
    return {name: {"per_second": n, "low": n, "high": n, "samples": [n] * 3} for name, n in numbers.items()}


def put_ceilings(machine: str) -> Path:
    gpu = {"name": "card", "threads": None, "rates": rates(copy_bytes=1e12, flops_double=1e13)}
    host = {"name": "cpu", "threads": 8, "rates": rates(copy_bytes=1e11, flops_double=1e12, page_faults=1e5)}
    head = {"schema": 1, "machine": machine, "measured_at": "2025-01-01T00:00:00Z", "versions": {}}
    path = results() / machine / "ceilings.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**head, "host": host, "gpu": gpu, "gpu_reason": ""}))
    return path


def drawn(machines: str, records: Records) -> tuple[list[Any], str]:
    """The panels of their rooflines, and what is written below."""
    figure = rooflines([*machines], records)
    return figure.axes, " ".join(figure.texts[-1].get_text().split())


def test_work_stands_under_the_roof_of_the_device_that_did_it() -> None:
    put_ceilings("a")
    one, two, three = on("a", 2.0, 4.0, 1.0)
    edges, bare = {"edges": 10**9}, [1, 0.25, 2.5e8, True, ""]
    # Of an implementation that is not here the record says on what it ran.
    theirs = replace(two, case=two.case.replace("fill2_gpu", "theirs"), work=edges)
    processor = replace(theirs, device=None, work={})
    counted = replace(one, work={**edges, "bytes": 5 * 10**9})
    records = of([counted, replace(two, work=edges), theirs, replace(three, work={"fills": 3}), processor])
    found = spots(["a"], records)[["cards", "intensity", "rate", "bound", "lacking"]].values.tolist()
    assert found[:3] == [[1, 0.2, 5e8, False, ""], bare, bare]
    assert [row[0::4] for row in found[3:]] == [[1, "counts no operations"], [0, "counts no operations"]]
    (panel,), below = drawn("ab", records)
    (roof,) = panel.lines
    assert np.interp([1.0, 100.0], *roof.get_data()) == pytest.approx([1e12, 1e13], rel=0.01)
    points = np.concatenate([each.get_offsets() for each in panel.collections])
    assert sorted(points.tolist()) == [[0.2, 5e8], [0.25, 2.5e8], [0.25, 2.5e8]]
    names = [each.get_text() for each in panel.get_legend().get_texts()]
    assert names == ["symbolic.fill2_gpu", "symbolic.gsofa", "symbolic.theirs"]
    assert "Without a place" not in below and below.endswith("Without ceilings: b.")
    panels, below = drawn("a", of([replace(one, work={"fills": 3})]))
    assert len(panels) == 2, "without any work each device is shown"
    assert below.endswith("Without a place: counts no operations: symbolic.gsofa.")
    for content, said in (("{", "corrupted"), ('{"schema": 2}', "calibrate")):
        put_ceilings("a").write_text(content)
        with pytest.raises(InputError, match=said):
            roofs("a")


class OnCard(np.ndarray):
    """An array as the probe uses CuPy's, in the host's memory."""

    def set(self, host: np.ndarray) -> None:
        self[:] = host

    def get(self, out: np.ndarray) -> np.ndarray:
        out[:] = self
        return out

    @property
    def data(self) -> SimpleNamespace:  # type: ignore[override]
        return SimpleNamespace(ptr=self)


def copy_to_peer(target: OnCard, there: int, source: OnCard, here: int, size: int) -> None:
    assert (there, here, size) == (1, 0, source.nbytes)
    target[:] = source


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> MagicMock:
    """CuPy with two cards, by NumPy, for probes of a moment each."""
    cupy = MagicMock(matmul=np.matmul, empty_like=np.empty_like, copyto=np.copyto, uint8=np.uint8)
    cupy.ones = lambda shape, dtype="float64": np.ones(shape, dtype).view(OnCard)
    cupy.zeros = lambda shape: np.zeros(shape).view(OnCard)
    cupy.ndarray = lambda shape, dtype, memory: np.frombuffer(memory, dtype)
    cupy.cuda.alloc_pinned_memory = bytearray
    cupy.cuda.malloc_managed.side_effect = bytearray
    cupy.cuda.runtime.memcpyPeer = copy_to_peer
    cupy.cuda.runtime.getDeviceCount.return_value = 2
    cupy.cuda.runtime.deviceCanAccessPeer.return_value = False
    sizes = {"HOST_BYTES": 2**16, "FAULT_BYTES": 2**16, "HOST_ORDER": 8, "GPU_ORDER": 8}
    for name, value in {**sizes, "WARM_UP": 1e-3, "SAMPLE": 1e-3}.items():
        monkeypatch.setattr(ceilings, name, value)
    monkeypatch.setattr(ceilings.device, "free_bytes", lambda: 2**18)
    monkeypatch.setattr(ceilings.device, "identity", lambda: "card")
    monkeypatch.setattr(ceilings.kernels, "available", lambda: (True, ""))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    return cupy


def test_two_gpus_have_ceilings_together_and_their_cases_a_roof(card: MagicMock) -> None:
    put_ceilings("test-machine").write_text("{")
    assert main(["calibrate"]) == 0, "a damaged file is replaced"
    managed = card.cuda.malloc_managed.call_args_list
    assert {call.args for call in managed} == {(2**17,)}, "half of what is free"
    _, one, both = roofs("test-machine")
    assert (one.name, one.cards, both.cards, both.kind) == ("card", 1, 2, "gpus")
    assert {"copy_bytes", "flops_double", "link_to_device_bytes", "page_faults"} <= one.rates.keys()
    assert both.rates.keys() == {"copy_bytes", "flops_double", "peer_bytes"}
    assert min([*one.rates.values(), *both.rates.values()]) > 0
    (plain,) = on("test-machine", 2.0)
    workers = {"": None, ".gpus=2": None, ".ranks=2": 0.0, ".virtual_gpus=2": 1.0}
    facts = {
        n: None if turns is None else {"workers": 2.0, "simulated": turns} for n, turns in workers.items()
    }
    cases = {name: f"symbolic.gsofa_multi{name}@bcsstk18.metis" for name in workers}
    records = [replace(plain, case=cases[n], work={"edges": 8, "facts": facts[n]}) for n in workers]
    assert spots(["test-machine"], of(records))["cards"].tolist() == [1, 2, 2, 1]


def test_what_is_measured_has_to_be_a_calibration(
    card: MagicMock, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ceilings, "host", lambda: {"name": "cpu", "threads": 0, "rates": {}})
    assert main(["calibrate"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "test-machine/ceilings.json: $.host" in line and "run `fillpath calibrate`" in line


@pytest.mark.parametrize(
    ("broken", "code", "said", "left"),
    [
        ("cuda.runtime.memcpyPeer", 1, "gpus: not measured: the probe failed", ["host", "gpu"]),
        ("matmul", 1, "the probe failed: AttributeError", ["host"]),
        ("", 0, "no NVIDIA GPU", ["host"]),
    ],
)
def test_devices_that_cannot_be_measured_cost_not_the_others(
    card: MagicMock, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    broken: str, code: int, said: str, left: list[str],
) -> None:  # fmt: skip
    if broken:
        monkeypatch.delattr(f"cupy.{broken}")
    else:
        monkeypatch.setattr(ceilings.kernels, "available", lambda: (False, said))
    assert main(["calibrate"]) == code and said in capsys.readouterr().out
    first, *others = roofs("test-machine")
    assert [first.kind, *(roof.kind for roof in others)] == left and min(first.rates.values()) > 1e3


def test_a_rate_is_the_median_of_samples_that_last_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call takes as long as the clock is told: 1 ms, in the third sample four times that."""
    now, calls, slow = [0.0], [0], range(341, 361)

    def work() -> None:
        calls[0] += 1
        now[0] += 4e-3 if calls[0] in slow else 1e-3

    monkeypatch.setattr(ceilings.time, "perf_counter", lambda: now[0])
    found = ceilings.rate(work, 8.0)
    warm = calls[0] - ceilings.SAMPLES * round(ceilings.SAMPLE / 1e-3)
    assert warm == pytest.approx(ceilings.WARM_UP / 1e-3, abs=1)
    assert found["per_second"] == pytest.approx(8000.0) and len(found["samples"]) == ceilings.SAMPLES
    assert found["low"] <= found["per_second"] <= found["high"] and min(found["samples"]) < 3000.0


def test_every_part_of_the_array_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[np.ndarray] = []
    empty = np.empty
    monkeypatch.setattr(ceilings.np, "empty", lambda *shape: kept.append(empty(*shape)) or kept[-1])
    monkeypatch.setattr(ceilings, "HOST_BYTES", 8 * 1001)
    monkeypatch.setattr(
        ceilings, "rate", lambda work, amount: (kept[0].fill(2.0), work(), {"amount": amount})[2]
    )
    assert ceilings._host_copy(3) == {"amount": 2 * 8 * 1001}
    assert np.array_equal(kept[0], kept[1]) and len(kept[0]) == 1001


# ---- folders and packs of others


@pytest.fixture
def far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A made-up third party's folder, in a results/ of its own, and its pack beside that."""
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path / "theirs"))
    put(*on("far", 1.0, 2.0))
    (results() / "far" / "machine.json").write_text('{"name": "far"}')
    put_ceilings("far")
    archive.pack("far", tmp_path / "far.tar.gz")
    return results() / "far"


def put(*records: Record) -> None:
    for record in records:
        write_records(record_path(record.machine, record.case), [record])


def repack(source: Path, target: Path, change: Callable[[str, bytes], bytes | None]) -> Path:
    """A pack with some of its members changed, or left out."""
    with tarfile.open(source) as old, tarfile.open(target, "w:gz") as new:
        for member in old.getmembers():
            stream = old.extractfile(member)
            assert stream is not None
            data = change(member.name, stream.read())
            if data is not None:
                member.size = len(data)
                new.addfile(member, io.BytesIO(data))
    return target


@pytest.fixture
def here(far: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A results/ of ours, in which `far` is not yet; where its pack lies."""
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path / "ours"))
    monkeypatch.setattr("fillpath.paths.SITE", tmp_path / "site")
    return tmp_path / "far.tar.gz"


@pytest.mark.parametrize(
    ("changes", "arrives"),
    [
        ({}, False),
        ({"status": Status.NOT_RUN, "key": "b" * 64}, False),
        ({"status": Status.TIMEOUT}, False),
        ({"status": Status.ERROR, "conclusive": False}, False),
        ({"key": "b" * 64, "started_at": "2025-02-01T00:00:00.000000Z"}, False),
        ({"status": Status.WRONG}, True),
        ({"key": "b" * 64}, True),
    ],
)
def test_a_younger_process_hides_no_five_of_its_key_unless_it_failed(
    here: Path, changes: dict[str, Any], arrives: bool
) -> None:
    many = [plain(machine="far", process=number) for number in range(5)]
    one = plain(**{"run_id": "s", "started_at": "2026-02-01T00:00:00.000000Z", "machine": "far", **changes})
    pack, path = here.with_name("one.tar.gz"), record_path("far", one.case)
    write_records(path, [one])
    archive.pack("far", pack)
    write_records(path, many)
    assert archive.unpack(pack) == ("far", 1)
    assert (read_records(path)[-1] == one) is arrives and len(read_records(path)) == 6


def test_a_pack_of_a_third_party_is_merged_and_compared(
    here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(*on("near", 2.0, 2.0))
    assert archive.unpack(here) == ("far", 2)
    assert main(["compare", "near", "far"]) == 0 and "2x (1.5x to 2.67x)" in capsys.readouterr().out
    files = {path.name: path for path in (tmp_path / "site" / "compare" / "near_far").iterdir()}
    assert files.keys() == {"best.csv", "ratios.csv", "speeds.svg", "best.svg", "rooflines.svg"}
    assert "symbolic.gsofa@bcsstk18.metis,far,2.0,1.0,2.0," in files["ratios.csv"].read_text()
    drawn = files["speeds.svg"].read_text()
    assert "near as 1x" in drawn and drawn.count("<!-- 2x -->") == 2, "the axis and the label of far's speed"
    assert main(["check"]) == 0 and "far: 2 records" in capsys.readouterr().out


def without(*endings: str) -> Callable[[str, bytes], bytes | None]:
    return lambda name, data: None if name.endswith(endings) else data


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda name, data: b"x" if name.endswith(SUMS) else data, "no checksum"),
        (without(SUMS, "jsonl"), "partial: it has no records"),
    ],
)
def test_a_damaged_or_partial_pack_is_refused_before_anything_is_written(
    here: Path, tmp_path: Path, change: Callable[[str, bytes], bytes | None], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        archive.unpack(repack(here, tmp_path / "changed.tar.gz", change))
    assert not results().exists()


def test_an_older_pack_has_no_checksums_and_says_so(
    here: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pack = repack(here, tmp_path / "older.tar.gz", without(SUMS))
    assert archive.unpack(pack) == ("far", 2) and "has no checksums" in caplog.text


def test_merging_overwrites_nothing(here: Path) -> None:
    archive.unpack(here)
    (results() / "far" / "machine.json").write_text('{"name": "far", "cores": 3}')
    before = {path: path.read_bytes() for path in results().rglob("*") if path.is_file()}
    assert archive.unpack(here) == ("far", 0)
    assert all(path.read_bytes() == data for path, data in before.items())
    (aside,) = (results() / "far" / archive.ASIDE).rglob("machine.json")
    assert aside.read_text() == '{"name": "far"}', "what came stands aside, not in place of what was there"


def test_a_folder_is_whole_or_says_what_is_wrong(far: Path, tmp_path: Path) -> None:
    assert read(far)[0] == "far: 2 records, readable; packs alone have checksums"
    (far / "machine.json").unlink()
    assert read(far)[0].endswith("; without machine.json")
    path = min((far / "records").iterdir())
    other = path.read_text().replace('"machine":"far"', '"machine":"other"')
    path.write_text(other)
    for folder, said in ((far, "call the folder results/other"), (tmp_path, "partial: it has no records")):
        with pytest.raises(InputError, match=said):
            read(folder)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("records/torn.jsonl", b'{"schema": 1', "torn.jsonl:1: not a record"),
        ("records/bytes.jsonl", b"\xff\xfe\x00", "bytes.jsonl:1: not a record"),
        ("machine.json", b"{", "machine.json: corrupted"),
        ("ceilings.json", b'{"schema": 9}', "calibrate"),
    ],
)
def test_of_a_damaged_folder_nothing_is_taken_and_of_this_machines_own_all_but_the_line(
    far: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, said: str
) -> None:
    put(*on("near", 2.0, 1.0))
    assert Records.load().machines() == ["far", "near"]
    (far / name).write_bytes(content)
    loaded = Records.load()
    assert loaded.machines() == ["near"] and list(loaded.refused) == ["far"] and said in loaded.refused["far"]
    monkeypatch.setenv("FILLPATH_MACHINE", "far")
    min((far / "records").glob("symbolic*")).write_bytes(b"\xff\xfe")
    own = Records.load().of_machine("far")
    assert len(own.rows) == 1 and not Records.load().refused


def test_a_folder_taken_out_of_a_pack_is_held_to_its_checksums(here: Path, tmp_path: Path) -> None:
    subprocess.run(["tar", "xzf", here, "-C", tmp_path], check=True)
    facts = tmp_path / "far" / "machine.json"
    assert "4 files checked" in read(facts.parent)[0]
    for damage, said in ((lambda: facts.write_text("{}"), "corrupted"), (facts.unlink, "partial")):
        damage()
        with pytest.raises(InputError, match=rf"machine\.json: {said}"):
            read(facts.parent)
