"""Run `make figures PROFILE=slurm` on a real Slurm of two nodes, kill one, and show that nothing is lost.

    python tests/slurm_cluster.py

Starts munged, slurmctld and two slurmd of this host's own packages on the loopback device, their files in a
temporary folder, and stops them all at the end, whatever happens; `.ci/slurm` installs the packages. A device
file stands for each node's GPU, so that Slurm hands one out; its cases are unavailable.

1. The embedded suite, both nodes under one machine's name. While a stage is measured, its node loses power:
   slurmd, the job and all that the job started get SIGKILL. The node comes back. The same `make` has to end
   well, with every record that was finished before, none of them measured again, and asv's series of them.
2. One paper, each node under its own name. The launcher gets SIGKILL, so that Slurm's jobs run on without it.
   The same command has to cancel them and to end well.

Exit status 1: a record was lost or made twice, a case has none, or a command failed.
"""

import contextlib
import ctypes
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kill_random import EXPECTED, ViolationError, forget_inputs

from benchmarks.engine import machine
from benchmarks.runs.cases import suite_cases
from fillpath.paths import PAGE, ROOT, WORK
from fillpath.record import Record, Status, read_records
from fillpath.settings import Settings

NODES = ("node1", "node2")
# Finished records of a stage under measurement, before its node is killed.
ENOUGH = 3
_PR_SET_CHILD_SUBREAPER = 36
CONFIGURATION = """
ClusterName=fillpath
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthInfo=socket={folder}/munge.socket,cred_expire=10
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPort={ports[0]}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
MailProg=/bin/true
ReturnToService=2
SlurmdTimeout=10
GresTypes=gpu
NodeName=DEFAULT CPUs={cores} RealMemory={memory} Gres=gpu:1
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]}
NodeName=node2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE
"""
GPUS = "NodeName=node[1-2] Name=gpu File=/dev/zero\n"


@dataclass
class Cluster:
    """Slurm in a folder. daemons : by name, as long as they are meant to run."""

    folder: Path
    daemons: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self) -> None:
        """Returns once both nodes are idle. Raises ViolationError where they are not."""
        (self.folder / "state").mkdir()
        for node in NODES:
            (self.folder / f"spool-{node}").mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(64))
        key.chmod(0o400)
        text = CONFIGURATION.format(
            folder=self.folder,
            host=socket.gethostname().split(".")[0],
            ports=_free_ports(3),
            cores=machine.cores(),
            memory=(machine.facts()["memory"] or 2**33) // 2**20,
        )
        (self.folder / "slurm.conf").write_text(text)
        (self.folder / "gres.conf").write_text(GPUS)
        os.environ["SLURM_CONF"] = str(self.folder / "slurm.conf")
        files = {
            "socket": "socket",
            "key-file": "key",
            "pid-file": "pid",
            "log-file": "log",
            "seed-file": "seed",
        }
        places = [f"--{option}={self.folder}/munge.{name}" for option, name in files.items()]
        # The folder of the socket is another's who may write to it: /tmp is everyone's.
        self.run("munged", "munged", "--foreground", "--force", *places)
        wait_for(lambda: (self.folder / "munge.socket").exists(), 20, "munged to open its socket")
        self.run("slurmctld", "slurmctld", "-D")
        for node in NODES:
            self.start_node(node)
        wait_for(lambda: set(_lines("sinfo", "--noheader", "-N", "-o", "%T")) == {"idle"}, 60, "idle nodes")

    def start_node(self, node: str) -> None:
        self.run(node, "slurmd", "-D", "-N", node)

    def run(self, name: str, *command: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self.daemons[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def lose_power(self, node: str) -> None:
        """Kill the node's slurmd and its jobs, so that nothing of them can tell Slurm."""
        jobs = _lines("squeue", "--noheader", "--states=running", f"--nodelist={node}", "--format=%A")
        steps = tuple(f"slurmstepd: [{job}." for job in jobs)
        # slurmd first, or it would report the end of its jobs.
        self.daemons[node].kill()
        self.daemons.pop(node).wait()
        stepds = [pid for pid in descendants(os.getpid()) if steps and _title(pid).startswith(steps)]
        for pid in [process for stepd in stepds for process in (stepd, *descendants(stepd))]:
            _kill(pid)

    def logs(self) -> str:
        """The end of each daemon's log, and of make's."""
        return "\n".join(
            f"--- {path.name}\n" + "\n".join(path.read_text(errors="replace").splitlines()[-15:])
            for path in sorted(self.folder.rglob("*.log"))
        )


@dataclass
class Trial:
    """`make figures PROFILE=slurm` with results of its own."""

    folder: Path
    settings: Mapping[str, str]

    @property
    def log(self) -> Path:
        return self.folder / "make.log"

    def start(self) -> subprocess.Popen[bytes]:
        self.folder.mkdir(exist_ok=True)
        dropped = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "FILLPATH_PARENT", "FILLPATH_MACHINE")
        environment = {
            **{name: value for name, value in os.environ.items() if name not in dropped},
            "FILLPATH_RESULTS": str(self.folder / "results"),
            "FILLPATH_CACHE": str(self.folder.parent / "cache"),
            **self.settings,
        }
        with self.log.open("ab") as log:
            command = ["make", "figures", "PROFILE=slurm"]
            return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)

    def records(self) -> dict[tuple[str, str], list[Record]]:
        """Every record, by machine and case."""
        paths = sorted((self.folder / "results").glob("*/records/*.jsonl"))
        return {(path.parent.parent.name, path.stem): read_records(path) for path in paths}

    def finished(self) -> dict[tuple[str, str], str]:
        """When each ok record began, by machine and case. Raises ViolationError for two of one."""
        ok = {key: [r.started_at for r in rs if r.status is Status.OK] for key, rs in self.records().items()}
        for (name, case), times in ok.items():
            if len(times) > 1:
                raise ViolationError(f"{case} was measured {len(times)} times on {name}: {times}")
        return {key: times[0] for key, times in ok.items() if times}

    def begun(self) -> list[str]:
        """Nodes at work on a stage of which enough cases are measured already."""
        counts = Counter(case.partition(".")[0] for _, case in self.finished())
        running = _lines("squeue", "--noheader", "--states=running", "--format=%N|%k")
        jobs = [line.partition("|")[::2] for line in running]
        return [
            node for node, rule in jobs if counts[rule.rpartition("rule_measure_wildcards_")[2]] >= ENOUGH
        ]

    def wait_for(self, process: subprocess.Popen[bytes], condition: Callable[[], bool], what: str) -> None:
        """Raises ViolationError where the workflow ends before."""
        wait_for(lambda: condition() or process.poll() is not None, 400, what)
        if process.poll() is not None:
            raise ViolationError(
                f"make ended with exit status {process.returncode} before it could be killed"
            )

    def end(self, process: subprocess.Popen[bytes], before: Mapping[tuple[str, str], str]) -> None:
        """Wait for the workflow; hold what it left against what was finished before."""
        status = process.wait()
        print("\n".join(self.log.read_text(errors="replace").splitlines()[-12:]), flush=True)
        if status:
            raise ViolationError(f"make ended with exit status {status}")
        after = self.finished()
        lost = [key for key, started in before.items() if after.get(key) != started]
        if lost:
            raise ViolationError(f"lost or measured again: {lost}")
        settings = Settings.from_env({**os.environ, **self.settings})
        stored = {case for _, case in self.records()}
        absent = [case.name for case in suite_cases(settings) if case.name not in stored]
        bad = [r for rs in self.records().values() for r in rs[-1:] if r.status not in (Status.OK, *EXPECTED)]
        if absent or bad:
            raise ViolationError(
                f"no record of {absent}; not ok: {[(r.case, r.status, r.reason) for r in bad]}"
            )
        print(f"{len(after)} ok records, {len(before)} of them from before the kill", flush=True)


def node_killed(cluster: Cluster, folder: Path) -> None:
    """The first trial."""
    trial = Trial(folder, {"FILLPATH_MACHINE": "loopback"})
    process = trial.start()
    trial.wait_for(process, lambda: bool(trial.begun()), f"a stage with {ENOUGH} records")
    (node, *_) = trial.begun()
    before = trial.finished()
    cluster.lose_power(node)
    print(f"{node} is killed with {len(before)} ok records stored", flush=True)
    time.sleep(3)
    cluster.start_node(node)
    trial.end(process, before)
    _check_threads(trial)
    _check_series(trial)


def launcher_killed(folder: Path) -> None:
    """The second trial."""
    trial = Trial(folder, {"FILLPATH_PAPER": "glu3", "FILLPATH_DEVICE": "cpu"})
    process = trial.start()
    trial.wait_for(process, lambda: bool(trial.finished()), "a record")
    for pid in descendants(process.pid):
        if _words(pid)[1:3] in (["-m", "benchmarks.runs.launch"], ["-m", "snakemake"]):
            _kill(pid)
    process.wait()
    before = trial.finished()
    print(f"the launcher is killed with {len(before)} ok records stored", flush=True)
    trial.end(trial.start(), before)
    if "cancelling Slurm's jobs of a killed run" not in trial.log.read_text():
        raise ViolationError("Slurm's jobs of the killed run were not cancelled")
    named = {name for name, _ in trial.records()}
    if not named <= set(NODES):
        raise ViolationError(f"records stand under {named}, not under the nodes' names")


def _check_threads(trial: Trial) -> None:
    """A measurement has every core of its node, whatever Slurm binds a step to."""
    used = {r.threads_used for rs in trial.records().values() for r in rs if not r.parts["threads"]} - {None}
    if used != {machine.cores()}:
        raise ViolationError(f"measured with {used} threads on nodes of {machine.cores()} cores")


def _check_series(trial: Trial) -> None:
    """asv's series of a clean commit have the median of each ok case, whichever node wrote it."""
    commit, dirty = machine.git_state()
    if commit is None or dirty:
        print("the tree is not clean: no series to check", flush=True)
        return
    (path,) = (WORK / "asv" / "loopback").glob(f"{commit[:8]}-*.json")
    results = json.loads(path.read_text())["results"]
    rows = [row for name, row in results.items() if name.endswith(".track_seconds")]
    kept = {name.strip("'") for row in rows for name in row[1][0]}
    lacking = {case for _, case in trial.finished()} - kept
    if lacking:
        raise ViolationError(f"asv's series lack {sorted(lacking)}")
    print(f"asv's series of {commit[:8]} hold {len(kept)} cases of {len(rows)} stages", flush=True)


def wait_for(condition: Callable[[], bool], seconds: float, what: str) -> None:
    """Raises ViolationError where it does not come about in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise ViolationError(f"waited {seconds:g} s for {what}")
        time.sleep(0.2)


def descendants(ancestor: int) -> list[int]:
    """Processes below this one."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            parents.setdefault(parent, []).append(int(entry.name))
    found = parents.get(ancestor, [])
    return [*found, *(pid for child in found for pid in _below(child, parents))]


def _below(ancestor: int, parents: Mapping[int, Sequence[int]]) -> Iterator[int]:
    for child in parents.get(ancestor, ()):
        yield child
        yield from _below(child, parents)


def _words(pid: int) -> list[str]:
    try:
        return (Path("/proc") / str(pid) / "cmdline").read_text(errors="replace").split("\0")
    except OSError:
        return []


def _title(pid: int) -> str:
    return " ".join(_words(pid))


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _lines(*command: str) -> list[str]:
    return subprocess.run(command, capture_output=True, text=True).stdout.split()


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def _adopt_orphans() -> None:
    """Become the parent of what daemons leave, so that it can be found and ended."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_everything() -> None:
    for _ in range(5):
        for pid in descendants(os.getpid()):
            _kill(pid)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.2)


def main() -> int:
    missing = [name for name in ("munged", "slurmctld", "slurmd", "squeue") if shutil.which(name) is None]
    if missing:
        print(f"not on PATH: {', '.join(missing)}; .ci/slurm installs them", file=sys.stderr)
        return 2
    _adopt_orphans()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="fillpath-slurm-") as name:
        folder = Path(name)
        # munged: whoever may use the socket has to be able to reach it.
        folder.chmod(0o755)
        cluster = Cluster(folder)
        start = time.monotonic()
        forget_inputs()
        try:
            cluster.start()
            print(f"Slurm runs on 127.0.0.1 after {time.monotonic() - start:.0f} s", flush=True)
            node_killed(cluster, folder / "first")
            print(f"after {time.monotonic() - start:.0f} s: a killed node loses nothing", flush=True)
            launcher_killed(folder / "second")
            print(f"after {time.monotonic() - start:.0f} s: a killed launcher loses nothing", flush=True)
        except ViolationError as error:
            print(f"{cluster.logs()}\n{error}", file=sys.stderr)
            return 1
        finally:
            _end_everything()
            forget_inputs()
            # It links to records that end with this folder.
            PAGE.unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
