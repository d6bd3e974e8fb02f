"""Tests of a GPU are left out without a GPU, and fail where a GPU is there that CuPy cannot use."""

import ctypes
from pathlib import Path

import pytest

from impl.cuda import kernels
from tests import gpu_presence

pytest_plugins = "pytester"

CONFTEST = "from tests.conftest import pytest_collection_modifyitems, pytest_runtest_setup"
TESTS = """
import pytest

@pytest.mark.gpu
def test_on_a_gpu(): pass

@pytest.mark.gpu
@pytest.mark.thorough
def test_more_on_a_gpu(): pass

@pytest.mark.thorough
def test_more(): pass

def test_anywhere(): pass
"""


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """A machine with a device file, a library that loads (`driver`), or a GPU that CuPy sees (`cupy`)."""
    parts = request.param
    devices = tmp_path / "dev"
    devices.mkdir()
    if "device" in parts:
        (devices / "nvidia0").touch()
    # A library that exists everywhere stands in for the driver's.
    driver = ctypes.pythonapi._name if "driver" in parts else str(tmp_path / "libcuda.so.1")
    monkeypatch.setattr(gpu_presence, "DEVICES", devices)
    monkeypatch.setattr(gpu_presence, "DRIVER", driver)
    monkeypatch.setattr(kernels, "available", lambda: ("cupy" in parts, "" if "cupy" in parts else "planted"))
    for name in ("expected", "failure"):
        monkeypatch.setattr(gpu_presence, name, getattr(gpu_presence, name).__wrapped__)


def outcomes(pytester: pytest.Pytester, *arguments: str) -> dict[str, int]:
    pytester.makeini("[pytest]\naddopts = -m 'not thorough' -p no:cacheprovider\nmarkers = gpu\n thorough\n")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_inprocess(*arguments)
    found = result.parseoutcomes()
    if "errors" in found:
        result.stdout.fnmatch_lines("*a GPU is there, but CuPy cannot use it: planted*")
    return found


@pytest.mark.parametrize("machine", [()], indirect=True)
def test_without_a_gpu_its_tests_are_left_out(machine: None, pytester: pytest.Pytester) -> None:
    assert outcomes(pytester) == {"passed": 1, "deselected": 3}
    assert outcomes(pytester, "-m", "gpu") == {"deselected": 4}


@pytest.mark.parametrize("machine", [("device",), ("driver",), ("device", "driver")], indirect=True)
def test_a_gpu_that_cupy_cannot_use_fails_its_tests(machine: None, pytester: pytest.Pytester) -> None:
    assert outcomes(pytester) == {"passed": 1, "errors": 1, "deselected": 2}
    assert outcomes(pytester, "-m", "gpu") == {"errors": 2, "deselected": 2}


@pytest.mark.parametrize("machine", [("cupy",), ("cupy", "device", "driver")], indirect=True)
def test_with_a_gpu_its_tests_run_and_m_gpu_runs_the_thorough_too(
    machine: None, pytester: pytest.Pytester
) -> None:
    assert outcomes(pytester) == {"passed": 2, "deselected": 2}
    assert outcomes(pytester, "-m", "gpu") == {"passed": 2, "deselected": 2}
    assert outcomes(pytester, "-m", "thorough") == {"passed": 2, "deselected": 2}


@pytest.mark.parametrize("machine", [("device", "driver")], indirect=True)
def test_whoever_chose_no_cuda_is_not_failed(
    machine: None, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILLPATH_CUDA", "none")
    assert outcomes(pytester) == {"passed": 1, "deselected": 3}
