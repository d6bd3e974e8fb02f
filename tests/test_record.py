"""Records: the schema and the dataclass agree, round trips, and no write loses what stood."""

import copy
import json
import math
import os
import stat
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fillpath.config import schema_of
from fillpath.errors import ConfigError, InputError
from fillpath.processes import interval
from fillpath.record import (
    RIGHT_HAND_SIDE,
    Record,
    Status,
    Verified,
    read_records,
    record_path,
    write_records,
)
from reports.facts.records import Records

PARTS: dict[str, Any] = {
    "stage": "symbolic", "implementation": "fill1", "options": {}, "matrix": "m", "preparation": "natural",
    "seed": 0, "threads": 0, "gpus": 0,
}  # fmt: skip
PREPARED = {
    "hash": "0" * 64, "n": 3, "nnz": 5, "explicit_zeros": 0, "matching": "none", "ordering": "natural",
    "versions": {},
}  # fmt: skip


# Fields that came after the first records, which load without them.
ADDED = {"energy", "longer_than", "gpu", "host", "host_facts", "process", "rekeyed_from"}

# A value where each field may be damaged, nested ones too.
FULL: dict[str, Any] = {
    "phases": {"traverse": [0.5, 0.25, 0.5]}, "kernel_seconds": [0.5], "energy": [1.0],
    "work": {"edges": 3, "facts": {"share": 0.5}}, "peak_memory": 0, "threads_used": 1, "limit_seconds": 1.0,
    "memory_limit": 1, "longer_than": 0.5, "process": 0, "host": "b" * 16, "host_cpu": "", "host_facts": {},
    "device": "", "gpu": {}, "driver": "", "cuda": "", "clocks": {}, "throttle": ["power"],
    "versions": {"numpy": "2"}, "commit": "", "dirty": False, "series": "", "rekeyed_from": "c" * 64,
}  # fmt: skip
PLANTED = (
    None, True, -1, 0, 1.0, 1.5, -0.5, math.nan, math.inf, 2**70, "", "x", "ok", "wrong", [], [None], [True],
    [-1], [0.5], ["x"], {}, {"x": None}, {"x": "y"}, {"x": -1}, {"x": [-1]},
)  # fmt: skip
REMOVED = object()


def record(status: Status = Status.OK, **changes: Any) -> Record:
    ok = {"seconds": [0.5, 0.25, 0.75], "prepared": PREPARED, "verified": Verified("x", "y", 0.0, 0.0)}
    base = Record(
        case="symbolic.fill1@m.natural", parts=PARTS, key="a" * 64, status=status, reason="", run_id="r",
        started_at="2026-01-01T00:00:00.000000Z", machine="test-machine",
    )  # fmt: skip
    return replace(base, **({**ok, **changes} if status is Status.OK else changes))


def test_schema_and_dataclass_name_the_same_fields() -> None:
    names = {f.name for f in fields(Record)}
    assert names == set(schema_of("record")["properties"]) == set(schema_of("record")["required"]) | ADDED
    assert set(schema_of("record")["properties"]["status"]["enum"]) == set(Status)


@given(st.sampled_from(list(Status)), st.lists(st.floats(0, 1e6), min_size=1), st.text())
def test_json_round_trip(status: Status, seconds: list[float], reason: str) -> None:
    one = record(status, seconds=[] if status is Status.WRONG else seconds, reason=reason)
    assert Record.from_json(json.loads(json.dumps(one.to_json()))) == one


def test_fields_of_a_later_version_are_passed_over() -> None:
    assert Record.from_json({**record().to_json(), "schema": 2, "colour": "blue"}).case == record().case


def test_a_record_from_before_facts_loads_and_one_with_impossible_facts_does_not() -> None:
    assert Record.from_json(record(work={"edges": 3}).to_json()).work == {"edges": 3}
    with pytest.raises(ConfigError, match="facts"):
        record(work={"edges": 3, "facts": {"queue_peak": -1.0}}).to_json()


@pytest.mark.parametrize(
    "changes",
    [
        {"seconds": []},
        {"verified": None},
        {"prepared": None},
        {"seconds": [-1.0]},
        {"phases": {RIGHT_HAND_SIDE: [0.1, 0.1]}},
        {"phases": {RIGHT_HAND_SIDE: [0.1, 0.25, 0.1]}},
        {"phases": {RIGHT_HAND_SIDE: [0.1, 0.1, 0.1]}, "kernel_seconds": [0.5, 0.05, 0.5]},
        {"key": "short"},
        {"case": "a b"},
    ],
)
def test_an_ok_record_without_proof_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        record(**changes).to_json()


def is_read(data: dict[str, Any]) -> bool:
    try:
        Record.from_json(data)
    except ConfigError:
        return False
    return True


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value within this one."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def damaged(data: dict[str, Any], path: tuple[Any, ...], planted: Any) -> dict[str, Any]:
    """A copy with another value at the path, or with none."""
    changed = holder = copy.deepcopy(data)
    for key in path[:-1]:
        holder = holder[key]
    if planted is REMOVED:
        del holder[path[-1]]
    else:
        holder[path[-1]] = planted
    return changed


def keywords(node: Any) -> Iterator[str]:
    """Every keyword of a schema and of the schemas within it."""
    for keyword, value in node.items() if isinstance(node, dict) else ():
        yield keyword
        within = value if keyword == "allOf" else value.values() if keyword == "properties" else [value]
        for subschema in within:
            yield from keywords(subschema)


def test_both_validators_refuse_the_same_planted_damage() -> None:
    full = record(**FULL).to_json()
    jsonschemas = jsonschema.Draft202012Validator(schema_of("record"))
    judged = {True: 0, False: 0}
    for path in places(full):
        for planted in (*PLANTED, REMOVED):
            data = damaged(full, path, planted)
            # A record of an earlier version is completed before it is validated.
            if not isinstance(data.get("schema"), int) or data["schema"] < 1:
                continue
            assert is_read(data) == jsonschemas.is_valid(data), (path, planted)
            judged[is_read(data)] += 1
    assert min(judged.values()) > 100


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.sampled_from(Status),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
PATHS = list(places({**record(**FULL).to_json(), "added": 1}))


@given(st.lists(st.tuples(st.sampled_from(PATHS), VALUES), min_size=1, max_size=3))
def test_no_validator_takes_what_the_other_refuses(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    data = {**record(**FULL).to_json(), "added": 1}
    for path, planted in sorted(changes, key=lambda change: -len(change[0])):
        data = damaged(data, path, planted)
    data["schema"] = 1
    assert is_read(data) == jsonschema.Draft202012Validator(schema_of("record")).is_valid(data)


def test_the_schema_uses_only_keywords_of_both_validators() -> None:
    both = {
        "$schema", "title", "type", "enum", "const", "pattern", "minLength", "minimum", "exclusiveMinimum",
        "allOf", "if", "then", "items", "minItems", "maxItems", "required", "properties",
        "additionalProperties",
    }  # fmt: skip
    assert set(keywords(schema_of("record"))) == both


def test_a_refusal_names_the_field_and_a_final_newline_is_refused_too() -> None:
    with pytest.raises(ConfigError, match=r"fill1@m\.natural: \$\.seconds\[1\]: -1\.0 is less than"):
        record(seconds=[0.5, -1.0]).to_json()
    with pytest.raises(ConfigError, match=r"data\.key must match pattern"):
        record(key="a" * 64 + "\n").to_json()


def test_a_wrong_result_carries_no_number() -> None:
    with pytest.raises(ConfigError):
        record(Status.WRONG, seconds=[1.0]).to_json()
    assert record(Status.ERROR, seconds=[1.0]).median is None


def test_the_last_record_of_a_file_stands() -> None:
    old, new = record(), record(started_at="2026-01-02T00:00:00.000000Z", run_id="s")
    path = record_path("test-machine", old.case)
    write_records(path, [old, new])
    assert read_records(path) == [old, new]
    assert Records.load("test-machine").rows == (new,)


def test_content_is_on_disk_before_its_name_and_its_name_when_the_write_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[str] = []
    rename = Path.replace

    def renamed(self: Path, target: Path) -> Path:
        done.append("name")
        return rename(self, target)

    def synced(file: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(file).st_mode) else "content")

    monkeypatch.setattr(Path, "replace", renamed)
    monkeypatch.setattr(os, "fsync", synced)
    write_records(record_path("test-machine", record().case), [record()])
    assert done == ["content", "name", "folder"]


def test_a_damaged_line_is_named_and_hides_no_other_case(caplog: pytest.LogCaptureFixture) -> None:
    damaged = record_path("test-machine", "symbolic.fill1@a.natural")
    write_records(damaged, [record()])
    damaged.write_text(damaged.read_text() + "<<<<<<< HEAD\n")
    write_records(record_path("test-machine", "symbolic.fill1@b.natural"), [record()])
    with pytest.raises(InputError, match=r"natural\.jsonl:2: not a record"):
        read_records(damaged)
    assert len(Records.load("test-machine").rows) == 1
    assert "natural.jsonl:2" in caplog.text


@given(st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=30))
def test_the_interval_holds_the_median(seconds: list[float]) -> None:
    low, high = interval(seconds)
    assert min(seconds) <= low <= np.median(seconds) <= high <= max(seconds)


def test_below_six_samples_the_interval_is_the_range() -> None:
    assert interval([3.0, 1.0, 2.0]) == (1.0, 3.0)
