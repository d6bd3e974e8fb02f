"""The grammar of case names: every case has one name, every name one case."""

import re
import string
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fillpath.case import MATCHINGS, ORDERINGS, Case, Preparation, matrix_id
from fillpath.errors import UnknownNameError

NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,12}", fullmatch=True)
OPTION_NAMES = NAMES.filter(lambda name: name not in ("seed", "threads", "gpus"))
VALUES = st.text(string.ascii_letters + string.digits + "._,+-", min_size=1, max_size=12)
MATRICES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._=,+-]{0,20}", fullmatch=True)
PREPARATIONS = st.builds(Preparation, st.sampled_from(MATCHINGS), st.sampled_from(ORDERINGS), st.booleans())
CASES = st.builds(
    Case,
    stage=NAMES,
    implementation=NAMES,
    matrix=MATRICES,
    preparation=PREPARATIONS,
    options=st.dictionaries(OPTION_NAMES, VALUES, max_size=4).map(lambda d: tuple(sorted(d.items()))),
    seed=st.integers(0, 10**6),
    threads=st.integers(0, 512),
    gpus=st.integers(0, 64),
)


@given(CASES)
def test_a_name_gives_the_case_back_and_is_safe_as_a_file_and_a_wildcard(case: Case) -> None:
    assert Case.parse(case.name) == case
    assert re.fullmatch(r"[A-Za-z0-9._=,@+-]+", case.name)
    assert case.name.count("@") == 1


@given(CASES, CASES, st.sampled_from([field.name for field in fields(Case)]))
def test_two_cases_that_differ_in_a_field_never_share_a_name(one: Case, other: Case, name: str) -> None:
    near = replace(one, **{name: getattr(other, name)})
    assert (one.name == near.name) == (one == near)


@given(st.text(string.ascii_letters + string.digits + "._=,@+-/ ", max_size=60))
def test_any_text_parses_to_its_own_case_or_is_refused(text: str) -> None:
    try:
        case = Case.parse(text)
    except UnknownNameError:
        return
    assert case.name == text


def test_the_printed_example() -> None:
    case = Case.parse("symbolic.gsofa.memory_budget=1GiB@onetone2.metis")
    assert case == Case(
        "symbolic", "gsofa", "onetone2", Preparation(ordering="metis"), (("memory_budget", "1GiB"),)
    )


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("symbolic.gsofa", "expected stage.implementation"),
        ("symbolic.gsofa@onetone2", "expected stage.implementation"),
        ("symbolic.gsofa@onetone2.amdd", "ordering 'amdd'"),
        ("symbolic.gsofa@onetone2.none+metis", "write 'metis'"),
        ("symbolic.gsofa.b=1.a=1@onetone2.metis", "write 'symbolic.gsofa.a=1.b=1@onetone2.metis'"),
        ("symbolic.gsofa.a=1.a=2@onetone2.metis", "write 'symbolic.gsofa.a=2@onetone2.metis'"),
        ("symbolic.gsofa.a@onetone2.metis", "value of option a ''"),
        ("symbolic.gsofa.threads=0@onetone2.metis", "threads '0'"),
        ("symbolic.gsofa@one tone.metis", "matrix 'one tone'"),
    ],
)
def test_a_refusal_says_which_part(name: str, why: str) -> None:
    with pytest.raises(UnknownNameError, match=re.escape(why)):
        Case.parse(name)


def test_names_too_long_for_a_file_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="characters"):
        Case("symbolic", "fill1", "m" * 300)


def test_matrix_ids_write_colons_and_slashes_otherwise() -> None:
    assert matrix_id("poisson3d:40:aniso") == "poisson3d,40,aniso"
    assert matrix_id("HB/bcsstk18") == "HB+bcsstk18"
