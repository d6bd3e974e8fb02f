"""Every folder that has to be writable has a setting, and a line names it where one is missing."""

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import commands
from benchmarks.engine import machine
from benchmarks.runs import launch
from fetch import collection, suitesparse
from fillpath import ending, numba_locator, paths
from fillpath.errors import ConfigError, TransferError
from fillpath.paths import ROOT
from fillpath.settings import VARIABLES

# Root may write everything, unless it gives that up.
_DROPPED = "-dac_override,-dac_read_search"
UNPRIVILEGED = ["setpriv", f"--bounding-set={_DROPPED}", "--inh-caps=-all"] if os.geteuid() == 0 else []
needs_permissions = pytest.mark.skipif(
    bool(UNPRIVILEGED) and shutil.which("setpriv") is None, reason="root cannot be denied without setpriv"
)


def no_home() -> Path:
    raise RuntimeError("Could not determine home directory.")


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without HOME and without an entry in the password file."""
    for name in ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)


@pytest.mark.usefixtures("homeless")
def test_without_a_home_the_settings_are_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert paths.cache() == tmp_path / "cache"
    monkeypatch.setenv("FILLPATH_WORK", str(tmp_path / "work"))
    assert list(numba_locator._places()) == [tmp_path / "work/.fillpath/numba", tmp_path / "cache/numba"]
    assert commands.main(["list", "--matrices"]) == 0


@pytest.mark.usefixtures("homeless")
def test_without_a_home_and_a_cache_one_line_names_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FILLPATH_CACHE")
    with pytest.raises(ConfigError, match="set HOME, or FILLPATH_CACHE"):
        paths.cache()


def test_the_folder_of_a_user_that_there_is_not_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILLPATH_MIRROR", "~nobody-of-that-name/mirror")
    with pytest.raises(TransferError, match=r"~nobody-of-that-name/mirror/.*: no such file"):
        suitesparse.fetch("HB", "a")
    monkeypatch.setenv("FILLPATH_MIRROR", "~/mirror")
    assert collection.address("a") == str(Path.home() / "mirror" / "a")


def test_what_cannot_be_written_names_its_setting(tmp_path: Path) -> None:
    assert "set FILLPATH_RESULTS" in paths.remedy(tmp_path / "results" / "m" / "records")
    assert "set FILLPATH_CACHE" in paths.remedy(tmp_path / "cache" / "prepared")
    assert "set FILLPATH_WORK" in paths.remedy(ROOT / ".fillpath" / "logs")
    assert paths.remedy("/proc/nowhere") == ""


def test_a_folder_is_advised_only_where_it_helps() -> None:
    temporary, target = str(ROOT / ".pack.tmp"), str(ROOT / "pack")
    for code in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT):
        assert "; set FILLPATH_WORK" in ending.line(OSError(code, "no", target))
    for code in (errno.ENOENT, errno.EISDIR, errno.ENOTDIR, errno.EEXIST):
        assert ending.line(OSError(code, "no", temporary, None, target)) == f"{target}: no"


def test_every_folder_of_a_checkout_moves_with_one_setting(tmp_path: Path) -> None:
    code = "from fillpath.paths import *; print(PAGE, SITE, WORK)"
    environment = {**os.environ, "FILLPATH_WORK": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert len(done.stdout.split()) == 3
    assert all(Path(word).is_relative_to(tmp_path) for word in done.stdout.split())


def test_the_workflow_goes_to_that_folder_and_keeps_relative_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FILLPATH_RESULTS", "near")
    monkeypatch.setattr(launch, "BASE", tmp_path / "work")
    launch._enter()
    assert Path.cwd() == tmp_path / "work"
    assert os.environ["FILLPATH_RESULTS"] == str(tmp_path / "near")


@pytest.mark.usefixtures("homeless")
def test_the_workflow_has_a_home_of_its_own_where_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(launch, "BASE", tmp_path / "work")
    launch._enter()
    assert os.environ["HOME"] == str(launch.WORK)


def git(folder: Path, *arguments: str) -> None:
    author = ["-c", "user.name=x", "-c", "user.email=x@example"]
    subprocess.run(["git", "-C", str(folder), *author, *arguments], check=True, capture_output=True)


def test_a_release_inside_another_repository_has_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked = tmp_path / "outer" / "fillpath"
    unpacked.mkdir(parents=True)
    git(tmp_path / "outer", "init", "-q")
    git(tmp_path / "outer", "commit", "-q", "--allow-empty", "-m", "x")
    monkeypatch.setattr(machine, "ROOT", unpacked)
    assert machine.git_state() == (None, None)
    monkeypatch.setattr(machine, "ROOT", unpacked.parent)
    commit, dirty = machine.git_state()
    assert commit is not None and len(commit) == 40 and dirty is False


def copied(place: Path) -> Path:
    """A copy of the checkout, without records and tests."""
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True, check=True)
    for name in listed.stdout.splitlines():
        if not name.startswith(("results/", "tests/")) and (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, place / name)
    return place


@pytest.mark.thorough
def test_a_checkout_of_any_name_measures_and_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = copied(tmp_path / "a checkout (it's é)")
    chosen = {"FIGURE": "glu3.levels", "DEVICE": "cpu", "RESULTS": ""}
    for name, value in chosen.items():
        monkeypatch.setenv(f"FILLPATH_{name}", value)
    monkeypatch.setenv("PYTHONPATH", str(place))
    launched = [sys.executable, "-m", "benchmarks.runs.launch"]
    done = subprocess.run(launched, cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(place.glob("results/test-machine/records/*.jsonl"))
    assert (place / "reports/index.html").is_file() and list(place.glob("reports/site/figures/*.svg"))


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Path]:
    """A copy of the checkout in which nothing can be written."""
    place = copied(tmp_path / "checkout")
    folders = [place, *(path for path in place.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    yield place
    for folder in folders:
        folder.chmod(0o755)


@needs_permissions
@pytest.mark.parametrize("work", ["own", ""])
def test_a_checkout_that_cannot_be_written_works_elsewhere_or_names_the_setting(
    checkout: Path, shared_cache: None, work: str, tmp_path: Path
) -> None:
    own = {"PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"}
    chosen = {"FILLPATH_WORK": str(tmp_path / "work")} if work else {}
    case = ["symbolic", "fill2_cpu", "grid2d:6", "--matching", "none", "--samples", "1"]
    done = subprocess.run(
        [*UNPRIVILEGED, sys.executable, "-m", "fillpath", "run", *case],
        cwd=tmp_path, env={**os.environ, **own, **chosen}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == (0 if work else 1), done.stdout + done.stderr
    assert not (checkout / ".fillpath").exists()
    advice = (
        f"fillpath: {checkout}/.fillpath: Permission denied; set FILLPATH_WORK to a folder that you can write"
    )
    assert done.stderr.splitlines()[1:] == ([] if work else [advice])


def test_every_folder_is_listed() -> None:
    folders = {name for name, (meaning, _) in VARIABLES.items() if meaning.startswith("folder of")}
    assert {"FILLPATH_CACHE", "FILLPATH_PACKS", "FILLPATH_RESULTS", "FILLPATH_WORK"} <= folders
