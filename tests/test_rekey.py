"""Records that were measured with today's code keep their worth when keys come to be made another way."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.engine import reference
from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import measure
from benchmarks.engine.reference import load_reference, make_reference, reference_path
from benchmarks.runs import rekey
from fillpath import registry
from fillpath.errors import ConfigError
from fillpath.paths import cache
from fillpath.record import Record, read_records, record_key, record_path, write_records
from tests.patterns import random_pattern

CASE = "symbolic.fill1@grid2d,6.metis"
OLD = "0" * 64


def old_key(record: Record, source_hash: str = OLD) -> str:
    assert record.prepared is not None
    return record_key(record.case, record.prepared["hash"], source_hash, record.machine)


@pytest.fixture
def folder(shared_cache: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine's folder with three records of a case: of code that is no more, of today's under the key of
    old, and one that was never run; and with what was counted of the second."""
    monkeypatch.setattr(rekey, "_git", lambda *arguments: "")
    monkeypatch.setattr(rekey, "_hashes_at", lambda commit, makers: [OLD for _ in makers])
    record = measure(CASE, Limits(samples=3))
    superseded = replace(record, key=old_key(record, "1" * 64), run_id="first")
    older = replace(record, key=old_key(record), run_id="second")
    path = record_path(record.machine, CASE)
    write_records(path, [superseded, older])
    faults = path.parent.parent / "faults" / f"{CASE}.json"
    faults.parent.mkdir()
    faults.write_text(json.dumps({"key": older.key, "facts": {"gpu_fault_groups": 3}}))
    return path.parent.parent


def test_what_is_of_todays_code_gets_todays_key_and_nothing_else_changes(folder: Path) -> None:
    path = folder / "records" / f"{CASE}.jsonl"
    before = path.read_text().splitlines()
    keys = rekey.rekey("commit", [folder])
    after = path.read_text().splitlines()
    assert after[0] == before[0], "of code that is no more"
    second = json.loads(after[1])
    old = json.loads(before[1])["key"]
    assert keys == {old: second["key"]} and second["rekeyed_from"] == old
    assert {**second, "key": old, "rekeyed_from": None} == json.loads(before[1])
    assert json.loads((folder / "faults" / f"{CASE}.json").read_text()) == {
        "key": second["key"], "rekeyed_from": old, "facts": {"gpu_fault_groups": 3},
    }  # fmt: skip
    # It stands: nothing is measured again, and a second pass has nothing to do.
    assert measure(CASE, Limits(samples=3)) == read_records(path)[-1]
    assert rekey.rekey("commit", [folder]) == {} and path.read_text().splitlines() == after


def test_the_sources_of_a_commit_are_hashed_in_a_checkout_of_it() -> None:
    try:
        commit = rekey._git("rev-parse", "HEAD").strip()
    except ConfigError as error:
        pytest.skip(f"no git checkout: {error}")
    makers = [("symbolic", "fill1"), ("symbolic", "never_was"), ("solve", "superlu")]
    first, absent, peer = rekey._hashes_at(commit, [(*maker, '{"scipy": "1"}') for maker in makers])
    assert first is not None and len(first) == 64 and absent is None and peer not in (None, first)
    with pytest.raises(ConfigError, match="no-such-commit"):
        rekey.rekey("no-such-commit", [])


def test_it_is_refused_where_the_code_has_changed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rekey, "_git", lambda *arguments: "impl/symbolic/fill1.py\n")
    before = (folder / "records" / f"{CASE}.jsonl").read_text()
    with pytest.raises(ConfigError, match=r"changed since: impl/symbolic/fill1.py; nothing was rekeyed"):
        rekey.rekey("commit", [folder])
    assert (folder / "records" / f"{CASE}.jsonl").read_text() == before


def test_the_key_of_an_implementation_that_is_no_more_stays(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_registry", {})
    monkeypatch.setattr(rekey, "_hashes_at", lambda commit, makers: [None for _ in makers])
    assert rekey.rekey("commit", [folder]) == {}


def test_references_of_the_version_before_are_adopted(tmp_path: Path) -> None:
    pattern = random_pattern(40, 0.1, 1)
    made = make_reference(pattern)
    earlier = cache() / "references" / f"{reference._ADOPTED}-{'a' * 64}.npz"
    reference._save(earlier, made)
    path = reference_path("a" * 64)
    found = load_reference(path)
    assert found is not None and np.array_equal(found.row_hashes, made.row_hashes)
    assert path.name == f"v1-{'a' * 64}.npz" and not earlier.exists()
    assert load_reference(reference_path("b" * 64)) is None


def test_a_reference_of_version_1_holds_what_it_always_held() -> None:
    """Where this fails, references in caches are of another format: raise VERSION."""
    made = make_reference(random_pattern(12, 0.2, 3))
    assert made.counts.lower.tolist() == [0, 0, 0, 0, 1, 2, 3, 1, 2, 1, 0, 6]
    assert made.counts.upper.tolist() == [4, 2, 3, 2, 2, 4, 5, 3, 2, 2, 1, 1]
    assert int(np.bitwise_xor.reduce(made.row_hashes)) == 4624486839530034532
    assert reference.VERSION == "v1"
    assert (made.made_by, made.checked_by) == ("fill1_pruned", "bitfronts_cpu and gilbert_peierls")
