"""Machines side by side: a mean is over what both have solved, failures stay in sight, damage is not."""

from __future__ import annotations

import contextlib
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

import numpy as np
import pytest

from benchmarks.probes import ceilings
from benchmarks.runs import archive
from commands import main
from fillpath.errors import InputError, UnknownNameError
from fillpath.holdings import SUMS, holdings
from fillpath.paths import results
from fillpath.record import Record, Status, read_records, record_path, write_records
from reports.facts.records import Records
from reports.hardware.comparison import compare
from reports.hardware.pictures import draw_comparison
from reports.hardware.roofline import rooflines, roofs, spots
from reports.hardware.text import text
from tests.reports_fakes import measured

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
    assert means["symbolic.gsofa", "b"] == pytest.approx([8, 1])
    rows = found.left_out.assign(case=found.left_out["case"].str.partition("@")[0])
    left = [": ".join(row) for row in rows.astype(str).values]
    assert sorted(left) == [
        "symbolic.gsofa.fill_first=true: b: out of memory: 40 GB",
        "symbolic.gsofa.maxid_ranges=false: b: no record",
        "symbolic.gsofa.maxid_ranges=false: c: no record",
        "symbolic.out_of_core: a: out of memory: 40 GB",
    ]
    assert "of the same implementation: 3 cases" in text(found) and "b: out of memory: 40 GB" in text(found)


def test_another_input_is_never_compared() -> None:
    (other,) = on("b", 1.0)
    other = replace(other, prepared={**(other.prepared or {}), "hash": "f" * 64})
    found = compare(["a", "b"], of(on("a", 1.0), [other]))
    assert found.pairs.empty and json.loads(json.dumps(found.to_json()))["pairs"] == []
    assert found.left_out["reason"].tolist() == ["another input than a's: its content differs"]


@pytest.mark.parametrize("names", [["a"], ["a", "a"]])
def test_fewer_than_two_machines_are_refused(names: list[str]) -> None:
    with pytest.raises(UnknownNameError, match="two machines"):
        compare(names, of(on("a", 1.0)))


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


def test_work_stands_under_the_roof_of_the_device_that_did_it() -> None:
    put_ceilings("a")
    under = [(roof.kind, roof.cards, roof.faults, roof.link) for roof in roofs("a")]
    assert under == [("host", 0, 1e5, None), ("gpu", 1, None, None)]
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
    (panel,), below = drawn(["a", "b"], records)
    roof, *points = (line.get_xydata() for line in panel.lines)
    assert np.interp([1.0, 100.0], *roof.T) == pytest.approx([1e12, 1e13], rel=0.01)
    assert sorted(np.concatenate(points).tolist()) == [[0.2, 5e8], [0.25, 2.5e8], [0.25, 2.5e8]]
    names = [each.get_text() for each in panel.get_legend().get_texts()]
    assert names == ["symbolic.fill2_gpu", "symbolic.gsofa", "symbolic.theirs"]
    assert "Without a place" not in below and below.endswith("Without ceilings: b.")
    panels, below = drawn(["a"], of([replace(one, work={"fills": 3})]))
    assert len(panels) == 2, "without any work each device is shown"
    assert below.endswith("Without a place: counts no operations: symbolic.gsofa.")


def drawn(machines: list[str], records: Records) -> tuple[list[Any], str]:
    """The panels of their rooflines, and what is written below."""
    figure = rooflines(machines, records)
    return figure.axes, " ".join(figure.texts[-1].get_text().split())


@pytest.mark.parametrize(("text", "said"), [("{", "corrupted"), ('{"schema": 2}', "calibrate")])
def test_damaged_ceilings_are_refused(text: str, said: str) -> None:
    put_ceilings("a").write_text(text)
    with pytest.raises(InputError, match=said):
        roofs("a")


def test_a_comparison_is_drawn_with_and_without_ceilings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fillpath.paths.SITE", tmp_path)
    records = of(on("a", 1.0, 2.0), on("b", 2.0, None))
    for _ in range(2):
        drawn = draw_comparison(compare(["a", "b"], records), records)
        assert [path.name for path in drawn] == ["best.csv", "ratios.csv", "best.svg", "rooflines.svg"]
        assert all(path.stat().st_size > 100 for path in drawn)
        put_ceilings("a")
    assert drawn[1].read_text().splitlines()[1].startswith("symbolic.gsofa@bcsstk18.metis,b,1.0,2.0,0.5")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Probes of a moment each."""
    for name, value in (("HOST_BYTES", 2**16), ("FAULT_BYTES", 2**16), ("HOST_ORDER", 8), ("GPU_ORDER", 8)):
        monkeypatch.setattr(ceilings, name, value)
    monkeypatch.setattr(ceilings, "WARM_UP", 1e-3)
    monkeypatch.setattr(ceilings, "SAMPLE", 1e-3)
    monkeypatch.setattr(ceilings.device, "free_bytes", lambda: 2**18)
    monkeypatch.setattr(ceilings.device, "identity", lambda: "card")


@pytest.mark.usefixtures("small")
def test_calibration_writes_what_the_roofline_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ceilings.kernels, "available", lambda: (False, "no NVIDIA GPU"))
    data = json.loads(ceilings.calibrate().read_text())
    assert data["gpu"] is None and data["gpu_reason"] == "no NVIDIA GPU"
    (roof,) = roofs(data["machine"])
    assert roof.kind == "host" and min(roof.copy, roof.flops) > 1e5 and (roof.faults or 0) > 1e3


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
def small_gpu(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ceilings.kernels, "available", lambda: (True, ""))


@pytest.mark.usefixtures("small_gpu")
def test_two_gpus_have_ceilings_together_and_their_cases_a_roof(monkeypatch: pytest.MonkeyPatch) -> None:
    managed: list[int] = []
    monkeypatch.setitem(sys.modules, "cupy", card(managed, 2))
    assert main(["calibrate"]) == 0 and set(managed) == {2**17}, "half of what is free"
    _, one, both = roofs("test-machine")
    assert (one.name, one.cards, one.peer, both.cards, both.kind) == ("card", 1, None, 2, "gpus")
    assert (one.link or 0) > 0 and (one.faults or 0) > 0 and min(both.copy, both.flops, both.peer or 0) > 0
    (plain,) = on("test-machine", 2.0)
    workers = {"": None, ".gpus=2": None, ".ranks=2": 0.0, ".virtual_gpus=2": 1.0}
    records = [
        replace(
            plain,
            case=f"symbolic.gsofa_multi{name}@bcsstk18.metis",
            work={"edges": 8, "facts": None if turns is None else {"workers": 2.0, "simulated": turns}},
        )
        for name, turns in workers.items()
    ]
    assert spots(["test-machine"], of(records))["cards"].tolist() == [1, 2, 2, 1]


@pytest.mark.usefixtures("small_gpu")
@pytest.mark.parametrize(
    ("broken", "said", "left"),
    [
        ("cuda.runtime.memcpyPeer", "gpus: not measured: the probe failed", ["host", "gpu"]),
        ("matmul", "the probe failed: AttributeError", ["host"]),
    ],
)
def test_devices_that_cannot_be_measured_cost_not_the_others(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    broken: str,
    said: str,
    left: list[str],
) -> None:
    fake = card([], 2)
    monkeypatch.delattr(fake, broken) if "." not in broken else delattr(fake.cuda.runtime, "memcpyPeer")
    monkeypatch.setitem(sys.modules, "cupy", fake)
    assert main(["calibrate"]) == 1 and said in capsys.readouterr().out
    assert [roof.kind for roof in roofs("test-machine")] == left


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


def test_a_pack_of_a_third_party_is_merged_and_compared(
    here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(*on("near", 2.0, 2.0))
    assert archive.unpack(here) == ("far", 2)
    assert main(["compare", "near", "far"]) == 0 and "2x (1.5x to 2.67x)" in capsys.readouterr().out
    assert (tmp_path / "site" / "compare" / "near_far" / "best.svg").is_file()
    assert main(["check"]) == 0 and "far: 2 records" in capsys.readouterr().out


def without(*endings: str) -> Callable[[str, bytes], bytes | None]:
    return lambda name, data: None if name.endswith(endings) else data


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda name, data: data[:-9] if "fill2_gpu" in name else data, "corrupted: records/symbolic.fill2"),
        (lambda name, data: None if "fill2_gpu" in name else data, "partial: records/symbolic.fill2_gpu"),
        (lambda name, data: b"x" if name.endswith(SUMS) else data, "no checksum"),
        (without(SUMS, "jsonl"), "partial: it holds no records"),
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
    assert holdings(far).text == "far: 2 records, no checksums"
    (far / "machine.json").unlink()
    assert holdings(far).without == ("machine.json",)
    path = min((far / "records").iterdir())
    line = path.read_text()
    other = line.replace('"machine":"far"', '"machine":"other"')
    for content, said in (
        (line[:-40], r"fill2_gpu.*:1: corrupted"),
        (other, "call the folder results/other"),
    ):
        path.write_text(content)
        with pytest.raises(InputError, match=said):
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
    put(*on("near", 2.0, 1.0))
    assert Records.load().machines() == ["far", "near"]
    (far / name).write_bytes(content)
    loaded = Records.load()
    assert loaded.machines() == ["near"] and list(loaded.refused) == ["far"] and said in loaded.refused["far"]


def test_of_this_machines_own_folder_only_the_damaged_line_is_lost(
    far: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILLPATH_MACHINE", "far")
    min((far / "records").iterdir()).write_bytes(b"\xff\xfe")
    loaded = Records.load()
    assert loaded.machines() == ["far"] and len(loaded.rows) == 1 and not loaded.refused


def test_a_folder_taken_out_of_a_pack_is_held_to_its_checksums(here: Path, tmp_path: Path) -> None:
    subprocess.run(["tar", "xzf", here, "-C", tmp_path], check=True)
    folder = tmp_path / "far"
    assert holdings(folder).checked == 4
    (folder / "machine.json").write_text("{}")
    with pytest.raises(InputError, match=r"machine\.json: corrupted"):
        holdings(folder)
    (folder / "machine.json").unlink()
    with pytest.raises(InputError, match=r"machine\.json: partial"):
        holdings(folder)


def test_an_older_schema_is_read_as_todays_and_said(far: Path) -> None:
    """From before the schema had a number: what a record lacks is unknown, what it says stands."""
    path = min((far / "records").iterdir())
    newer = ("schema", "suspect", "conclusive", "kernel_seconds", "clocks", "throttle", "series")
    data = {name: value for name, value in json.loads(path.read_text()).items() if name not in newer}
    path.write_text(json.dumps(data) + "\n")
    (record,) = read_records(path)
    assert record.schema == 1 and record.clocks is None and record.conclusive and record.median == 2.0
    assert holdings(far).text == "far: 2 records, 1 of an older schema read as version 1, no checksums"
    data.pop("verified")
    path.write_text(json.dumps(data) + "\n")
    with pytest.raises(InputError, match="verified"):
        holdings(far)
