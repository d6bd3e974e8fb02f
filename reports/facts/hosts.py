"""On how many hosts a machine's records were made: a name may have lived on several."""

from __future__ import annotations

from collections.abc import Sequence

from fillpath.record import Record, Status


def hosts_text(records: Sequence[Record]) -> str:
    """`its records are of 2 hosts, 1,338 of 1,569 of an unnamed one`; empty where all are of one.

    records : of one machine, superseded ones too; those that measured nothing are of no host.
    """
    measured = [record for record in records if record.status not in (Status.NOT_RUN, Status.UNAVAILABLE)]
    hosts = {record.host for record in measured} - {None}
    unnamed = sum(record.host is None for record in measured)
    if not unnamed:
        return f"its records are of {len(hosts)} hosts" if len(hosts) > 1 else ""
    of = f"{unnamed:,} of its {len(measured):,} records do not say of which host they are"
    return f"{of}, the others are of {len(hosts)}" if hosts else of
