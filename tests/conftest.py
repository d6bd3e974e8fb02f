"""What pytest asks for. The fixtures are in tests/fixtures.py."""

import gc

import pytest

from tests import gpu_presence


def pytest_configure(config: pytest.Config) -> None:
    """Import the fixtures and what they need, but in the process of xdist that runs no test."""
    if not config.getoption("numprocesses", None):
        config.pluginmanager.import_plugin("tests.fixtures")


def pytest_collection_finish() -> None:
    """Have the collector of garbage pass over what lives as long as the tests: modules and 8,000 items."""
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--renew", action="store_true", help="write tests/golden/ anew: tests/test_golden.py")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that need a GPU where there is none."""
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if marked and not gpu_presence.expected():
        config.hook.pytest_deselected(items=marked)
        items[:] = [item for item in items if not item.get_closest_marker("gpu")]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail the tests that need a GPU where a GPU is there, but CuPy cannot use it."""
    if item.get_closest_marker("gpu") and (failure := gpu_presence.failure()):
        pytest.fail(failure, pytrace=False)
