"""The table of planted mistakes does not rot: each can still be planted, and what has to see it is there."""

import ast

import pytest

from fillpath.paths import ROOT
from tests.mutations import MUTATIONS, Mutation, judged, unfit


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: str(mutation.name))
def test_a_mistake_can_be_planted_and_its_test_exists(mutation: Mutation) -> None:
    assert unfit(mutation) == "" and mutation.new != mutation.old
    file, _, name = mutation.test.partition("::")
    functions = {node.name: node for node in ast.parse((ROOT / "tests" / file).read_text()).body
                 if isinstance(node, ast.FunctionDef)}  # fmt: skip
    marks = [ast.unparse(mark) for mark in functions[name].decorator_list]
    assert not {"pytest.mark.thorough", "pytest.mark.gpu"} & set(marks), "it does not run every day"


def test_names_are_of_one_mistake_each() -> None:
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS) >= 20


@pytest.mark.parametrize(
    ("status", "printed", "killer", "trouble"),
    [
        (0, "1 passed in 1s", "", "survived"),
        (1, "F\nFAILED t.py::test[x - y] - assert 1 - 2\n1 failed", "t.py::test[x - y]", ""),
        (1, "F\nFAILED t.py::test\n1 failed", "t.py::test", ""),
        (1, "E\nERROR t.py::test - KeyError\n1 error", "", "no test failed, pytest ended with 1: 1 error"),
        (1, "F\nFAILED t.py::test - ImportError: no\n1 failed", "", "broke t.py::test: ImportError: no"),
        (1, "F\nFAILED t.py::test - Failed: Timeout >9s\n1 failed", "", "broke t.py::test: Failed: Timeout"),
        (2, "ERROR t.py\n1 error in 1s", "", "no test failed, pytest ended with 2: 1 error in 1s"),
        (4, "", "", "no test failed, pytest ended with 4"),
        (5, "1 deselected", "", "no test failed, pytest ended with 5"),
    ],
)  # fmt: skip
def test_only_a_test_that_failed_has_seen_a_mistake(
    status: int, printed: str, killer: str, trouble: str
) -> None:
    assert judged(status, printed)[0] == killer
    assert judged(status, printed)[1].startswith(trouble) and bool(killer) is not bool(trouble)
