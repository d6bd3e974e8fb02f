"""Whose results a folder holds: hosts of one name, nodes of one kind, a host whose parts were changed."""

import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.engine import machine
from benchmarks.engine import measure as measuring
from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import measure
from benchmarks.runs import archive, launch
from commands import main
from fillpath import hardware, host
from fillpath.errors import ConfigError, InputError
from fillpath.paths import ROOT, results
from fillpath.record import Record, Status, read_records, record_path

CASE = "symbolic.fill1@grid2d,6.metis"
LIMITS = Limits(samples=3, forked=True)
KINDS = ("h200", "h200-x2", "vm")
GOES = "what is measured here goes to results/"
Become = Callable[..., None]


@pytest.fixture
def become(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Become:
    """Make this process one of another host: its machine's id, name, CPU, cores and GPUs."""
    proc = tmp_path / "proc"

    def as_host(
        id: str, name: str = "vm", cpu: str = "Ideal CPU", cores: int = 2, gpu: str = "", boot: str = "0-1"
    ) -> None:
        proc.mkdir(exist_ok=True)
        board = proc / "product_name"
        board.write_text("Ideal board\n" if id else "")
        digits = hashlib.md5(id.encode()).hexdigest() if id else "uninitialized"
        (proc / "machine-id").write_text(f"{digits}\n")
        (proc / "boot_id").write_text(f"{boot}\n")
        (proc / "cpuinfo").write_text(f"processor\t: 0\nmodel name\t: {cpu}\n\nprocessor\t: 1\n")
        card = proc / "gpus" / "0000:01:00.0" / "information"
        card.parent.mkdir(parents=True, exist_ok=True)
        card.write_text(f"Model: \t\t {gpu}\nIRQ:   16\n" if gpu else "")
        monkeypatch.setattr(hardware, "_MACHINE_ID", proc / "machine-id")
        monkeypatch.setattr(hardware, "_BOARD", (proc / "nothing", board))
        monkeypatch.setattr(hardware, "_BOOT_ID", proc / "boot_id")
        monkeypatch.setattr(hardware, "_CPUINFO", proc / "cpuinfo")
        monkeypatch.setattr(hardware, "_GPUS", proc / "gpus")
        monkeypatch.setattr(hardware.os, "cpu_count", lambda: cores)
        monkeypatch.setattr(host.socket, "gethostname", lambda: f"{name}.local")
        hardware.fingerprint.cache_clear()
        machine.cores.cache_clear()

    monkeypatch.delenv("FILLPATH_MACHINE")
    monkeypatch.delenv("SLURMD_NODENAME", raising=False)
    yield as_host
    hardware.fingerprint.cache_clear()
    machine.cores.cache_clear()


def facts(name: str) -> dict[str, object]:
    return dict(json.loads((results() / name / "machine.json").read_text()))


def stored(name: str) -> list[Record]:
    return read_records(record_path(name, CASE))


def test_of_two_hosts_of_one_name_the_second_takes_a_free_one(
    become: Become, shared_cache: None, forked_workers: None, capsys: pytest.CaptureFixture[str]
) -> None:
    become("first")
    first = measure(CASE, LIMITS)
    assert first.status is Status.OK and first.machine == "vm" and first.host == hardware.identity()
    assert host.name_message() == ""
    become("second")
    second = measure(CASE, LIMITS)
    assert second.machine == "vm-2" and second.host not in (None, first.host)
    assert second.run_id != first.run_id, "the stranger's record was adopted"
    prepared = ["--matching", "none", "--ordering", "metis", "--samples", "3"]
    by_hand = ["run", "symbolic", "fill1", "grid2d:6", *prepared]
    capsys.readouterr()
    assert main(by_hand) == 0
    heading = capsys.readouterr().err.splitlines()[0]
    assert heading.startswith(f"fillpath: results/vm is of another host: {GOES}vm-2")
    become("third")
    assert host.machine_name() == "vm-3"
    for id, name in (("first", "vm"), ("second", "vm-2")):
        become(id)
        assert host.machine_name() == name and len(stored(name)) == 1
        assert facts(name)["host"] == hardware.fingerprint()


def test_nodes_of_one_kind_share_what_they_measure(
    become: Become, shared_cache: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILLPATH_MACHINE", "kind")
    become("node 1", "n1", gpu="Card 9")
    first = measure(CASE, LIMITS)
    assert facts("kind")["host"] == hardware.fingerprint()
    # A node without its card's driver is no other kind, and takes no knowledge of the card away.
    become("node 2", "n2")
    assert measure(CASE, LIMITS) == first
    second = measure(CASE, LIMITS, fresh=True)
    assert second.machine == "kind" and second.host != first.host and len(stored("kind")) == 2
    assert facts("kind")["host"] is None and facts("kind")["gpus"] == ["Card 9"]
    # What is of several hosts is no single host's any more, though it may be called so.
    monkeypatch.delenv("FILLPATH_MACHINE")
    become("node 1", "kind", gpu="Card 9")
    assert host.machine_name() == "kind-2"
    assert "FILLPATH_MACHINE=kind adds to it" in host.name_message()


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"gpu": "Card 10"}, "GPU Card 9 there, Card 10 here"),
        ({"cores": 4}, "cores 2 there, 4 here"),
        ({"cpu": "Other CPU"}, "CPU Ideal CPU there, Other CPU here"),
    ],
)
def test_a_host_of_another_kind_is_refused_before_it_measures(
    become: Become,
    shared_cache: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, object],
    difference: str,
) -> None:
    monkeypatch.setenv("FILLPATH_MACHINE", "kind")
    become("node", gpu="Card 9")
    machine.write_facts()
    before = facts("kind")
    become("node", **{"gpu": "Card 9", **changes})
    refusal = f"FILLPATH_MACHINE=kind: this host is of another kind than results/kind: {difference}"
    for refused in (lambda: measure(CASE, LIMITS), machine.write_facts, launch.figures):
        with pytest.raises(ConfigError, match=refusal):
            refused()
    assert main(["run", "symbolic", "fill1", "grid2d:6"]) == 2 and refusal in capsys.readouterr().err
    assert main(["doctor"]) == 0 and refusal in capsys.readouterr().out
    assert not record_path("kind", CASE).exists() and facts("kind") == before


def test_memory_is_no_difference(become: Become, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILLPATH_MACHINE", "kind")
    become("node")
    machine.write_facts()
    path = results() / "kind" / "machine.json"
    path.write_text(json.dumps({**facts("kind"), "memory": 1}))
    machine.write_facts()
    assert facts("kind")["memory"] != 1


def test_a_host_whose_gpu_was_changed_takes_a_free_name(become: Become) -> None:
    become("box", gpu="Card 9")
    machine.write_facts()
    become("box", gpu="Card 10")
    assert host.machine_name() == "vm-2"
    changed = "results/vm is of other hardware (GPU Card 9 there, Card 10 here)"
    assert host.name_message() == f"{changed}: {GOES}vm-2"
    machine.write_facts()
    become("box", gpu="Card 9")
    assert host.machine_name() == "vm"
    become("box")
    assert host.machine_name() == "vm", "a card that cannot be seen is no other card"


DAMAGED = ["[1]", "{torn", '{"gpus": 7}', '{"gpus": [null]}', '{"cores": "2"}', "<<<<<<< HEAD"]


@pytest.mark.parametrize("text", ["{}", '{"name": "vm"}', '{"host": null}', *DAMAGED])
def test_a_folder_of_nobody_known_is_nobodys(become: Become, text: str) -> None:
    """A committed folder is a kind of machine: nothing but FILLPATH_MACHINE leads there."""
    become("box")
    assert host.machine_name() == "vm"
    (results() / "vm").mkdir(parents=True)
    assert host.machine_name() == "vm", "an empty folder is free"
    (results() / "vm" / "machine.json").write_text(text)
    assert host.machine_name() == "vm-2"


@pytest.mark.parametrize("text", DAMAGED)
def test_a_kind_that_cannot_be_read_is_refused(
    become: Become, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("FILLPATH_MACHINE", "kind")
    become("box")
    machine.write_facts()
    path = results() / "kind" / "machine.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"kind/machine.json: corrupted: .*correct it or remove it"):
        machine.write_facts()
    assert path.read_text() == text


def test_fewer_cores_for_a_process_make_no_other_host(
    become: Become, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As under taskset, in a job of a few cores, and of ranks that mpirun binds."""
    become("box", cores=8)
    machine.write_facts()
    monkeypatch.setattr(machine.os, "sched_getaffinity", lambda _: {0})
    machine.cores.cache_clear()
    assert host.machine_name() == "vm" and machine.cores() == 1
    machine.write_facts()
    assert facts("vm")["cores"] == 8


def test_a_name_is_taken_before_anything_is_measured(
    become: Become, shared_cache: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    become("first")
    seen = []

    def supervised(*arguments: object) -> Record:
        become("second")
        seen.append(host.machine_name())
        become("first")
        raise KeyboardInterrupt

    monkeypatch.setattr(measuring, "run_worker", supervised)
    with pytest.raises(KeyboardInterrupt):
        measure(CASE, LIMITS)
    assert seen == ["vm-2"] and host.machine_name() == "vm"


def test_a_strangers_pack_is_never_merged_into_a_hosts_own(
    become: Become, shared_cache: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    become("far")
    far = measure(CASE, LIMITS)
    pack = tmp_path / "vm.tar.gz"
    archive.pack("vm", pack)
    shutil.rmtree(results() / "vm")
    become("near")
    # Nothing is measured here yet: the folder is the other host's from now on.
    assert archive.unpack(pack) == ("vm", 1)
    assert host.machine_name() == "vm-2" and stored("vm") == [far]
    shutil.rmtree(results() / "vm")
    near = measure(CASE, LIMITS)
    assert near.machine == "vm"
    with pytest.raises(InputError, match=r"results/vm is this host's own, and only measured here"):
        archive.unpack(pack)
    assert stored("vm") == [near]
    # As a kind of machine both belong there, and the folder is no single host's any more.
    monkeypatch.setenv("FILLPATH_MACHINE", "vm")
    assert archive.unpack(pack) == ("vm", 1) and len(stored("vm")) == 2
    assert facts("vm")["host"] is None
    monkeypatch.delenv("FILLPATH_MACHINE")
    assert host.machine_name() == "vm-2"


def test_records_without_facts_are_nobodys(become: Become) -> None:
    become("box")
    (results() / "vm" / "records").mkdir(parents=True)
    assert host.machine_name() == "vm-2"


def test_the_fingerprint_is_no_id_and_outlasts_a_restart(become: Become) -> None:
    become("box")
    first = hardware.fingerprint()
    assert len(first) == 16 and first not in hardware._MACHINE_ID.read_text()
    become("box", name="renamed", cores=3, gpu="Card 9", boot="0-2")
    assert hardware.fingerprint() == first
    become("another")
    assert hardware.fingerprint() != first


def test_hosts_without_an_id_are_never_taken_for_each_other(become: Become) -> None:
    """Containers and lent machines may share their name, too."""
    become("", boot="0-1")
    machine.write_facts()
    assert host.machine_name() == "vm"
    become("", boot="0-2")
    assert host.machine_name() == "vm-2"


def test_committed_folders_are_kinds_of_machines() -> None:
    for path in (ROOT / "results" / name / "machine.json" for name in KINDS):
        committed = subprocess.run(
            ["git", "-C", str(ROOT), "show", f"HEAD:{path.relative_to(ROOT)}"], capture_output=True, text=True
        )
        if committed.returncode == 0:
            facts = json.loads(committed.stdout)
            assert facts["host"] is None and {"cpu", "cores", "gpus"} <= facts.keys(), path
