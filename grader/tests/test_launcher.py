# SPDX-License-Identifier: MIT
"""The `lab` launcher: makes its .venv once, notices a half-made one, does without a network."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from lockstep_grader.__main__ import complain_of_missing
from lockstep_grader.toolchain.installers import install_command, pip_cause

from conftest import runnable
from repository import REPOSITORY

PACKAGE = """\
import os, sys
print(sys.prefix, os.getcwd(), *sys.argv[1:])
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A checkout whose package says where it runs, and needs no packages of anyone."""
    root = tmp_path / "a checkout"
    package = root / "grader" / "src" / "lockstep_grader"
    for folder in ("toolchain", "model"):
        (package / folder).mkdir(parents=True)
    names = ("toolchain/__init__.py", "toolchain/installers.py", "model/__init__.py")
    for name in ("__init__.py", *names, "model/errors.py"):
        shutil.copy(REPOSITORY / "grader" / "src" / "lockstep_grader" / name, package / name)
    (package / "__main__.py").write_text(PACKAGE)
    (root / "grader" / "requirements.txt").write_text("# nothing\n")
    shutil.copy(REPOSITORY / "lab", root / "lab")
    shutil.copy(REPOSITORY / "grader" / "bootstrap.py", root / "grader" / "bootstrap.py")
    return root


def lab(root: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    python = Path(sys.executable).parent
    path = f"{python}:{os.environ['PATH']}"
    return subprocess.run(
        [root / "lab", *arguments],
        cwd=root.parent,
        env={**clean, "PATH": path, **env},
        capture_output=True,
        text=True,
    )


def test_the_first_start_makes_a_venv_and_the_second_is_silent(copy: Path) -> None:
    """A file in the caller's folder shadows no module of ours."""
    (copy.parent / "lockstep_grader.py").write_text("raise SystemExit('shadowed')\n")
    first = lab(copy, "grade", "some where")
    assert first.returncode == 0, first.stderr
    assert first.stdout.split("\n")[0] == f"{copy}/.venv {copy.parent} grade some where"
    assert "making .venv" in first.stderr
    pip = [str(copy / ".venv/bin/python"), "-m", "pip", "--version"]
    assert str(copy) in subprocess.check_output(pip, text=True)  # packages can be added
    second = lab(copy)
    assert second.stdout.startswith(f"{copy}/.venv ")
    assert second.stderr == ""


def test_a_half_made_venv_is_made_anew(copy: Path) -> None:
    (copy / ".venv" / "bin").mkdir(parents=True)
    runnable(copy / ".venv" / "bin" / "python", "#!/bin/sh\nexit 1\n")
    ran = lab(copy)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(f"{copy}/.venv ")


def test_other_requirements_make_the_venv_anew(copy: Path) -> None:
    stamp = copy / ".venv" / "installed.txt"
    stamp.parent.mkdir()
    stamp.write_text("# others\n")
    assert lab(copy).returncode == 0
    assert stamp.read_text() == "# nothing\n"


def test_without_a_network_the_packages_of_this_python_will_do(copy: Path) -> None:
    (copy / "grader" / "requirements.txt").write_text("no-such-package-as-this==1.0\n")
    site = copy / "site"
    for name in ("typer", "rich", "pydantic"):
        (site / name).mkdir(parents=True)
        (site / name / "__init__.py").touch()
    offline = {"PIP_NO_INDEX": "1", "PYTHONPATH": str(site)}
    first = lab(copy, **offline)
    assert first.returncode == 0, first.stderr
    assert "which has the packages" in first.stderr
    assert not first.stdout.startswith(f"{copy}/.venv ")
    assert lab(copy, **offline).stderr == ""  # remembered: no second try at making one


def test_without_network_and_packages_there_is_one_line_with_the_cause(copy: Path) -> None:
    (copy / "grader" / "requirements.txt").write_text("no-such-package-as-this==1.0\n")
    bootstrap = copy / "grader" / "bootstrap.py"
    bootstrap.write_text(
        bootstrap.read_text().replace('("typer", "rich", "pydantic")', '("no_such_module",)')
    )
    ran = lab(copy, PIP_NO_INDEX="1")
    assert ran.returncode == 3
    last = ran.stderr.splitlines()[-1]
    assert "cannot install the Python packages" in last
    assert "not installed: no_such_module" in last
    assert "Traceback" not in ran.stderr


def test_without_python_there_is_one_line_with_the_next_step(copy: Path, tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "readlink", "cmp"):
        (tools / name).symlink_to(shutil.which(name) or "")
    runnable(tools / "python3", "#!/bin/sh\n[ $1 = --version ] && echo Python 3.9.2\n")
    ran = lab(copy, PATH=str(tools))
    assert ran.returncode == 3
    assert ran.stderr.count("\n") == 1
    assert "python3 3.10 or newer is needed, but there is" in ran.stderr
    assert "Ubuntu 22.04" in ran.stderr
    (tools / "python3").unlink()
    (tools / "dnf").symlink_to("/bin/true")
    assert lab(copy, PATH=str(tools)).stderr.endswith(
        "there is no python3; install it: dnf install -y python3\n"
    )
    (tools / "apt-get").symlink_to("/bin/true")
    assert "apt-get install -y python3 python3-venv" in lab(copy, PATH=str(tools)).stderr


@pytest.mark.parametrize(("version_info", "is_taken"), [("(3, 12)", True), ("(3, 9)", False)])
def test_the_distributions_python_is_the_base_where_it_can_be(
    version_info: str, is_taken: bool, tmp_path: Path
) -> None:
    """It is optimised, but may be too old, or without venv."""
    bootstrap = runpy.run_path(str(REPOSITORY / "grader" / "bootstrap.py"))
    base = bootstrap["_base"].__wrapped__
    assert bootstrap["DISTRIBUTIONS"] == "/usr/bin/python3"
    python = tmp_path / "python3"
    runnable(
        python,
        f'#!/bin/sh\nexec {sys.executable} -c "import sys; '
        f'sys.version_info = {version_info}; $2"\n',
    )
    base.__globals__["DISTRIBUTIONS"] = str(python)
    assert base() == (str(python) if is_taken else sys.executable)
    python.unlink()
    assert base() == sys.executable


def test_a_python_without_venv_names_the_one_command(monkeypatch: pytest.MonkeyPatch) -> None:
    bootstrap = runpy.run_path(str(REPOSITORY / "grader" / "bootstrap.py"))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    package = f"python3.{sys.version_info.minor}-venv"
    with pytest.raises(bootstrap["SetUpError"]) as caught:
        bootstrap["_install_venv_package"]()
    command = install_command([package], as_root=False)
    assert package in command
    assert str(caught.value) == f"Python's venv module is missing; run: {command}"


def test_launcher_bootstrap_and_package_ask_for_the_same_python() -> None:
    project = (REPOSITORY / "grader" / "pyproject.toml").read_text()
    needed = re.search(r'requires-python = ">=(3)\.(\d+)"', project)
    assert needed
    major, minor = needed.groups()
    launcher = (REPOSITORY / "lab").read_text()
    assert f"sys.version_info < ({major}, {minor})" in launcher
    assert f"python{major}.{minor};" in launcher  # the oldest that it looks for
    assert f"{major}.{minor} or newer" in launcher
    bootstrap = (REPOSITORY / "grader" / "bootstrap.py").read_text()
    assert f"sys.version_info < ({major}, {minor})" in bootstrap
    assert f"{major}.{minor} or newer" in bootstrap
    assert f'target-version = "py{major}{minor}"' in project
    assert f'python_version = "{major}.{minor}"' in project


@pytest.mark.parametrize(
    ("said", "meaning"),
    [
        ("OSError: [Errno 28] No space left on device", "the disk is full: free 1 GB"),
        ("ProxyError('Cannot connect to proxy.')\nERROR: No matching", "the proxy refuses"),
        ("Temporary failure in name resolution\nERROR: No matching", "cannot be reached"),
        ("SSLError(CERTIFICATE_VERIFY_FAILED)", "PIP_CERT"),
        ("[Errno 30] Read-only file system: '/x/.venv'", "the checkout is read-only"),
        ("ERROR: No matching distribution found for x\nnote: y", "ERROR: No matching dist"),
        ("", "no output"),
    ],
)
def test_why_pip_failed_is_one_line_with_the_next_step(said: str, meaning: str) -> None:
    assert meaning in pip_cause(said)
    assert "\n" not in pip_cause(said)


def test_a_venv_that_lost_a_package_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "installed.txt").touch()
    error = ModuleNotFoundError("No module named 'rich'", name="rich")
    assert complain_of_missing(error, tmp_path) == 3
    assert "pip install -r grader/requirements.txt" in capsys.readouterr().err
    assert (tmp_path / "installed.txt").exists()  # not ours
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert complain_of_missing(error, tmp_path) == 3
    said = capsys.readouterr().err
    assert said == f"lab: {tmp_path} lacks rich; run the same command again: it makes .venv anew\n"
    assert not (tmp_path / "installed.txt").exists()


# ---- the pinned packages can be installed on every Python that the grader supports


GRADER = Path(__file__).parents[1]
# Ubuntu 22.04, Debian 12, Ubuntu 24.04 and Debian 13 have these.
PYTHONS = ("3.10.0", "3.11.2", "3.12.3", "3.13.5")


def pins(file: Path) -> list[Requirement]:
    lines = file.read_text("utf-8").splitlines()
    return [Requirement(line) for line in lines if line.strip() and line[0] not in "#-"]


def holds(pin: Requirement, python: str) -> bool:
    names = {"python_version": python.rpartition(".")[0], "python_full_version": python}
    return pin.marker is None or pin.marker.evaluate(names)


@pytest.mark.parametrize(
    "name", ["requirements.txt", "requirements-dev.txt", "requirements-site.txt"]
)
def test_a_pin_excludes_no_python_that_it_is_for(name: str) -> None:
    """Each package says so itself; what is not installed here is a pin of another Python."""
    wrong = []
    for pin in pins(GRADER / name):
        try:
            found = metadata(pin.name)
        except PackageNotFoundError:
            continue
        if found["Version"] not in pin.specifier:
            continue
        allowed = SpecifierSet(found["Requires-Python"] or "")
        wrong += [
            f"{pin} needs Python {allowed}, not {python}"
            for python in PYTHONS
            if holds(pin, python) and python not in allowed
        ]
    assert not wrong


@pytest.mark.parametrize("python", PYTHONS)
def test_each_package_has_one_version_for_a_python(python: str) -> None:
    for file in GRADER.glob("requirements*.txt"):
        names = [pin.name for pin in pins(file) if holds(pin, python)]
        assert len(names) == len(set(names)), file.name
