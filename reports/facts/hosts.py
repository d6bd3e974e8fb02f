"""On how many hosts a machine's records were made: a name may have lived on several."""

from __future__ import annotations

from collections.abc import Sequence

from fillpath.record import Record, Status


def hosts_text(records: Sequence[Record]) -> str:
    """`2 of its 7 records do not say of which host they are, the others are of 1`; empty where all are of one
    host.

    records : of one machine, superseded ones too; those that measured nothing are of no host.
    """
    measured = [record for record in records if record.status not in (Status.NOT_RUN, Status.UNAVAILABLE)]
    # Before records had facts of their host, they named it in another way.
    named = [r for r in measured if r.host and r.host_facts is not None] or [r for r in measured if r.host]
    hosts, unnamed = {record.host for record in named}, len(measured) - len(named)
    if not unnamed:
        return f"its records are of {len(hosts)} hosts" if len(hosts) > 1 else ""
    of = f"{unnamed:,} of its {len(measured):,} records do not say of which host they are"
    return f"{of}, the others are of {len(hosts)}" if hosts else of
