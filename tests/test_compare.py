"""Machines side by side: only what all have solved is in a mean, failures stay in sight, damage is not."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from reports.pages.compare import compare
from reports.pages.comparison_text import text
from reports.pages.hardware import draw_comparison

from benchmarks.probes import ceilings
from benchmarks.runs import archive
from commands import main
from fillpath.errors import InputError, UnknownNameError
from fillpath.holdings import SUMS, holdings
from fillpath.paths import results
from fillpath.record import Record, Status, read_records, record_path, write_records
from reports.facts.records import Records
from reports.hardware.roofline import limit, roofs, spots
from tests.reports_fakes import measured

NAMES = ("gsofa", "fill2_gpu", "gsofa.fill_first=true", "gsofa.maxid_ranges=false")


def on(machine: str, *seconds: float | None) -> list[Record]:
    """A record of each of NAMES on that machine; None: it ran out of memory."""
    return [
        measured(name, s, machine=machine)
        if s is not None
        else replace(
            measured(name, 1.0, machine=machine), status=Status.OUT_OF_MEMORY, seconds=[], reason="40 GB"
        )
        for name, s in zip(NAMES, seconds, strict=False)
    ]


def of(*records: list[Record]) -> Records:
    return Records(tuple(record for own in records for record in own))


def test_a_ratio_pairs_one_case_and_its_interval_is_what_the_two_allow() -> None:
    found = compare(["a", "b"], of(on("a", 6.0), on("b", 2.0)))
    (pair,) = found.pairs
    assert pair.ratio == pytest.approx(3.0) and pair.seconds == pytest.approx((6.0, 2.0))
    assert pair.low == pytest.approx(3 * 0.9 / 1.2) and pair.high == pytest.approx(3 * 1.2 / 0.9)


def test_means_are_geometric_over_what_all_have_solved_and_the_rest_is_listed() -> None:
    records = of(on("a", 8.0, 2.0, 5.0, 1.0), on("b", 1.0, 1.0, None), on("c", 2.0, 4.0, 1.0, 1.0))
    found = compare(["a", "b", "c"], records)
    means = {(m.group, m.machine): m for m in found.means}
    assert means["all", "b"].ratio == pytest.approx((8 * 2) ** 0.5) and means["all", "b"].n == 2
    assert means["all", "c"].ratio == pytest.approx((4 * 0.5) ** 0.5)
    assert means["symbolic.gsofa", "b"].ratio == pytest.approx(8) and means["symbolic", "b"].n == 2
    left = {(row.case.partition("@")[0], row.machine): row.reason for row in found.left_out}
    assert left == {
        ("symbolic.gsofa.fill_first=true", "b"): "out of memory: 40 GB",
        ("symbolic.gsofa.maxid_ranges=false", "b"): "no record",
    }
    written = text(found)
    assert "in no mean of the same implementation: 2 cases" in written and "out of memory: 40 GB" in written
    assert json.loads(json.dumps(found.to_json()))["machines"] == ["a", "b", "c"]


def test_another_input_is_never_compared() -> None:
    (other,) = on("b", 1.0)
    assert other.prepared is not None
    other = replace(other, prepared={**other.prepared, "hash": "f" * 64})
    found = compare(["a", "b"], of(on("a", 1.0), [other]))
    assert not found.pairs
    assert found.left_out[0].reason == "another input than a's: its content differs"


@pytest.mark.parametrize("names", [["a"], ["a", "a"]])
def test_fewer_than_two_machines_are_refused(names: list[str]) -> None:
    with pytest.raises(UnknownNameError, match="two machines"):
        compare(names, of(on("a", 1.0)))


# ---- ceilings


def rates(**numbers: float) -> dict[str, object]:
    return {name: {"per_second": n, "low": n, "high": n, "samples": [n] * 3} for name, n in numbers.items()}


def put_ceilings(machine: str, **changes: object) -> Path:
    gpu = {"name": "card", "threads": None, "rates": rates(copy_bytes=1e12, flops_double=1e13)}
    host = {"name": "cpu", "threads": 8, "rates": rates(copy_bytes=1e11, flops_double=1e12, page_faults=1e5)}
    data = {
        "schema": 1, "machine": machine, "measured_at": "2025-01-01T00:00:00Z", "host": host, "gpu": gpu,
        "gpu_reason": "", "versions": {}, **changes,
    }  # fmt: skip
    path = results() / machine / "ceilings.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data))
    return path


def test_work_stands_under_the_roof_of_the_device_that_did_it() -> None:
    put_ceilings("a")
    host, gpu = roofs("a")
    assert (host.cards, gpu.cards) == (0, 1)
    assert (host.kind, gpu.kind, host.faults, gpu.link) == ("host", "gpu", 1e5, None)
    assert limit(gpu, 1.0) == 1e12 and limit(gpu, 100.0) == 1e13
    counted = replace(on("a", 2.0)[0], work={"edges": 10**9, "bytes": 5 * 10**9})
    bare = replace(on("a", 2.0, 4.0)[1], work={"edges": 10**9})
    nothing = replace(on("a", 2.0, 4.0, 1.0)[2], work={"fills": 3})
    found, lacking = spots(gpu, of([counted, bare]))
    assert [(s.intensity, s.rate, s.bound) for s in found] == [(0.2, 5e8, False), (0.25, 2.5e8, True)]
    assert lacking == [] and spots(host, of([counted, bare])) == ([], [])
    _, lacking = spots(gpu, of([nothing]))
    assert [(lack.implementation, lack.reason) for lack in lacking] == [
        ("symbolic.gsofa", "counts no operations")
    ]


def test_an_implementation_that_is_not_here_stands_under_the_roof_of_its_device() -> None:
    put_ceilings("a")
    host, gpu = roofs("a")
    (record, *_) = on("a", 2.0)
    name = record.case.replace("gsofa", "theirs")
    theirs = replace(record, case=name, device="card", work={"edges": 10**9})
    found, _ = spots(gpu, of([theirs]))
    assert [spot.case for spot in found] == [name] and spots(host, of([theirs]))[0] == []


@pytest.mark.parametrize(("text", "said"), [("{", "corrupted"), ('{"schema": 2}', "calibrate")])
def test_damaged_ceilings_are_refused(text: str, said: str) -> None:
    put_ceilings("a").write_text(text)
    with pytest.raises(InputError, match=said):
        roofs("a")


def test_a_comparison_is_drawn_with_and_without_ceilings(tmp_path: Path) -> None:
    records = of(on("a", 1.0, 2.0), on("b", 2.0, None))
    found = compare(["a", "b"], records)
    for with_ceilings in (False, True):
        if with_ceilings:
            put_ceilings("a")
        drawn = draw_comparison(found, records, tmp_path)
        names = [path.name for path in drawn]
        assert names == ["best.csv", "ratios.csv", "best.svg", "rooflines.svg"]
        assert all(path.stat().st_size > 100 for path in drawn)
    assert drawn[1].read_text().splitlines()[1].startswith("symbolic.gsofa@bcsstk18.metis,b,1.0,2.0,0.5")


def test_calibration_writes_what_the_roofline_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOST_BYTES", "FAULT_BYTES"):
        monkeypatch.setattr(ceilings, name, 2**20)
    monkeypatch.setattr(ceilings, "HOST_ORDER", 64)
    monkeypatch.setattr(ceilings, "WARM_UP", 0.01)
    monkeypatch.setattr(ceilings, "SAMPLE", 1e-3)
    monkeypatch.setattr(ceilings.kernels, "available", lambda: (False, "no NVIDIA GPU"))
    path = ceilings.calibrate()
    data = json.loads(path.read_text())
    assert data["gpu"] is None and data["gpu_reason"] == "no NVIDIA GPU"
    (roof,) = roofs(data["machine"])
    assert roof.kind == "host" and roof.copy > 1e7 and roof.flops > 1e7 and (roof.faults or 0) > 1e3


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


class FakeDevice(contextlib.nullcontext[None]):
    def __init__(self, number: int = 0) -> None:
        super().__init__()
        self.number = number

    def synchronize(self) -> None: ...


def card(managed: list[int], count: int = 1) -> SimpleNamespace:
    """What the probe asks of CuPy, by NumPy. managed : sizes of the managed memory that was taken."""

    def copy_to_peer(target: OnCard, there: int, source: OnCard, here: int, size: int) -> None:
        assert (there, here, size) == (1, 0, source.nbytes)
        target[:] = source

    runtime = SimpleNamespace(
        deviceGetAttribute=lambda attribute, number: 1, cudaDevAttrManagedMemory=83, memcpyPeer=copy_to_peer,
        getDeviceCount=lambda: count, deviceCanAccessPeer=lambda one, other: False,
        deviceSynchronize=lambda: None,
    )  # fmt: skip
    return SimpleNamespace(
        uint8=np.uint8, matmul=np.matmul, empty_like=np.empty_like, copyto=np.copyto,
        ones=lambda shape, dtype="float64": np.ones(shape, dtype).view(OnCard),
        zeros=lambda shape: np.zeros(shape).view(OnCard),
        ndarray=lambda shape, dtype, memory: np.frombuffer(memory, dtype),
        cuda=SimpleNamespace(
            Device=FakeDevice, runtime=runtime, alloc_pinned_memory=bytearray,
            malloc_managed=lambda size: (managed.append(size), bytearray(size))[1],
        ),
    )  # fmt: skip


@pytest.fixture
def small_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("HOST_BYTES", 2**16), ("FAULT_BYTES", 2**16), ("HOST_ORDER", 8), ("GPU_ORDER", 8)):
        monkeypatch.setattr(ceilings, name, value)
    monkeypatch.setattr(ceilings, "WARM_UP", 1e-3)
    monkeypatch.setattr(ceilings, "SAMPLE", 1e-3)
    monkeypatch.setattr(ceilings.kernels, "available", lambda: (True, ""))
    monkeypatch.setattr(ceilings.device, "free_bytes", lambda: 2**18)
    monkeypatch.setattr(ceilings.device, "identity", lambda: "card")


@pytest.mark.usefixtures("small_gpu")
def test_two_gpus_have_ceilings_together_and_their_cases_a_roof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", card([], 2))
    assert main(["calibrate"]) == 0
    _, one, both = roofs("test-machine")
    assert (one.cards, one.peer, both.cards, both.kind) == (1, None, 2, "gpus")
    assert both.copy > 0 and both.flops > 0 and (both.peer or 0) > 0
    plain, *others = on("test-machine", 2.0, 2.0, 2.0)
    multi = [replace(plain, case=f"symbolic.gsofa_multi{name}@bcsstk18.metis") for name in ("", ".gpus=2")]
    ranks = replace(others[0], case="symbolic.gsofa_multi.ranks=2@bcsstk18.metis")
    in_turn = replace(others[1], case="symbolic.gsofa_multi.virtual_gpus=2@bcsstk18.metis")
    records = of(
        [replace(record, work={"edges": 8}) for record in multi],
        [replace(ranks, work={"edges": 8, "facts": {"workers": 2.0, "simulated": 0.0}})],
        [replace(in_turn, work={"edges": 8, "facts": {"workers": 2.0, "simulated": 1.0}})],
    )
    where = [sorted(spot.case.split("@")[0] for spot in spots(roof, records)[0]) for roof in (one, both)]
    assert where == [
        ["symbolic.gsofa_multi", "symbolic.gsofa_multi.virtual_gpus=2"],
        ["symbolic.gsofa_multi.gpus=2", "symbolic.gsofa_multi.ranks=2"],
    ]


@pytest.mark.usefixtures("small_gpu")
def test_several_gpus_that_cannot_be_measured_cost_not_the_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = card([], 2)
    del broken.cuda.runtime.memcpyPeer
    monkeypatch.setitem(sys.modules, "cupy", broken)
    assert main(["calibrate"]) == 1 and "gpus: not measured: the probe failed" in capsys.readouterr().out
    assert [roof.kind for roof in roofs("test-machine")] == ["host", "gpu"]


@pytest.mark.usefixtures("small_gpu")
def test_a_gpus_ceilings_take_little_memory_and_a_failure_costs_not_the_hosts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    managed: list[int] = []
    monkeypatch.setitem(sys.modules, "cupy", card(managed))
    assert main(["calibrate"]) == 0
    _, gpu = roofs("test-machine")
    assert gpu.name == "card" and (gpu.link or 0) > 0 and (gpu.faults or 0) > 0
    assert set(managed) == {2**17}, "half of what is free"
    broken = card(managed)
    del broken.matmul
    monkeypatch.setitem(sys.modules, "cupy", broken)
    assert main(["calibrate"]) == 1 and "the probe failed: AttributeError" in capsys.readouterr().out
    assert [roof.kind for roof in roofs("test-machine")] == ["host"]


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
    """A made-up third party's folder, in a results/ of its own."""
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path / "theirs"))
    for record in on("far", 1.0, 2.0):
        write_records(record_path("far", record.case), [record])
    (results() / "far" / "machine.json").write_text('{"name": "far"}')
    put_ceilings("far")
    return results() / "far"


def repack(source: Path, target: Path, change: Callable[[str, bytes], bytes | None]) -> Path:
    """A pack with some of its members changed, or left out."""
    import io

    with tarfile.open(source) as old, tarfile.open(target, "w:gz") as new:
        for member in old.getmembers():
            stream = old.extractfile(member)
            assert stream is not None
            data = change(member.name, stream.read())
            if data is not None:
                member.size = len(data)
                new.addfile(member, io.BytesIO(data))
    return target


def test_a_pack_of_a_third_party_is_merged_and_compared(
    far: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pack = tmp_path / "far.tar.gz"
    archive.pack("far", pack)
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path / "ours"))
    monkeypatch.setattr("fillpath.paths.SITE", tmp_path / "site")
    for record in on("near", 2.0, 2.0):
        write_records(record_path("near", record.case), [record])
    assert archive.unpack(pack) == ("far", 2)
    assert main(["compare", "near", "far"]) == 0
    assert "2x (1.5x to 2.67x)" in capsys.readouterr().out
    assert (tmp_path / "site" / "compare" / "near_far" / "best.svg").is_file()
    assert main(["check"]) == 0 and "far: 2 records" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda name, data: data[:-9] if "fill2_gpu" in name else data,
            "corrupted: records/symbolic.fill2_gpu",
        ),
        (lambda name, data: None if "fill2_gpu" in name else data, "partial: records/symbolic.fill2_gpu"),
        (lambda name, data: b"x" if name.endswith(SUMS) else data, "no checksum"),
        (
            lambda name, data: None if name.endswith((SUMS, "jsonl")) else data,
            "partial: it holds no records",
        ),
    ],
)
def test_a_damaged_or_partial_pack_is_refused_before_anything_is_written(
    far: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    change: Callable[[str, bytes], bytes | None], said: str,
) -> None:  # fmt: skip
    archive.pack("far", tmp_path / "whole.tar.gz")
    pack = repack(tmp_path / "whole.tar.gz", tmp_path / "far.tar.gz", change)
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path / "ours"))
    with pytest.raises(InputError, match=said):
        archive.unpack(pack)
    assert not (tmp_path / "ours").exists()


def test_an_older_pack_has_no_checksums_and_says_so(
    far: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    archive.pack("far", tmp_path / "whole.tar.gz")
    pack = repack(
        tmp_path / "whole.tar.gz", tmp_path / "far.tar.gz",
        lambda name, data: None if name.endswith(SUMS) else data,
    )  # fmt: skip
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path / "ours"))
    assert archive.unpack(pack) == ("far", 2) and "has no checksums" in caplog.text


def test_merging_overwrites_nothing(far: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack = tmp_path / "far.tar.gz"
    archive.pack("far", pack)
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path / "ours"))
    archive.unpack(pack)
    own = results() / "far" / "machine.json"
    own.write_text('{"name": "far", "cores": 3}')
    before = {path: path.read_bytes() for path in results().rglob("*") if path.is_file()}
    assert archive.unpack(pack) == ("far", 0)
    assert all(path.read_bytes() == data for path, data in before.items())
    (aside,) = (results() / "far" / archive.ASIDE).rglob("machine.json")
    assert aside.read_text() == '{"name": "far"}', "what came stands aside, not in place of what was there"


def test_a_folder_is_whole_or_says_what_is_wrong(far: Path, tmp_path: Path) -> None:
    assert holdings(far).text == "far: 2 records, no checksums"
    (far / "machine.json").unlink()
    assert holdings(far).without == ("machine.json",)
    (path, _) = sorted((far / "records").iterdir())
    line = path.read_text()
    path.write_text(line[:-40])
    with pytest.raises(InputError, match=r"fill2_gpu.*:1: corrupted"):
        holdings(far)
    path.write_text(line.replace('"machine":"far"', '"machine":"other"'))
    with pytest.raises(InputError, match="call the folder results/other"):
        holdings(far)
    with pytest.raises(InputError, match="partial: it has no records"):
        holdings(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("records/torn.jsonl", b'{"schema": 1', "torn.jsonl:1: corrupted"),
        ("records/bytes.jsonl", b"\xff\xfe\x00", "bytes.jsonl:1: corrupted"),
        ("machine.json", b"{", "machine.json: corrupted"),
        ("ceilings.json", b'{"schema": 9}', "calibrate"),
    ],
)
def test_a_damaged_folder_of_another_is_left_out_whole_and_says_why(
    far: Path, name: str, content: bytes, said: str
) -> None:
    for record in on("near", 2.0, 1.0):
        write_records(record_path("near", record.case), [record])
    assert Records.load().machines() == ["far", "near"]
    (far / name).write_bytes(content)
    loaded = Records.load()
    assert loaded.machines() == ["near"] and list(loaded.refused) == ["far"] and said in loaded.refused["far"]


def test_of_this_machines_own_folder_only_the_damaged_line_is_lost(
    far: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILLPATH_MACHINE", "far")
    sorted((far / "records").iterdir())[0].write_bytes(b"\xff\xfe")
    loaded = Records.load()
    assert loaded.machines() == ["far"] and len(loaded.rows) == 1 and not loaded.refused


def test_a_folder_taken_out_of_a_pack_is_held_to_its_checksums(far: Path, tmp_path: Path) -> None:
    archive.pack("far", tmp_path / "far.tar.gz")
    (tmp_path / "by_hand").mkdir()
    subprocess.run(["tar", "xzf", tmp_path / "far.tar.gz", "-C", tmp_path / "by_hand"], check=True)
    folder = tmp_path / "by_hand" / "far"
    assert holdings(folder).checked == 4
    (folder / "machine.json").write_text("{}")
    with pytest.raises(InputError, match=r"machine\.json: corrupted"):
        holdings(folder)
    (folder / "machine.json").unlink()
    with pytest.raises(InputError, match=r"machine\.json: partial"):
        holdings(folder)


def test_an_older_schema_is_read_as_todays_and_said(far: Path) -> None:
    """From before the schema had a number: what a record lacks is unknown, what it says stands."""
    path = sorted((far / "records").iterdir())[0]
    data = json.loads(path.read_text())
    for name in ("schema", "suspect", "conclusive", "kernel_seconds", "clocks", "throttle", "series"):
        data.pop(name)
    path.write_text(json.dumps(data) + "\n")
    (record,) = read_records(path)
    assert record.schema == 1 and record.clocks is None and record.conclusive and record.median == 2.0
    assert holdings(far).text == "far: 2 records, 1 of an older schema read as version 1, no checksums"
    data.pop("verified")
    path.write_text(json.dumps(data) + "\n")
    with pytest.raises(InputError, match="verified"):
        holdings(far)
