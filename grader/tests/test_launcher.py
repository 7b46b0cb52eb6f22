# SPDX-License-Identifier: MIT
"""The `lab` launcher: makes its .venv once, notices a half-made one, does without a network."""

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PACKAGE = """\
import os, sys
print(sys.prefix, os.getcwd(), *sys.argv[1:])
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A checkout whose package says where it runs, and needs no packages of anyone."""
    root = tmp_path / "a checkout"
    package = root / "grader" / "src" / "lockstep_grader"
    package.mkdir(parents=True)
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
    first = lab(copy, "grade", "some where")
    assert first.returncode == 0, first.stderr
    assert first.stdout.split("\n")[0] == f"{copy}/.venv {copy.parent} grade some where"
    assert "making .venv" in first.stderr
    second = lab(copy)
    assert second.stdout.startswith(f"{copy}/.venv ")
    assert second.stderr == ""


def test_a_half_made_venv_is_made_anew(copy: Path) -> None:
    (copy / ".venv" / "bin").mkdir(parents=True)
    (copy / ".venv" / "bin" / "python").write_text("#!/bin/sh\nexit 1\n")
    (copy / ".venv" / "bin" / "python").chmod(0o755)
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
    for name in ("typer", "rich"):
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
    bootstrap.write_text(bootstrap.read_text().replace('("typer", "rich")', '("no_such_module",)'))
    ran = lab(copy, PIP_NO_INDEX="1")
    assert ran.returncode == 3
    last = ran.stderr.splitlines()[-1]
    assert "cannot install the Python packages" in last
    assert "no_such_module cannot be imported" in last
    assert "Traceback" not in ran.stderr


def test_without_python_there_is_one_line_with_the_next_step(copy: Path, tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "readlink", "cmp"):
        (tools / name).symlink_to(shutil.which(name) or "")
    (tools / "python3").write_text("#!/bin/sh\n[ $1 = --version ] && echo Python 3.9.2\nexit 1\n")
    (tools / "python3").chmod(0o755)
    ran = lab(copy, PATH=str(tools))
    assert ran.returncode == 3
    assert ran.stderr.count("\n") == 1
    assert "python3 3.10 or newer is needed, but there is" in ran.stderr
    assert "apt-get install -y python3 python3-venv" in ran.stderr


def test_a_file_in_the_callers_folder_shadows_no_module(copy: Path) -> None:
    (copy.parent / "lockstep_grader.py").write_text("raise SystemExit('shadowed')\n")
    assert lab(copy).returncode == 0


def test_a_python_without_venv_names_the_one_command(monkeypatch: pytest.MonkeyPatch) -> None:
    bootstrap = runpy.run_path(str(REPOSITORY / "grader" / "bootstrap.py"))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    package = f"python3.{sys.version_info.minor}-venv"
    with pytest.raises(bootstrap["SetUpError"]) as caught:
        bootstrap["_install_venv_package"]()
    command = f"sudo apt-get update && sudo apt-get install -y {package}"
    assert str(caught.value) == f"Python's venv module is missing; run: {command}"
