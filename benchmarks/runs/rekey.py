"""Give records the key of today that were measured with today's code, after keys came to be made another way.

`fillpath maintain rekey COMMIT` does it, of the last commit that made keys the old way, with the
implementations as they are now. A record whose key is that of the sources there gets today's, and the key
that it was measured under as `rekeyed_from`; so does what was counted beside it. No other line changes.
Refused where a file of impl/ was changed or removed since: then nobody knows."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fillpath.errors import ConfigError, UnknownNameError
from fillpath.lock import exclusive
from fillpath.paths import ROOT, write_text
from fillpath.record import record_key
from fillpath.registry import lookup

# What says who measured: stage, implementation, and the libraries' versions as JSON.
Maker = tuple[str, str, str]
# Run in a checkout of the commit: the source hash of each maker, None where there is no such implementation.
_HASHES = """
import json, sys
from fillpath.errors import UnknownNameError
from fillpath.registry import load_all, lookup

def source_hash(stage, name, versions):
    try:
        return lookup(stage, name).source_hash(json.loads(versions))
    except UnknownNameError:
        return None

load_all()
print(json.dumps([source_hash(*maker) for maker in json.load(sys.stdin)]))
"""


def rekey(commit: str, folders: Iterable[Path]) -> dict[str, str]:
    """Today's key by the key that it replaces, of every record in these machines' folders that was current at
    the commit. Raises ConfigError where impl/ has changed since."""
    if changed := _git("diff", "--name-only", "--diff-filter=a", commit, "--", "impl"):
        raise ConfigError(f"rekey {commit}: changed since: {', '.join(changed.split())}; nothing was rekeyed")
    folders = list(folders)
    records = [path for folder in folders for path in sorted(folder.glob("records/*.jsonl"))]
    makers = sorted({_maker(record) for path in records for record in _lines(path)})
    before = dict(zip(makers, _hashes_at(commit, makers), strict=True))
    keys: dict[str, str] = {}
    for path in records:
        keys |= _rekey_records(path, before)
    for folder in folders:
        for kind in ("faults", "counters", "durations"):
            for path in folder.glob(f"{kind}/*.json"):
                _rekey_beside(path, keys)
    return keys


def _rekey_records(path: Path, before: Mapping[Maker, str | None]) -> dict[str, str]:
    """Rewrite the lines of a file whose key was current. Returns the new key of each old one."""
    keys: dict[str, str] = {}
    with exclusive(path.parent.parent / ".lock"):
        lines = []
        for line in path.read_text().splitlines():
            record = json.loads(line)
            old = record["key"]
            if old == _key(record, before[_maker(record)]):
                keys[old] = str(_key(record, _source_hash(*_maker(record))))
                first = record.get("rekeyed_from") or old
                line = json.dumps({**record, "key": keys[old], "rekeyed_from": first}, sort_keys=True)
            lines.append(line)
        if keys:
            write_text(path, "".join(f"{line}\n" for line in lines))
    return keys


def _rekey_beside(path: Path, keys: Mapping[str, str]) -> None:
    """What was counted of a record and shown with its key alone."""
    counted = json.loads(path.read_text())
    old = counted.get("key")
    if old in keys:
        first = counted.get("rekeyed_from") or old
        text = json.dumps({**counted, "key": keys[old], "rekeyed_from": first}, indent=2, sort_keys=True)
        write_text(path, text + "\n")


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def _maker(record: Mapping[str, Any]) -> Maker:
    parts = record["parts"]
    return parts["stage"], parts["implementation"], json.dumps(record["versions"], sort_keys=True)


def _key(record: Mapping[str, Any], source_hash: str | None) -> str | None:
    if source_hash is None:
        return None
    prepared_hash = (record["prepared"] or {}).get("hash", "")
    return record_key(record["case"], prepared_hash, source_hash, record["machine"])


def _source_hash(stage: str, name: str, versions: str) -> str | None:
    try:
        return lookup(stage, name).source_hash(json.loads(versions))
    except UnknownNameError:
        return None


def _hashes_at(commit: str, makers: Sequence[Maker]) -> list[str | None]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "checkout"
        _git("worktree", "add", "--quiet", "--detach", str(place), commit)
        try:
            done = subprocess.run(
                [sys.executable, "-c", _HASHES],
                cwd=place, input=json.dumps(makers), capture_output=True, text=True, check=False,
            )  # fmt: skip
        finally:
            _git("worktree", "remove", "--force", str(place))
    if done.returncode:
        raise ConfigError(f"rekey {commit}: its sources cannot be hashed: {done.stderr.strip()[-300:]}")
    hashes: list[str | None] = json.loads(done.stdout)
    return hashes


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ConfigError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout
