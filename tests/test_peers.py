"""Other people's libraries: where each is found, and what holds for whatever calls them.

A peer whose library is not here is tested as absent only.
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest

from benchmarks.engine import machine, mpirun
from benchmarks.engine import measure as measuring
from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import measure
from commands import main
from fillpath import peers, registry, source_hashes
from fillpath.case import Case, Preparation
from fillpath.errors import ConfigError, UnavailableError, UnknownNameError
from fillpath.nouns import Pattern
from fillpath.paths import CONFIG, ROOT
from fillpath.peers import Peer
from fillpath.record import Record, Status, record_key
from fillpath.settings import Settings, variable_of
from impl.cuda import kernels
from tests import peers_fakes
from tests.test_ranks import require_mpi

LIBRARY = Peer(
    "hypre", "HYPRE", "make it", packages=("no-such-package",),
    file=r"libpeer(-\w+)?(-\d[\d.]*)?\.so(\.\d[\d.]*)?",
)  # fmt: skip


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a system's libraries, with nothing in it."""
    folder = tmp_path / "usr" / "lib"
    folder.mkdir(parents=True)
    monkeypatch.setattr(peers, "_SYSTEM", tmp_path / "usr")
    for name in (
        "LD_LIBRARY_PATH",
        *(variable_of(name) for name, each in peers.peers().items() if each.file),
    ):
        monkeypatch.delenv(name, raising=False)
    return folder


def library(folder: Path, name: str, real: str = "") -> Path:
    """A library of that name, which may be a link to the real one."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / (real or name)).write_bytes(b"\x7fELF, or something like it")
    if real:
        (folder / name).symlink_to(real)
    return folder / name


def package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, bool], name: str = "no-such-package"
) -> Path:
    """An installed package that lists these files, of which some are there."""
    folder = tmp_path / "site"
    facts = folder / f"{name.replace('-', '_')}-3.1.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 3.1\n")
    (facts / "RECORD").write_text("".join(f"{file},,\n" for file in files))
    for file in (file for file, there in files.items() if there):
        library((folder / file).parent, Path(file).name)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    importlib.invalidate_caches()
    return folder


# Where a library is found.


def test_without_a_library_there_is_no_version_and_the_reason_names_what_brings_it(system: Path) -> None:
    assert LIBRARY.version() is None and not LIBRARY.is_packaged and LIBRARY.package == ""
    reason = "HYPRE is not installed: make it, or name its library by FILLPATH_HYPRE"
    assert LIBRARY.installed() == LIBRARY.available() == (False, reason)
    with pytest.raises(UnavailableError, match=re.escape(reason)):
        LIBRARY.library()


def test_the_named_file_comes_first_then_the_package_then_the_users_folders_then_the_systems(
    system: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = [library(system, "libpeer-1.0.so"), library(system.parent / "local" / "lib", "libpeer-0.9.so")]
    assert LIBRARY.library() == order[1]
    order.append(library(tmp_path / "own", "libpeer-0.1.so"))
    monkeypatch.setenv("LD_LIBRARY_PATH", f"{tmp_path / 'none'}::{tmp_path / 'own'}")
    assert (LIBRARY.library(), LIBRARY.version()) == (order[2], "0.1")
    inside = package(tmp_path, monkeypatch, {"peer/libpeer-a1b2.so.9": True, "peer/other.so": True})
    assert LIBRARY.library() == inside / "peer" / "libpeer-a1b2.so.9"
    assert (LIBRARY.version(), LIBRARY.package, LIBRARY.is_packaged) == ("3.1", "no-such-package", True)
    monkeypatch.setenv("FILLPATH_HYPRE", str(order[2]))
    assert (LIBRARY.library(), LIBRARY.version()) == (order[2], "0.1")
    assert LIBRARY.package == "" and not LIBRARY.is_packaged


def test_a_file_that_a_package_lists_and_lacks_is_not_found(
    system: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path, monkeypatch, {"libpeer.so.9": False})
    assert LIBRARY.version() is None
    (system / "libpeer.so.8").symlink_to("libpeer.so.8.0")
    assert LIBRARY.version() is None


def test_the_newest_of_a_folder_is_taken_by_number(system: Path) -> None:
    for name in ("libpeer-2.9.so", "libpeer-2.26.0.so", "libpeer-2.10.so", "libpeer-a9999.so.2.3"):
        library(system, name)
    assert LIBRARY.version() == "2.26.0"
    assert library(system, "libpeer.so.8", "libpeer.so.8.1.2") == LIBRARY.library()
    assert LIBRARY.version() == "8.1.2"


def test_a_version_that_the_name_does_not_tell_is_a_hash_of_the_file(
    system: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = set()
    for number, name in enumerate(("libpeer.so", "libpeer.so.9")):
        file = library(tmp_path / str(number), name)
        file.write_bytes(bytes(number + 1))
        monkeypatch.setenv("FILLPATH_HYPRE", str(file))
        versions.add(LIBRARY.version())
    assert len(versions) == 2 and all(re.fullmatch("sha256:[0-9a-f]{12}", str(each)) for each in versions)


def test_hypre_with_indices_of_64_bits_is_never_taken(system: Path) -> None:
    for name in ("libHYPRE64-2.26.0.so", "libHYPRE64m-2.26.0.so", "libHYPRE_seq-2.26.0.so"):
        library(system, name)
    hypre = peers.peer("hypre")
    assert hypre.version() is None
    assert library(system, "libHYPRE-2.26.0.so") == hypre.library()


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("superlu_dist", "libsuperlu_dist.so.8"),
        ("superlu_dist", "libsuperlu_dist.so.9"),
        ("amgx", "libamgxsh.so"),
        ("umfpack", "libumfpack.so.5"),
        ("umfpack", "libumfpack-1f0c9d7e.so.6.3.5"),
        ("cholmod", "libcholmod.so.3"),
        ("mumps", "libdmumps_seq-5.5.so"),
    ],
)
def test_names_of_libraries(name: str, file: str) -> None:
    pattern = peers.peer(name).file
    assert re.fullmatch(pattern, file)
    for wrong in (file.replace(".so", "_fortran.so", 1), f"{file}.debug", f"x{file}"):
        assert not re.fullmatch(pattern, wrong)


def test_a_setting_that_names_no_file_is_refused_at_the_door(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [variable_of(name) for name, each in peers.peers().items() if each.file]:
        for wrong in (tmp_path, tmp_path / "none"):
            with pytest.raises(ConfigError, match=f"{name}={wrong}: expected a file"):
                Settings.from_env({name: str(wrong)})
    monkeypatch.setenv("FILLPATH_HYPRE", str(tmp_path))
    assert main(["doctor"]) == 2 and "FILLPATH_HYPRE" in capsys.readouterr().err


def test_a_peer_on_ranks_needs_mpi4py_as_well(system: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library(system, "libpeer-1.0.so")
    monkeypatch.setattr(peers, "package_version", lambda name: None)
    assert LIBRARY.available() == (True, "")
    there, why_not = replace(LIBRARY, mpi=True).available()
    assert not there and "mpi4py" in why_not and "'.[mpi]'" in why_not


def test_a_library_is_called_through_the_mpi_that_it_is_linked_with(
    system: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = library(tmp_path / "bin", "mpiexec")
    monkeypatch.setattr(mpirun, "_OWN", tmp_path / "none")
    assert mpirun.mpi_environment(["hypre"]) == {}
    monkeypatch.setattr(mpirun, "_OWN", own)
    assert mpirun.mpi_environment(["hypre"]) == {"MPI4PY_LIBMPI": "libmpi.so.40"}
    assert mpirun.mpi_environment(["klu", "no-peer"]) == mpirun.mpi_environment([]) == {}
    package(tmp_path, monkeypatch, {"libsuperlu_dist.so.9": True}, "dolfinx-solver-real")
    assert mpirun.mpi_environment(["superlu_dist"]) == {}
    if importlib.util.find_spec("mpi4py") is not None:
        assert mpirun.launcher(["superlu_dist"]) == mpirun.launcher([]) == str(own)


def test_no_library_is_loaded_to_learn_where_it_is() -> None:
    code = "from fillpath import peers; peers.versions(); print(open('/proc/self/maps').read())"
    maps = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    files = [peer.file for peer in peers.peers().values() if peer.file]
    loaded = {Path(line.split()[-1]).name for line in maps.stdout.splitlines() if "/" in line}
    assert loaded and not [name for name in loaded if any(re.match(file, name) for file in files)]
    assert not any(word in maps.stdout for word in ("nbklu", "pymklpardiso", "mpi4py", "libmpi"))


# config/peers.yaml.


def test_the_file_is_its_schemas_and_each_peer_has_what_a_user_needs() -> None:
    assert len(peers.peers()) >= 10
    named = {field.name for field in fields(Settings)}
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for name, each in peers.peers().items():
        assert not each.file or name in named
        for words in (each.command, each.declared.get("alternative", "")):
            if install := re.match(r"make peers PEERS=(\w+)", words):
                required = {re.split(r"[^a-z0-9-]", line)[0] for line in extras[install[1]]}
                assert required & set(each.packages), f"{name}: extra {install[1]} has none of its packages"


def make(*words: str) -> subprocess.CompletedProcess[str]:
    """What make would do, which it does not."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    return subprocess.run(["make", "-n", *words], cwd=ROOT, capture_output=True, text=True, check=False)


def test_only_make_peers_installs_peers_and_nothing_calls_the_systems_installer() -> None:
    for target in ("figures", "test", "page", "nightly", "lint"):
        done = make(target)
        assert done.returncode == 0 and "peers" not in done.stdout, target
    install = make("peers").stdout
    assert "--require-hashes -r .fillpath/peers.lock" in install and "--no-deps" in install
    assert "apt" not in install and "sudo" not in install
    for name in ("pardiso", "cudss13", "umfpack", "cholmod"):
        assert name not in install, "by its name only"
        assert f" {name} |" in make("peers", f"PEERS={name}").stdout


def test_a_peer_that_make_does_not_know_is_refused() -> None:
    assert "expected some of klu superlu_dist" in make("peers", "PEERS=hyper").stdout


def test_the_lock_pins_each_package_of_the_extras_that_make_peers_can_install() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    known = re.search(r"^PEERS_KNOWN := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert known
    required = {re.split(r"[^a-z0-9-]", line)[0] for name in known[1].split() for line in extras[name]}
    entries = re.split(r"^(?=[a-z])", (ROOT / "requirements-peers.lock").read_text(), flags=re.MULTILINE)
    pinned = {entry.partition("==")[0] for entry in entries if "==" in entry and "--hash=sha256:" in entry}
    assert pinned == required


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- hypre", "is not of type 'object'"),
        ("[unclosed", "/peers.yaml: "),
        ("hypre: {title: HYPRE}", "is a required property"),
        ("Hypre: {}", "does not match"),
    ],
)
def test_a_damaged_file_is_said_to_be(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "peers.yaml").write_text(text)
    monkeypatch.setattr(peers, "FILE", tmp_path / "peers.yaml")
    with pytest.raises(ConfigError, match=r"^\S+\.yaml: [^\n]+$") as error:
        peers.peers.__wrapped__()
    assert message in str(error.value)


CALL = {"settings": "its defaults", "matrix": "general", "threads": "1", "loop": "none"}


@pytest.mark.parametrize(
    "changes",
    [
        {"licence": ""}, {"colour": "red"}, {"packages": []}, {"file": "HYPRE"},
        {"mpi": "yes"}, {"home": "http://x"}, {"setting": "FILLPATH_HYPRE"},
        {"calls": {}}, {"calls": {"solve": CALL}},
        {"calls": {"solve.hypre": {**CALL, "threads": "2"}}}, {"calls": {"solve.hypre": {"settings": "x"}}},
    ],
)  # fmt: skip
def test_what_is_no_peer_is_refused(
    changes: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = {
        "title": "HYPRE", "home": "https://x", "licence": "MIT", "size": "1 MB", "seen": "2.26.0",
        "file": "libHYPRE", "command": "make it", "calls": {"solve.hypre": CALL},
    }  # fmt: skip
    file = tmp_path / "peers.yaml"
    monkeypatch.setattr(peers, "FILE", file)
    file.write_text(json.dumps({"hypre": right}))
    assert peers.peers.__wrapped__()["hypre"].title == "HYPRE"
    file.write_text(json.dumps({"hypre": {**right, **changes}}))
    with pytest.raises(ConfigError, match=r"\$\.hypre"):
        peers.peers.__wrapped__()


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads((CONFIG / "schemas" / "peers.json").read_text()))


def test_a_peer_that_there_is_not_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"no peer 'hyper'; did you mean hypre\?"):
        peers.peer("hyper")


def test_each_implementation_of_a_peer_is_declared_once() -> None:
    declared = [
        (each.name, name) for each in peers.peers().values() for name in each.declared.get("calls", {})
    ]
    of_peers = [(peers.peer_of(entry.peer), name_of(entry)) for entry in OF_PEERS]
    assert sorted(declared) == sorted((each.name, name) for each, name in of_peers if each is not None)


def test_doctor_has_a_line_for_each(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor"]) == 0
    there = capsys.readouterr().out
    hide(monkeypatch)
    assert main(["doctor"]) == 0
    absent = capsys.readouterr().out
    for each in peers.peers().values():
        assert re.search(rf"^(peer      {each.title} |no peer   {each.title}: )", there, re.MULTILINE)
        assert f"\nno peer   {each.title}: {each.remedy}\n" in absent


# Keys.


def test_a_key_is_the_same_whether_a_record_names_the_peer_or_its_package() -> None:
    assert source_hashes.versions(["cudss"], {"nvidia-cudss-cu12": "0.7"}) == ("0.7",)
    assert source_hashes.versions(["cudss"], {"cudss": "0.8", "nvidia-cudss-cu13": "0.7"}) == ("0.8",)
    assert source_hashes.versions(["cudss"], {"scipy": "1"}) == () == source_hashes.versions(["cudss"], {})


def test_another_version_is_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for entry in OF_PEERS:
        each = peers.peer_of(entry.peer)
        assert each is not None, f"{entry.module}: config/peers.yaml has no {' or '.join(entry.peer)}"
        hashes = {entry.source_hash({each.name: version}) for version in ("1", "2")}
        assert len(hashes | {entry.source_hash({})}) == 3
        monkeypatch.setattr(Peer, "version", lambda peer: "1")
        assert entry.source_hash() in hashes


def test_the_versions_of_a_record_are_those_of_all_peers() -> None:
    there = peers.versions()
    assert {name: machine.versions()[name] for name in there} == there
    assert not [name for name in peers.peers() if name in machine.versions() and name not in there]


# What holds for whatever calls a peer.

LIMITS = Limits(seconds=100, samples=1)
FORKED = replace(LIMITS, forked=True)
OF_PEERS = [entry for entry in registry.registered() if entry.peer and entry.module.startswith("impl.")]
# That .ci/run installs.
OF_CI = {"superlu_dist", "hypre", "klu", "apxchol", "approx_chol"}
# How the results of a stage are held, whoever made them.
GATES = {
    "symbolic": r"row counts|over the rows",
    "numeric": r"over the rows",
    "solve": r"over the rows",
    "laplacian": r"\|\|b - L x\|\|",
}


def hide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave no peer's library or package."""
    monkeypatch.setattr(peers, "_distribution", lambda name: None)
    monkeypatch.setattr(Peer, "_found", lambda peer: (None, None))
    monkeypatch.setattr(machine, "versions", machine.versions.__wrapped__)


def name_of(entry: registry.Implementation) -> str:
    return f"{entry.stage}.{entry.name}"


def case_of(entry: registry.Implementation) -> Case:
    return Case(entry.stage, entry.name, "grid2d,6", Preparation("none", "natural"))


@pytest.mark.parametrize("entry", OF_PEERS, ids=name_of)
def test_a_library_is_called_as_is_declared(entry: registry.Implementation) -> None:
    """As what the implementation takes and reaches tells; none but OpenMP's threads have to be believed."""
    each = peers.peer_of(entry.peer)
    assert each is not None
    call = SimpleNamespace(**each.declared["calls"][name_of(entry)])
    options = {option.name for option in entry.options}
    reached = {definition.name for definition in source_hashes.definitions(entry.function, entry.takes)}
    is_declared = "solved_as_known" in reached
    assert (call.matrix == "declared") == is_declared
    assert (call.matrix == "SPD") == ("known_kind" in reached and not is_declared)
    assert (call.matrix == "pattern") == (entry.takes is Pattern)
    assert (call.matrix == "Laplacian") == (call.loop != "none") == (entry.stage == "laplacian")
    assert (call.loop == "ours") == ("conjugate_gradients" in reached)
    assert (call.threads == "GPU") == (entry.device == "gpu")
    assert (call.threads == "ranks") == ("ranks" in options)
    assert (call.threads == "BLAS") == ("require_fast" in reached)


@pytest.mark.parametrize("entry", OF_PEERS, ids=name_of)
def test_without_its_library_a_case_is_unavailable_with_the_command_that_brings_it(
    entry: registry.Implementation, shared_cache: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    each = peers.peer_of(entry.peer)
    assert each is not None
    if each.name == "scipy":
        pytest.skip("nothing works without SciPy")
    monkeypatch.setattr(kernels, "available", lambda: (True, ""))
    hide(monkeypatch)
    monkeypatch.setattr(measuring, "run_worker", lambda *_: pytest.fail("a process is started"))
    record = measure(case_of(entry), LIMITS)
    assert (record.status, record.reason) == (
        Status.UNAVAILABLE,
        f"{each.title} is not installed: {each.remedy}",
    )


@pytest.mark.parametrize("entry", OF_PEERS, ids=name_of)
def test_with_its_library_a_case_is_a_record_like_any_other(
    entry: registry.Implementation, shared_cache: None
) -> None:
    each = peers.peer_of(entry.peer)
    assert each is not None
    record = measure(case_of(entry), FORKED)
    if record.status is Status.UNAVAILABLE:
        if each.name in OF_CI and os.environ.get("FILLPATH_MPI") == "1":
            pytest.fail(f"{record.reason}, which FILLPATH_MPI=1 asks for")
        pytest.skip(record.reason)
    assert (record.status, record.reason) == (Status.OK, "")
    assert record.verified and re.search(GATES[entry.stage], record.verified.method), record.verified
    assert record.verified.value <= record.verified.bound and len(record.seconds) == 1
    assert record.versions[each.name] == each.version()
    # As whoever has only the record computes it.
    assert record.prepared
    key = record_key(record.case, record.prepared["hash"], entry.source_hash(record.versions), record.machine)
    assert record.key == key


# A peer that goes wrong.


@pytest.fixture
def fakes(own_registry: None, shared_cache: None) -> Iterator[None]:
    """Implementations that call C, whose processes have all ended afterwards."""
    peers_fakes.register()
    yield
    assert not processes()


def processes() -> list[str]:
    """Those that this test's measurements have started and not ended: they have its folder of results."""
    folder = f"FILLPATH_RESULTS={os.environ['FILLPATH_RESULTS']}".encode()
    left = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if folder in (place / "environ").read_bytes().split(b"\0"):
                left.append((place / "cmdline").read_text())
        except OSError:
            continue
    return left


def called(way: str, ranks: int, seconds: float = 100) -> Record:
    options = {"way": way, **({"ranks": str(ranks)} if ranks > 1 else {})}
    case = Case("symbolic", "calls_c", "grid2d,6", options=tuple(sorted(options.items())))
    return measure(case, replace(LIMITS, seconds=seconds), fresh=True)


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize(
    ("way", "status", "reason"),
    [
        ("crash", Status.ERROR, "SIGSEGV|Segmentation fault|signal 11|signal: 11"),
        ("exit", Status.ERROR, "ended early|exit"),
        ("load", Status.UNAVAILABLE, "SciPy cannot be loaded: libabsent.so.3: "),
        ("hang", Status.TIMEOUT, "not done within"),
        ("print", Status.OK, "^$"),
    ],
)
@pytest.mark.usefixtures("fakes")
def test_a_library_that_goes_wrong_is_a_record_and_harms_nothing(
    way: str, status: Status, reason: str, ranks: int
) -> None:
    if ranks > 1:
        require_mpi()
    record = called(way, ranks, 2 * ranks if way == "hang" else 100)
    assert record.status is status and re.search(reason, record.reason), record.reason
    assert bool(record.seconds) == (status is Status.OK)
    assert not processes()
