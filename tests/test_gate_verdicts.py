"""Verdicts of today's gate on old records: every figure and table sees them; a damaged file is refused."""

import csv
import itertools
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from benchmarks.runs import archive
from commands import main
from fillpath import gate_verdicts, holdings
from fillpath.case import Case
from fillpath.errors import InputError
from fillpath.gate_verdicts import COLUMNS, Row
from fillpath.paths import results
from fillpath.record import Record, Status, Verified, record_path, write_records
from reports.facts.records import Records
from reports.glu3 import phases
from reports.gsofa import fig10
from reports.table import HELD_BY_NORMS, all_rows
from tests.reports_fakes import ENTRIES, HALF_OF_GSOFA, MORE_OF_GSOFA, made_record, shown_frame
from tests.test_reports_gsofa import triple

PASSES, WRONG, LEFT = (Case.parse(f"solve.{name}@bcsstk18.metis") for name in ("lu_cpu", "superlu", "klu"))
BY_NORMS = Verified("A x = b", "relative residual", 3e-17, 1e-8)
METHOD = "max |b - A x| / (|A| |x| + |b|) over the rows"
HEADER = ",".join(COLUMNS)
KEY = f"{1:064x}"
OLD = replace(made_record(PASSES, 1), machine="far", verified=BY_NORMS)


def row(record: Record, status: Status = Status.OK, value: float = 2e-16) -> Row:
    """Today's verdict on a record."""
    reason = "" if status is Status.OK else f"{METHOD}: {value:g} where at most 1e-08 is right, in row 7"
    return Row(record.case, record.key, status, value, 1e-8, METHOD, reason)


def store(*records: Record) -> None:
    for record in records:
        write_records(record_path(record.machine, record.case), [record])


def write(path: Path, rows: Iterable[Row]) -> None:
    with path.open("w", newline="") as handle:
        writer = csv.DictWriter(handle, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


@pytest.fixture
def far() -> Path:
    """A machine of three old records: one passes anew, one is wrong anew, one was not repeated."""
    old = [replace(OLD, case=case.name, key=f"{i:064x}") for i, case in enumerate((PASSES, WRONG, LEFT), 1)]
    store(*old)
    path = results() / "far" / gate_verdicts.NAME
    write(path, [row(old[1], Status.WRONG, 0.5), row(old[0])])
    return path


@pytest.mark.parametrize("here", ["far", "near"])
def test_frames_and_the_table_of_cases_have_todays_verdicts(
    far: Path, here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the machine's own folder and in another's."""
    monkeypatch.setenv("FILLPATH_MACHINE", here)
    frame = all_rows(Records.load(), [PASSES, WRONG, LEFT], ENTRIES)
    assert frame["status"].tolist() == ["ok", "wrong", "ok"]
    assert frame["median"].notna().tolist() == [True, False, True]
    assert frame["verified_method"].tolist() == [METHOD, METHOD, "relative residual"]
    passes, wrong, left = frame["reason"]
    assert passes == "" and "in row 7" in wrong and left == HELD_BY_NORMS
    assert frame["verified_by"][0] == "A x = b"


def test_a_figure_has_no_time_of_what_is_wrong_anew_and_keeps_the_number_by_norms(far: Path) -> None:
    frame = shown_frame(phases.EXHIBIT, Records.load(), ENTRIES, [PASSES, WRONG, LEFT])
    rows = frame.set_index("implementation")
    assert rows["median"].notna().to_dict() == {"lu_cpu": True, "superlu": False, "klu": True}
    assert rows.loc["lu_cpu", "residual"] == rows.loc["klu", "residual"] == BY_NORMS.value
    assert rows["bound"].notna().tolist() == [False, False, True]


def test_a_claim_counts_no_record_that_is_wrong_anew() -> None:
    records = [
        replace(record, machine="far", verified=BY_NORMS, key=f"{100 * place + i:064x}")
        for place, matrix in enumerate(HALF_OF_GSOFA)
        for i, record in enumerate(triple(matrix, 2.0, 20.0, 60.0))
    ]
    store(*records)

    def judged() -> tuple[int, str]:
        inputs = Records.load(), (*ENTRIES, *MORE_OF_GSOFA), [Case.parse(record.case) for record in records]
        verdicts = fig10.EXHIBIT.verdicts(shown_frame(fig10.EXHIBIT, *inputs))
        (found,) = (v for v in verdicts if v.claim == "gsofa.fig10_fill2_gpu_vs_cpu.mean" and v.n)
        return found.n, found.why

    before = judged()
    rows = [row(record) for record in records]
    write(results() / "far" / gate_verdicts.NAME, rows)
    assert judged() == before == (len(HALF_OF_GSOFA), "1 process of 5")
    rows[1] = row(records[1], Status.WRONG, 0.5)
    write(results() / "far" / gate_verdicts.NAME, rows)
    assert judged() == (len(HALF_OF_GSOFA) - 1, "6 of the 7 matrices that such a claim needs")


def test_only_what_the_old_gate_passed_is_changed() -> None:
    """A later record of the same key was held by today's gate, and one that failed has not passed."""
    rows = {OLD.key: row(OLD, Status.WRONG, 0.5)}
    held = replace(OLD, verified=Verified("A x = b", METHOD, 1e-16, 1e-8))
    failed = replace(OLD, status=Status.TIMEOUT)
    assert [gate_verdicts.applied(record, rows) for record in (held, failed)] == [held, failed]
    unsupported = Row(OLD.case, OLD.key, Status.UNSUPPORTED, None, None, "", "row 3 lost its digits")
    (changed,) = [gate_verdicts.applied(OLD, {OLD.key: unsupported})]
    assert (changed.status, changed.reason) == (Status.UNSUPPORTED, "row 3 lost its digits")
    assert changed.median is None and changed.verified is None and OLD.median is not None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ":1: expected the columns case, key"),
        ("case,key\n", ":1: expected the columns case, key"),
        (f"{HEADER}\nx\n", ":2: not a verdict"),
        (f"{HEADER}\n{PASSES.name},{KEY},fine,0,1,m,\n", ":2: not a verdict ('fine'"),
        (f"{HEADER}\n{PASSES.name},{KEY},timeout,0,1,m,r\n", ":2: not a verdict (status timeout"),
        (f"{HEADER}\n{PASSES.name},{KEY},ok,2,1,m,\n", ":2: not a verdict (status ok does not go"),
        (f"{HEADER}\n{PASSES.name},{KEY},ok,,,,\n", ":2: not a verdict (status ok does not go"),
        (f"{HEADER}\n{PASSES.name},{KEY},ok,nan,1,m,\n", ":2: not a verdict (a value or a bound"),
        (f"{HEADER}\n{PASSES.name},{KEY},wrong,2,1,m,\n", ":2: not a verdict (status wrong does not go"),
        (f"{HEADER}\n{PASSES.name},{KEY},wrong,0,1,m,r\n", ":2: not a verdict (status wrong does not go"),
        (f"{HEADER}\n" + 2 * f"{PASSES.name},{KEY},ok,0,1,m,\n", ":3: a second verdict on"),
        (f"{HEADER}\n{PASSES.name},{9:064x},ok,0,1,m,\n", f"no record of {PASSES.name} has the key"),
        (f"{HEADER}\n{WRONG.name},{KEY},ok,0,1,m,\n", f"no record of {WRONG.name} has the key"),
        (f"{HEADER}\n{chr(0xFFFD)},{KEY},ok,0,1,m,\n", "no record of"),
    ],
)
def test_a_damaged_file_is_refused_in_one_line(
    far: Path, text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "far"]) == 0 and "far: 3 records" in capsys.readouterr().out
    far.write_text(text)
    assert main(["check", "far"]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert said in line and "restore it from git" in line
    assert "gate.csv" in Records.load().refused["far"]


def test_a_pack_carries_the_verdicts_and_merging_keeps_those_that_fail(far: Path, tmp_path: Path) -> None:
    pack, sent = tmp_path / "far.tar.gz", far.read_text()
    archive.pack("far", pack)
    far.unlink()
    archive.unpack(pack)
    assert far.read_text() == sent
    for here in ([], [row(replace(OLD, case=LEFT.name, key=f"{3:064x}"))]):
        write(far, here)
        archive.unpack(pack)
        assert set(sent.splitlines()) <= set(far.read_text().splitlines())
        assert (
            len(gate_verdicts.read(far)) == 2 + len(here) and "far: 3 records" in holdings.read(far.parent)[0]
        )
    unsupported = Row(OLD.case, OLD.key, Status.UNSUPPORTED, None, None, "", "symmetric input only")
    for first, second in itertools.permutations((unsupported, row(OLD)), 2):
        write(far, [first])
        archive.pack("far", pack)
        write(far, [second])
        archive.unpack(pack)
        assert gate_verdicts.read(far) == {OLD.key: unsupported}


def test_a_pack_with_a_damaged_file_is_refused_before_anything_is_written(far: Path, tmp_path: Path) -> None:
    good = far.read_text()
    far.write_text(good + "torn")
    archive.pack("far", tmp_path / "far.tar.gz")
    far.write_text(good)
    with pytest.raises(InputError, match=r"gate\.csv:4: not a verdict"):
        archive.unpack(tmp_path / "far.tar.gz")
    assert far.read_text() == good
