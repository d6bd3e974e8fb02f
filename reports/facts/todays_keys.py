"""Which records were made with today's sources."""

from __future__ import annotations

from fillpath import registry, source
from fillpath.case import Case
from fillpath.errors import UnknownNameError
from fillpath.record import Record, record_key


class TodaysKeys:
    """The keys that records would have today. Sources are hashed once per version of a peer's library."""

    def __init__(self) -> None:
        registry.load_all()
        self._hashes: dict[tuple[str, ...], str] = {}

    def made(self, record: Record) -> bool | None:
        """Whether the record is theirs; None of an implementation that is no more."""
        case = Case.parse(record.case)
        try:
            implementation = registry.lookup(case.stage, case.implementation)
        except UnknownNameError:
            return None
        library = source.versions(implementation.peer, record.versions)
        name = case.stage, case.implementation, *library
        if name not in self._hashes:
            self._hashes[name] = implementation.source_hash(record.versions)
        prepared_hash = (record.prepared or {}).get("hash", "")
        key = record_key(record.case, prepared_hash, self._hashes[name], record.machine)
        return key == record.key
