# SPDX-License-Identifier: MIT
"""`test` installs its Python packages by uv, from where pip would have them, or else by pip."""

import sys
from pathlib import Path

import pytest

from lockstep_grader.author.selftest.runner import (
    install_packages,
    pip_options,
    uv_environment,
)
from lockstep_grader.model.errors import FaultError

from conftest import runnable

LISTED = """\
:env:.cert='/own/ca.pem'
:env:.disable-pip-version-check='1'
global.cert='/etc/ca.pem'
global.index-url='https://packages.example/simple'
install.find-links='/wheels\\n/more'
"""


def test_uv_is_told_where_pip_finds_packages() -> None:
    told = uv_environment(pip_options(LISTED), {"HOME": "/home"})
    assert told == {
        "HOME": "/home",
        "SSL_CERT_FILE": "/own/ca.pem",  # the environment's, not the file's
        "UV_DEFAULT_INDEX": "https://packages.example/simple",
        "UV_FIND_LINKS": "/wheels,/more",
    }


def test_what_the_environment_says_of_uv_stays() -> None:
    env = {"UV_DEFAULT_INDEX": "https://other.example/simple"}
    assert uv_environment(pip_options(LISTED), env)["UV_DEFAULT_INDEX"] == env["UV_DEFAULT_INDEX"]


@pytest.mark.parametrize(
    ("failing", "installs"),
    [
        ("nothing", ["-m pip install uv==1.2", "-m uv pip install -r FILE"]),
        ("uv==", ["-m pip install uv==1.2", "-m pip install -r FILE"]),
        (
            "-m uv",
            ["-m pip install uv==1.2", "-m uv pip install -r FILE", "-m pip install -r FILE"],
        ),
    ],
)
def test_pip_does_what_uv_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str, installs: list[str]
) -> None:
    requirements = interpreter(tmp_path, monkeypatch, f'case "$*" in *"{failing}"*) exit 1;; esac')
    install_packages(requirements)
    lines = (tmp_path / "calls").read_text().replace(str(requirements), "FILE").splitlines()
    called = [words_of(line) for line in lines if " install " in line]
    assert called == installs


def test_that_nothing_can_be_installed_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = "echo 'ERROR: Network is unreachable' >&2; exit 1"
    requirements = interpreter(tmp_path, monkeypatch, body)
    with pytest.raises(FaultError) as raised:
        install_packages(requirements)
    assert "connect this machine to the network; try: " in str(raised.value)
    assert str(raised.value).endswith(f"-r {requirements}")


def interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> Path:
    """A Python that notes its arguments, and requirements for it."""
    python = tmp_path / "python"
    runnable(python, f'#!/bin/sh\necho "$*" >> "{tmp_path}/calls"\n{body}\n')
    monkeypatch.setattr(sys, "executable", str(python))
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("other==3\nuv==1.2\n")
    return requirements


def words_of(line: str) -> str:
    """A call without the options that only make it quiet, quick or ours."""
    left_out = {"--quiet", "--no-input", "--retries", "1", "--no-compile", "--python"}
    return " ".join(word for word in line.split() if word not in {*left_out, sys.executable})
