"""Matrix Market files byte by byte: each is read as it says, or refused in one line."""

import gzip
import itertools
import math
import random
import re
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from fetch import lines, matrixmarket
from fetch.matrix_id import resolve
from fetch.prepare import prepare
from fillpath.case import Preparation
from fillpath.errors import InputError
from tests.thorough import daily

INDEX, INTEGER = re.compile(rb"\+?[0-9]+"), re.compile(rb"[+-]?[0-9]+")
REAL = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eEdD][+-]?[0-9]+)?")
TOKENS = {"pattern": 0, "integer": 1, "real": 1, "double": 1, "complex": 2}
KINDS = [f"{field} general" for field in TOKENS] + [f"{field} symmetric" for field in TOKENS]
KINDS += [f"{field} skew-symmetric" for field in ("integer", "real", "complex")] + ["complex hermitian"]

Slow = dict[tuple[int, int], list[complex]]


class RefusedError(Exception):
    """The slow reader does not take a file."""


def require(holds: bool) -> None:
    if not holds:
        raise RefusedError


def slowly(text: bytes) -> tuple[str, int, Slow]:
    """(field, order, values listed for each position) by the definition, line by line and token by token."""
    require(b"\0" not in text)
    first, *rest = text.split(b"\n")
    require(first.lower().split()[:1] in ([b"%%matrixmarket"], [b"%matrixmarket"]))
    banner = words(first.split(maxsplit=1)[-1])
    require(len(banner) == 4)
    thing, form, field, symmetry = (word.decode("latin-1").lower() for word in banner)
    require((thing, form) == ("matrix", "coordinate"))
    require(f"{field} {symmetry}" in KINDS)
    lines = [tokens for tokens in map(words, rest) if tokens]
    require(bool(lines) and len(lines[0]) == 3 and all(INDEX.fullmatch(word) for word in lines[0]))
    rows, columns, count = map(int, lines[0])
    require(rows == columns > 0 and len(lines) - 1 == count > 0)
    return "real" if field == "double" else field, rows, listed(lines[1:], rows, field, symmetry)


def words(line: bytes) -> list[bytes]:
    found = line.split()
    comments = [place for place, word in enumerate(found) if word.startswith(b"%")]
    return found[: comments[0]] if comments else found


def listed(lines: list[list[bytes]], order: int, field: str, symmetry: str) -> Slow:
    values: Slow = {}
    sides = set()
    for tokens in lines:
        require(len(tokens) == 2 + TOKENS[field] and all(INDEX.fullmatch(word) for word in tokens[:2]))
        row, column = map(int, tokens[:2])
        require(1 <= row <= order and 1 <= column <= order)
        numbers = [number(token, field) for token in tokens[2:]] or [1.0]
        value = complex(*numbers)
        values.setdefault((row - 1, column - 1), []).append(value)
        if symmetry != "general" and row != column:
            sides.add(row > column)
            mirror = {"symmetric": value, "skew-symmetric": -value, "hermitian": value.conjugate()}[symmetry]
            values.setdefault((column - 1, row - 1), []).append(mirror)
        require(len(sides) < 2 and (row != column or symmetry != "skew-symmetric"))
        require(row != column or symmetry != "hermitian" or value.imag == 0)
    return values


def number(token: bytes, field: str) -> float:
    require((INTEGER if field == "integer" else REAL).fullmatch(token) is not None)
    if field == "integer":
        require(-(2**63) <= int(token) < 2**63)
        return float(int(token))
    value = float(re.sub(rb"[dD]", b"e", token))
    require(math.isfinite(value))
    return value


def as_the_slow_reader_says(path: Path, text: bytes) -> bool:
    """Whether both refuse a file, or read the same from it. Asserts that they do."""
    path.write_bytes(text)
    try:
        field, order, values = slowly(text)
        sums = {place: expected(field, numbers) for place, numbers in values.items()}
        require(all(map(math.isfinite, sums.values())))
    except RefusedError:
        with pytest.raises(InputError) as refusal:
            matrixmarket.read(path)
        assert str(refusal.value).startswith(f"{path}: ") and str(refusal.value).isprintable()
        return False
    read = matrixmarket.read(path)
    assert read.field == field and read.matrix.shape == (order, order)
    assert read.matrix.has_sorted_indices and read.matrix.dtype == np.float64
    assert read.explicit_zeros == np.count_nonzero(read.matrix.data == 0)
    rows = np.repeat(np.arange(order), np.diff(read.matrix.indptr))
    assert list(zip(rows.tolist(), read.matrix.indices.tolist(), strict=True)) == sorted(sums)
    for value, place in zip(read.matrix.data.tolist(), sorted(sums), strict=True):
        few = len(values[place]) < 3  # the sum of more depends on their order
        assert value == (sums[place] if few else pytest.approx(sums[place], rel=1e-9))
    return True


def expected(field: str, numbers: list[complex]) -> float:
    total = sum(numbers)
    return 1.0 if field == "pattern" else float(np.abs(total)) if field == "complex" else total.real


def free(draw: random.Random, kind: str) -> bytes:
    """A valid file of that kind in free format."""
    field, symmetry = kind.split()
    order, count = draw.randint(2, 7), draw.randint(1, 12)
    out = [
        gap(draw, [b"%%MatrixMarket", b"matrix", b"Coordinate", field.upper().encode(), symmetry.encode()])
    ]
    out += [beside(draw), gap(draw, [b"%d" % order, b"+%d" % order, b"0%d" % count])]
    for _ in range(count):
        row, column = draw.randint(1, order), draw.randint(1, order)
        if symmetry != "general":
            row, column = max(row, column), min(row, column)
        if symmetry == "skew-symmetric" and row == column:
            row, column = 2, 1
        tokens = [draw.choice([b"%d", b"+%d", b"00%d"]) % index for index in (row, column)]
        tokens += [written(draw, field) for _ in range(TOKENS[field])]
        if symmetry == "hermitian" and row == column:
            tokens[3] = draw.choice([b"0", b"-0.0", b"0E5"])
        out += [beside(draw), gap(draw, tokens)]
    return b"".join(out) + draw.choice([b"", b"\n", b"\r\n \n", b"% the end"])


def gap(draw: random.Random, tokens: list[bytes]) -> bytes:
    """The tokens as a line of its own."""
    blanks = [b" ", b"\t", b"  ", b" \t "]
    line = draw.choice([b"", *blanks]) + b"".join(token + draw.choice(blanks) for token in tokens)
    return line + draw.choice([b"\n", b"\r\n", b"  \n", b" % said beside it\n"])


def beside(draw: random.Random) -> bytes:
    return draw.choice([b""] * 4 + [b"\n", b" \t\r\n", b"% a comment, caf\xc3\xa9\n", b"  %\r\n"])


def written(draw: random.Random, field: str) -> bytes:
    if field == "integer":
        return draw.choice([b"%d", b"%+d"]) % draw.choice(
            [0, 7, -12, 2**63 - 1, -(2**63), draw.randint(-99, 99)]
        )
    digits = "".join(draw.choices("0123456789", k=draw.choice([1, 3, 9, 17, 25])))
    point = draw.randint(0, len(digits))
    text = draw.choice(["", "+", "-"]) + digits[:point] + draw.choice([".", ""]) + digits[point:]
    return (text + draw.choice(["", "e5", "E-07", "d+02", "D3", "e-290", "e+250"])).encode()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("block", [128, 1 << 20], ids=["small blocks", "one block"])
def test_a_valid_file_is_read_as_the_slow_reader_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, block: int
) -> None:
    monkeypatch.setattr(lines, "BLOCK", block)
    draw = random.Random(f"{kind} 39")
    for _ in range(25):
        assert as_the_slow_reader_says(tmp_path / "a.mtx", free(draw, kind))


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_byte_is_refused_or_read_as_the_slow_reader_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(lines, "BLOCK", 128)
    draw = random.Random(f"{kind} damaged")
    taken = 0
    for _ in range(80):
        text = bytearray(free(draw, kind))
        place = draw.randrange(len(text))
        byte = draw.choice([0, 255, *b" \t\n\r\v\f%+-.0159eEdDnxa\x1c", draw.randrange(256)])
        text[place : place + draw.choice([0, 1, 1])] = bytes([byte])
        taken += as_the_slow_reader_says(tmp_path / "a.mtx", bytes(text))
    assert 5 < taken < 75


def nearly_halfway(draw: random.Random) -> str:
    """A decimal number between two neighbours in float64, or just beside the middle."""
    low = abs(float(np.frombuffer(draw.randbytes(8), np.float64)[0]))
    if not math.isfinite(low):
        return "1.5"
    exact = (Fraction(low) + Fraction(math.nextafter(low, 0))) / 2
    places = draw.choice([0, 5, 17, 19, 20, 30, 800])
    shift = 0 if exact == 0 else math.floor(math.log10(low or 5e-324))
    digits = int(exact * Fraction(10) ** (places - shift)) + draw.choice([-1, 0, 1])
    return f"{digits}e{shift - places}"


def test_every_decimal_number_is_its_nearest_float64(tmp_path: Path) -> None:
    draw = random.Random(754)
    numbers = ["9007199254740993", "2.2250738585072011e-308", "1.7976931348623158D308", "5e-324", "1e-400"]
    numbers += ["-0", "0e999", "1e23", "1e22", "1e-22", "3" * 400 + "e-200", "0." + "0" * 400 + "7e390"]
    for digits in range(1, 26):
        bounds = -340 - digits, 307 - digits
        numbers += [f"{draw.randrange(10**digits)}e{draw.randint(*bounds)}" for _ in range(60)]
    numbers += [repr(float(np.frombuffer(draw.randbytes(8), np.float64)[0])) for _ in range(800)]
    numbers += [nearly_halfway(draw) for _ in range(500)]
    numbers = [each for each in numbers if each[-3:] not in ("nan", "inf")]
    numbers = [each for each in numbers if math.isfinite(float(each.replace("D", "e")))]
    body = "".join(f"{place} 1 {each}\n" for place, each in enumerate(numbers, 1))
    path, count = tmp_path / "a.mtx", len(numbers)
    path.write_text(f"%%MatrixMarket matrix coordinate real general\n{count} {count} {count}\n{body}")
    expected = np.array([float(each.replace("D", "e")) for each in numbers])
    assert matrixmarket.read(path).matrix.data.tobytes() == expected.tobytes()


def given(folder: Path, header: str, body: bytes) -> Path:
    path = folder / "mine.mtx"
    path.write_bytes(f"%%MatrixMarket matrix coordinate {header}\n".encode() + body)
    return path


@pytest.mark.parametrize(
    ("line", "token"),
    [
        (b"1 1 4.25D+0x", "4.25D+0x"), (b"1 1 5e", "5e"), (b"1 1 5e+", "5e+"), (b"1 1 .", "."),
        (b"1 1 1.5.2", "1.5.2"), (b"1 1 0x10", "0x10"), (b"1 1 1,5", "1,5"), (b"1 1 5%c", "5%c"),
        (b"1 1 5 x", "x"), (b"1 1 5 6", "6"), (b"1 1", ""), (b"1", ""), (b"1 1 %", "%"), (b"1.0 1 5", "1.0"),
        (b"1 1e0 5", "1e0"), (b"-1 1 5", "-1"), (b"1 4 5", "4"), (b"1 " + b"9" * 30 + b" 5", "9" * 30),
        (b"1 1 3\0", "3\\x00"), (b"1 1 3 \0", "\\x00"), (b"1 1 3 % \0", "\\x00"), (b"1 1 1e999", "1e999"),
        (b"1 1 -1.7976931348623159e308", "-1.7976931348623159e308"), (b"1 1 NaN", "NaN"),
        (b"1 1 -Infinity", "-Infinity"), (b"1 1 1.5-102", "1.5-102"), (b"1 1 1\xa0", "1\\xa0"),
        (b"1 1 1_0", "1_0"), (b"1 1 \xef\xbc\x91", "\\xef\\xbc\\x91"),
        (b"1 1 " + b"7" * 99 + b"x", "7" * 40 + "..."),
    ],
)  # fmt: skip
def test_a_refusal_names_file_line_and_token(tmp_path: Path, line: bytes, token: str) -> None:
    path = given(tmp_path, "real general", b"3 3 2\n% between\n\n2 2 1\n" + line + b"\n")
    with pytest.raises(InputError) as refusal:
        matrixmarket.read(path)
    assert str(refusal.value).startswith(f"{path}: line 6: '{token}': ")
    assert str(refusal.value).isprintable()


@pytest.mark.parametrize(
    ("header", "body", "says"),
    [
        (
            "real general",
            b"3 3 2\n1 1 1\n2 2 2\n3 3 3\n",
            "line 5: '3': more entries than the header promises",
        ),
        (
            "real general",
            b"3 3 2\n1 1 1\n%2 2 2\n",
            "truncated: the header promises 2 entries, the file has 1",
        ),
        ("float general", b"3 3 1\n1 1 1\n", "line 1: 'float': the header has one of pattern, "),
        ("Real Kind", b"3 3 1\n1 1 1\n", "line 1: 'Kind': the header has one of general, "),
        ("real", b"3 3 1\n1 1 1\n", "line 1: the header is"),
        ("real general too", b"3 3 1\n1 1 1\n", "line 1: the header is"),
        ("real hermitian", b"3 3 1\n1 1 1\n", "line 1: 'hermitian': the format has no real"),
        ("pattern skew-symmetric", b"3 3 1\n2 1\n", "line 1: 'skew-symmetric': the format has no pattern"),
        ("real general", b"", "the file ends within its header"),
        ("real general", b"2 3 1\n1 1 2\n", "2 x 3 is not square"),
        ("real general", b"2 2 0\n", "empty"),
        ("real general", b"0 0 0\n", "empty"),
        ("real general", b"2 2 999999999999\n1 1 1\n", "the file is too short"),
        ("real general", b"2 2 2\n" + b"0" * 5000 + b"1 1 1\n2 2 x\n", "line 4: 'x': no number"),
        ("real general", b"2 2 3\n1 1 1.000000\n2 2 1.000000\n", "line 4: truncated"),
        ("real general", b"3000000000 3000000000 1\n1 1 1\n", "int32"),
        ("real general", b"2 2 2\n1 1 1\n3 2 1\n", "line 4: '3': no row from 1 to 2"),
        ("real general", b"2 2 2\n1 1 1\n0 2 1\n", "line 4: '0': no row from 1 to 2"),
        ("real general", b"2 2 2\n1 1 1\n2 x 1\n", "line 4: 'x': no column from 1 to 2"),
        ("real general", b"2 2 2\n1 1 nan\n2 2 1\n", "line 3: 'nan': NaN or infinite"),
        ("complex general", b"1 1 1\n1 1 1 inf\n", "line 3: 'inf': NaN or infinite"),
        ("real general", b"3 3 1 9\n1 1 1\n", "line 2: '3': rows, columns and entries"),
        ("real general", b"3 3 0_1\n1 1 1\n", "line 2: '0_1': rows, columns and entries"),
        ("real general", b"% \0\n3 3 1\n1 1 1\n", r"line 2: '\\x00': no byte of a text"),
        ("real general", b"3 3 18446744073709551615\n1 1 1\n", "truncated"),
        ("integer general", b"3 3 1\n1 1 1.0\n", r"line 3: '1.0': no integer from -2\^63 to 2\^63 - 1"),
        ("integer general", b"3 3 1\n1 1 9223372036854775808\n", "line 3: '9223372036854775808': no integer"),
        ("unsigned-integer general", b"3 3 1\n1 1 9999999999999999999\n", r"9': no integer .* to 2\^63 - 1"),
        ("complex general", b"3 3 1\n1 1 1\n", "line 3: '': the line ends before its 4 tokens"),
        ("real general", b"3 3 2\n\n%\n2 2 1e308\n2 2 1e308\n", r"entry \(2, 2\) is beyond"),
        ("complex general", b"3 3 1\n2 2 1.5e308 1.5e308\n", r"entry \(2, 2\) is beyond"),
        ("real symmetric", b"3 3 2\n1 2 -1e308\n1 2 -1e308\n", r"entry \(1, 2\) is beyond"),
        ("complex hermitian", b"3 3 1\n1 1 1 1\n", "line 3: '1 1 1 1': on the diagonal and not real"),
        ("complex hermitian", b"3 3 1\n\t1 1 1 5e-324\n", "line 3: '1 1 1 5e-324': on the diagonal and not"),
        ("real general", b"3 3 1\n1 1 " + b" " * (1 << 20) + b"1\n", "line 3 is longer than"),
        ("real general", b"3 3 1\n1 1 " + b" " * (1 << 22), "line 3 is longer than"),
        ("%" * (1 << 21), b"", "line 1 is longer than"),
        (
            "real general",
            b"3 3 1\n1 1 1\n" + (b"%".ljust(999) + b"\n") * 1100 + b"x\n",
            "'x': more entries than the header",
        ),
    ],
    ids=itertools.count(),
)
def test_what_is_refused_beside_numbers(tmp_path: Path, header: str, body: bytes, says: str) -> None:
    path = given(tmp_path, header, body)
    with pytest.raises(InputError, match=rf"^{re.escape(str(path))}: .*{says}") as refusal:
        matrixmarket.read(path)
    assert str(refusal.value).isprintable()


@pytest.mark.parametrize(
    ("header", "body", "values"),
    [
        ("real general", "2 2 3\n1 1 2\n1 2 3\n2 2 4\n", [2.0, 3.0, 0.0, 4.0]),
        ("integer symmetric", "2 2 2\n1 1 2\n2 1 3\n", [2.0, 3.0, 3.0, 0.0]),
        ("real skew-symmetric", "2 2 1\n2 1 3\n", [0.0, -3.0, 3.0, 0.0]),
        ("real general", "2 2 3\n1 1 2\n1 1 3\n2 2 1\n", [5.0, 0.0, 0.0, 1.0]),
        ("pattern general", "2 2 3\n1 1\n2 1\n2 1\n", [1.0, 0.0, 1.0, 0.0]),
        ("real general", "2 2 3\n1 1  4.250000D+02\n2 2 -10.500000d+01\n2 1 1\n", [425.0, 0.0, 1.0, -105.0]),
        ("integer general", f"1 1 2\n1 1 {6 * 10**18}\n1 1 {6 * 10**18}\n", [1.2e19]),
        ("double general", "1 1 1\n1 1 2\n", [2.0]),
        ("unsigned-integer general", "1 1 1\n1 1 2\n", [2.0]),
        ("real symmetric", "2 2 1\n1 2 3\n", [0.0, 3.0, 3.0, 0.0]),
        ("complex hermitian", "2 2 2\n1 1 1.5 1e-400\n2 1 3 5e-324\n", [1.5, 3.0, 3.0, 0.0]),
        ("REAL General % so it is", "\n  1 \t 1 1  \n% c\n\n 1 1 2 \n\n%", [2.0]),
    ],
    ids=[
        "general",
        "symmetric",
        "skew",
        "duplicates",
        "pattern",
        "Fortran",
        "sum of integers",
        "double",
        "unsigned",
        "upper side alone",
        "hard zero",
        "free format",
    ],
)
def test_values_are_those_of_the_file(tmp_path: Path, header: str, body: str, values: list[float]) -> None:
    read = matrixmarket.read(given(tmp_path, header, body.encode()))
    assert read.matrix.toarray().ravel().tolist() == values
    field = header.lower().split()[0]
    assert read.field == {"double": "real", "unsigned-integer": "integer"}.get(field, field)


@pytest.mark.parametrize("banner", [b"%%MatrixMarket", b"%MatrixMarket", b" %%matrixmarket"])
def test_the_banner_may_be_written_in_many_ways(tmp_path: Path, banner: bytes) -> None:
    path = tmp_path / "a.mtx"
    path.write_bytes(banner + b" Matrix COORDINATE real general\n1 1 1\n1 1 2")
    assert matrixmarket.read(path).matrix.toarray().tolist() == [[2.0]]
    path.write_bytes(banner + b" matrix array real general\n3\n1\n2\n3\n")
    with pytest.raises(InputError, match=r"a\.mtx: line 1: stored as a dense array"):
        matrixmarket.read(path)


@pytest.mark.parametrize(
    ("header", "body", "says"),
    [
        ("real symmetric", "2 2 3\n1 1 4\n2 1 -1\n1 2 -1\n", "line 5: '1 2 -1': across the diagonal"),
        (
            "integer symmetric",
            "2 2 4\n1 1 2\n2 2 2\n1 2 -1\n2 1 -1\n",
            "line 6: '2 1 -1': across the diagonal",
        ),
        ("real skew-symmetric", "4 4 2\n2 1 1\n1 1 3.5\n", "line 4: '1 1 3.5': on the diagonal"),
        ("real general", "3 3 2\n1 1 2\n2 2 3\0\n", r"line 4: '3\\x00': no number"),
        ("real", "3 3 2\n1 1 2\n2 2 3\n", "line 1: the header is"),
    ],
    ids=["both triangles", "both of a Laplacian", "skew", "NUL", "four words"],
)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
def test_a_refusal_names_the_file_that_was_given(
    tmp_path: Path, header: str, body: str, says: str, packed: bool
) -> None:
    path = given(tmp_path, header, body.encode())
    if packed:
        path = Path(f"{path}.gz")
        path.write_bytes(gzip.compress(path.with_suffix("").read_bytes()))
    with pytest.raises(InputError, match=rf"^{re.escape(str(path))}: {says}"):
        prepare(resolve(str(path)).text, Preparation("none"))


@pytest.mark.parametrize("count", daily([200_000, 2_000_000], 200_000))
def test_a_million_entries_take_less_than_a_second(tmp_path: Path, count: int) -> None:
    rng = np.random.default_rng(0)
    n = 300_000
    table = np.column_stack([rng.integers(1, n + 1, (count, 2)), rng.integers(1, 10**9, count)])
    body = "\n".join(f"{row} {column} {value}e-7" for row, column, value in table.tolist())
    matrixmarket.read(given(tmp_path, "real general", b"1 1 1\n1 1 1\n"))  # imports
    path = given(tmp_path, "real general", f"{n} {n} {count}\n{body}\n".encode())
    start = time.process_time()
    read = matrixmarket.read(path)
    seconds = time.process_time() - start
    assert read.matrix.data.sum() == pytest.approx(table[:, 2].sum() * 1e-7)
    assert seconds < count / 1e6, f"{seconds:.2f} s"


@pytest.mark.parametrize("data", [b"", b"\x00\xff" * 50, b"%%MatrixMarket", b"1 1 1\n1 1 1\n"])
def test_refuses_what_is_no_matrix_market_file(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "wrong.mtx"
    path.write_bytes(data)
    with pytest.raises(InputError, match="wrong"):
        matrixmarket.read(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="absent"):
        matrixmarket.read(tmp_path / "absent.mtx")
