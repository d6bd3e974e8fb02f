"""`Record` v1: everything that is known of one measurement. Later versions only add.

A file `results/<machine>/records/<case>.jsonl` holds the records of one case, one per line. Figures show the
last record. The file is rewritten whole (write, fsync, rename), so that a crash never costs a finished
measurement. Superseded records may lie in the machine's archive (fillpath/earlier.py).

    *_, last = read_records(record_path("h100", "symbolic.gsofa@HB+bcsstk18.metis"))
    last.status, last.median    # Status.OK, seconds
"""

import functools
import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from operator import lt
from pathlib import Path
from statistics import median
from typing import Any, Self

import fastjsonschema

from fillpath import LOG, earlier
from fillpath.case import Case
from fillpath.config import schema_of, violation
from fillpath.errors import ConfigError, InputError, UnknownNameError
from fillpath.nouns import content_hash
from fillpath.paths import results, write_text

SCHEMA_VERSION = 1
# The phase in which an implementation makes b. Every user of a solver has a b, so `Record.samples` leaves the
# phase out. Files keep its seconds.
RIGHT_HAND_SIDE = "right_hand_side"


class Status(StrEnum):
    """The outcome of a measurement: exactly one of these."""

    OK = "ok"
    WRONG = "wrong"
    UNSUPPORTED = "unsupported"
    UNAVAILABLE = "unavailable"
    OUT_OF_MEMORY = "out_of_memory"
    TIMEOUT = "timeout"
    ERROR = "error"
    NOT_RUN = "not_run"


# Statuses of a case that was not tried. Any other failure is a result.
UNTRIED = (Status.NOT_RUN, Status.UNAVAILABLE)

_BY_NORMS = ("relative residual", "||A - L U||_F / ||A||_F", "||b - L x|| / ||b||")


@dataclass(frozen=True)
class Verified:
    """The gate's verdict on a result.

    by : str, the reference that it was held against
    method : str, how
    value : float, the number of differing rows, or a residual
    bound : float, the largest value of a right result
    """

    by: str
    method: str
    value: float
    bound: float

    @property
    def by_norms(self) -> bool:
        """Return whether an older gate held it by norms of the whole matrix, which hide small rows."""
        return self.method in _BY_NORMS

    @property
    def passes(self) -> bool:
        """Return whether the result is right; a nan is not."""
        return bool(self.value <= self.bound)


@dataclass(frozen=True)
class Record:
    """One measurement, schema v1. A fact that could not be read is None, never guessed.

    key : str, hash of (case, prepared input, implementation's sources, machine)
    prepared : dict, hash and provenance of the input
    seconds : list of float, every sample by its clock, in the order taken, s. From input resident to result
        resident, with allocations and RIGHT_HAND_SIDE; readers take `samples`
    phases : dict of lists of float, each sample's share by phase, s. A GPU case has `to_device` and `to_host`
        too, per transfer, which are not part of `seconds`
    kernel_seconds : list of float, from device events around the call, s; readers take `kernel_samples`
    work : dict, the counts of `Work`, with its facts under `facts` (absent from older records)
    peak_memory : int, by which the process grew while sampling; for a GPU case, the device's pool, bytes
    verified : Verified, the gate's verdict
    suspect : bool, whether it was faster than the bytes allow
    conclusive : bool, False if the failure was not the implementation's own: the next call measures again
    threads_used : int, CPU threads that it could use
    limit_seconds, memory_limit : float, int, the limits that it ran under, s and bytes
    longer_than : float, of the first call when a limit of time ended it, s; None where none ran
    process : int, which of the run's worker processes measured it, from 0; None in older records, of one
    energy : list of float, per sample, J; None where the machine has no counter
    host : str, differs between hosts, and between two starts of a host; None in older records
    host_facts : dict, of the processor's state, from fillpath/hardware.py
    device : str, the GPU; for a MIG slice with its UUID
    gpu : dict, facts of the GPU, from impl/cuda/device.py
    clocks, throttle : dict, list of str, after the last sample, MHz, and the causes of low clocks
    series : str, a file under results/<machine>/
    rekeyed_from : str, the key it was measured under, if keys were made differently then
    """

    case: str
    parts: dict[str, Any]
    key: str
    status: Status
    reason: str
    run_id: str
    started_at: str
    machine: str
    prepared: dict[str, Any] | None = None
    seconds: list[float] = field(default_factory=list)
    phases: dict[str, list[float]] = field(default_factory=dict)
    kernel_seconds: list[float] | None = None
    work: dict[str, Any] | None = None
    peak_memory: int | None = None
    verified: Verified | None = None
    suspect: bool = False
    conclusive: bool = True
    threads_used: int | None = None
    limit_seconds: float | None = None
    memory_limit: int | None = None
    host: str | None = None
    host_cpu: str | None = None
    device: str | None = None
    gpu: dict[str, Any] | None = None
    driver: str | None = None
    cuda: str | None = None
    clocks: dict[str, Any] | None = None
    throttle: list[str] | None = None
    versions: dict[str, str] = field(default_factory=dict)
    commit: str | None = None
    dirty: bool | None = None
    series: str | None = None
    rekeyed_from: str | None = None
    process: int | None = None
    energy: list[float] | None = None
    host_facts: dict[str, Any] | None = None
    longer_than: float | None = None
    schema: int = SCHEMA_VERSION

    @property
    def median(self) -> float | None:
        """Median of the samples in seconds; None unless the status is ok."""
        return float(median(self.samples)) if self.status is Status.OK and self.seconds else None

    @property
    def samples(self) -> list[float]:
        """Return seconds of each sample, without those of RIGHT_HAND_SIDE."""
        return self._without_b(self.seconds)

    @property
    def kernel_samples(self) -> list[float]:
        """`kernel_seconds` without those of RIGHT_HAND_SIDE; empty where there are none."""
        return self._without_b(self.kernel_seconds or [])

    def _without_b(self, seconds: list[float]) -> list[float]:
        made = self.phases.get(RIGHT_HAND_SIDE)
        return [s - b for s, b in zip(seconds, made, strict=True)] if made and seconds else seconds

    def to_json(self) -> dict[str, Any]:
        """Return the record as JSON values, checked against the schema. Raises ConfigError on a violation."""
        data = asdict(self)
        _validate(data)
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the record of these JSON values.

        Fields added by later versions are ignored; fields that an older version lacks are unknown.
        """
        _validate(data)
        values = {f.name: data[f.name] for f in fields(cls) if f.name in data}
        values["status"] = Status(data["status"])
        if data.get("verified") is not None:
            values["verified"] = Verified(**{f.name: data["verified"][f.name] for f in fields(Verified)})
        return cls(**values)


def record_path(machine: str, case: str) -> Path:
    """Return the file with the records of a case."""
    return results() / machine / "records" / f"{case}.jsonl"


def read_records(path: Path) -> list[Record]:
    """Return the records of a case, those of the archive first, the current one last; none without a file.

    Raises InputError naming the file and the line that is no record.
    """
    if not path.is_file():
        return []
    here = records_in(path)
    archive = path.parent.parent / earlier.NAME
    before = [_read_line(archive, *line) for line in earlier.by_case(archive).get(path.stem, ())]
    return [*(record for record in before if record not in here), *here]


def records_in(path: Path) -> list[Record]:
    """Return the records of a case's file, or of an archive alone. Raises InputError as `read_records`."""
    lines = enumerate(earlier.lines_of(path), start=1)
    return [_read_line(path, number, line) for number, line in lines if line]


def _read_line(path: Path, number: int, line: str) -> Record:
    try:
        record = Record.from_json(json.loads(line))
        Case.parse(record.case)
    except (ValueError, TypeError, AttributeError, ConfigError, UnknownNameError) as error:
        raise InputError(f"{path}:{number}: not a record ({error}); mend or remove the line") from error
    return record


def line_of(record: Record) -> str:
    """Return the record as a line of a file."""
    return json.dumps(record.to_json(), allow_nan=False, sort_keys=True, separators=(",", ":"))


def write_records(path: Path, records: Sequence[Record]) -> None:
    """Replace the file by these records, the current one last.

    Leading records of earlier runs that the archive holds stay in the archive alone.
    """
    archived = {line for _, line in earlier.by_case(path.parent.parent / earlier.NAME).get(path.stem, ())}
    run_id = records[-1].run_id if records else ""
    kept = itertools.dropwhile(lambda each: each.run_id != run_id and line_of(each) in archived, records)
    write_text(path, "".join(f"{line_of(record)}\n" for record in kept))


def record_key(case: str, prepared_hash: str, source_hash: str, machine: str) -> str:
    """Return the key under which a record is reused."""
    return content_hash(case, prepared_hash, source_hash, machine)


def stored_records(machine: str | None = None) -> Iterator[list[Record]]:
    """Yield the records of each case, the current one last, of one machine or of all in results/.

    A file that cannot be read is skipped with a warning: one damaged line hides no other case.
    """
    for path in sorted(results().glob(f"{machine or '*'}/records/*.jsonl")):
        try:
            if records := read_records(path):
                yield records
        except InputError as error:
            LOG.warning("%s", error)


@functools.cache
def _check() -> Callable[[dict[str, Any]], object]:
    """Compile the schema to a function that raises on a violation: ten times as fast as jsonschema."""
    check: Callable[[dict[str, Any]], object] = fastjsonschema.compile(schema_of("record"), use_default=False)
    return check


def _validate(data: Mapping[str, Any]) -> None:
    try:
        _check()(dict(data))
    except fastjsonschema.JsonSchemaValueException as refusal:
        # jsonschema's words are plainer, but it accepts a final newline.
        mistake = violation(dict(data), "record") or refusal
        raise ConfigError(f"record of {data.get('case')}: {mistake}") from None
    made = data["phases"].get(RIGHT_HAND_SIDE)
    clocks = (data["seconds"], data["kernel_seconds"] or data["seconds"])
    if made is not None and not all(len(made) == len(c) and all(map(lt, made, c)) for c in clocks):
        raise ConfigError(f"record of {data['case']}: {RIGHT_HAND_SIDE} does not lie within each sample")
