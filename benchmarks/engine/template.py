"""Workers that a template forks: a process that has imported what they need, and waits.

A fork takes hundredths of a second, a start with its imports most of a second. Children of one template share
its addresses, so they are no independent processes of a case: they serve where one process measures it. A
template starts no thread and does not touch CUDA. It sleeps while its child works. It dies with its
supervisor, and its child with it.

The supervisor sends the child's standard input, log, and pipe of reports. The template answers with the
child's id and, once the child has ended, with its exit status.

    worker = fork(Setup(os.environ, ["benchmarks.engine.operands"]))
    worker.write(json.dumps(job))
"""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import psutil

from benchmarks.engine import worker
from benchmarks.engine.follow import die_with
from benchmarks.engine.workers import START_SECONDS, AnyWorker, Setup, Worker

# Templates that wait at most, one per number of threads; each holds some 100 MB.
MOST = 4
# Variables that no import reads: a child has those of its job.
_OF_JOBS = ("FILLPATH_", "PYTEST_")


class Template:
    """A template's process, as its supervisor sees it. Raises OSError where it cannot start."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.control.settimeout(START_SECONDS)
        start = [str(theirs.fileno()), str(os.getpid()), *setup.modules]
        nothing = subprocess.DEVNULL
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.engine.template", *start],
                stdin=nothing, stdout=nothing, stderr=nothing,
                env=dict(setup.environment), pass_fds=(theirs.fileno(),),
            )  # fmt: skip

    def answer(self) -> int:
        """Return a child's id or exit status. Raises OSError where the template has ended or is silent."""
        answer = self.control.recv(64)
        if not answer:
            raise ChildProcessError("the template has ended")
        return int(answer)

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self.control.close()


class Forked(AnyWorker):
    """A worker that a template forked. Raises OSError as `Template.answer`, and ends the template then."""

    def __init__(self, template: Template, environment: Mapping[str, str]) -> None:
        (reading, reports), (stdin, telling) = os.pipe(), os.pipe()
        super().__init__(reading)
        self._template = template
        self._stdin = os.fdopen(telling, "w")
        try:
            socket.send_fds(template.control, [b"fork"], (stdin, self._log.fileno(), reports))
            self.pid = template.answer()
        except OSError:
            self._close()
            template.end()
            raise
        finally:
            os.close(stdin)
            os.close(reports)
        self.write(json.dumps({"environment": environment, "folder": str(Path.cwd())}))

    def has_ended(self) -> bool:
        return bool(select.select([self._template.control], [], [], 0)[0])

    def _status(self) -> int:
        """Wait for the exit status, and give up the worker's id. The template waits for the next worker.

        A template that does not answer is ended, and the worker dies with it: a late answer would be taken
        for the id of the next worker.
        """
        try:
            status = self._template.answer()
            self._template.control.send(b"seen")
        except OSError:
            self._template.end()
            return -signal.SIGKILL
        _waiting.append(self._template)
        while len(_waiting) > MOST:
            _waiting.pop(0).end()
        return status


_waiting: list[Template] = []


def fork(setup: Setup) -> Forked | Worker:
    """Return a forked worker with this setup, or a started one where no template answers."""
    of_job = {name: value for name, value in setup.environment.items() if name.startswith(_OF_JOBS)}
    lasting = {name: value for name, value in setup.environment.items() if name not in of_job}
    setup_of_template = replace(setup, environment=lasting)
    for template in [each for each in _waiting if each.setup == setup_of_template]:
        _waiting.remove(template)
        with contextlib.suppress(OSError):
            return Forked(template, of_job)
    with contextlib.suppress(OSError):
        return Forked(Template(setup_of_template), of_job)
    return Worker(setup)


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    die_with(int(sys.argv[2]))
    worker.import_early(sys.argv[3:])
    if "numba" in sys.modules:
        from impl.cpu.compiled import begin_compiler

        begin_compiler()
    _require_nothing_started()
    template = os.getpid()
    while files := socket.recv_fds(control, 64, 3)[1]:
        child = os.fork()
        if child == 0:
            control.close()
            _become_worker(files, template)
            return
        for file in files:
            os.close(file)
        control.send(str(child).encode())
        ended = os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
        assert ended is not None
        status = ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
        control.send(str(status).encode())
        # No other process may have the id until the supervisor has no more use for it.
        control.recv(64)
        os.waitpid(child, 0)


def _become_worker(files: Sequence[int], template: int) -> None:
    """Do in a child what a worker's process does that was started by itself."""
    stdin, log, reports = files
    for file, standard in ((stdin, 0), (log, 1), (log, 2)):
        os.dup2(file, standard)
    os.close(stdin)
    os.close(log)
    worker.die_first(template)
    start = json.loads(sys.stdin.readline())
    for name in [name for name in os.environ if name.startswith(_OF_JOBS)]:
        del os.environ[name]
    os.environ.update(start["environment"])
    os.chdir(start["folder"])
    os.write(reports, b"\n")
    worker.serve(reports)


def _require_nothing_started() -> None:
    """Exit where a child would lack threads that run here, or a CUDA that works.

    BLAS ends its own threads at a fork, and starts them again in a child that needs them.
    """
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    if psutil.Process().num_threads() > 1 or "cupy" in sys.modules:
        sys.exit("the imports of this template started threads or CUDA")


if __name__ == "__main__":
    main()
