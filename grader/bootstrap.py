# SPDX-License-Identifier: MIT
"""Finds or makes the Python that runs the grader, and prints its path. Standard library only.

The choice is the private .venv with the pinned packages. If it cannot be made, without a network
for example, this Python is used instead, provided that every package can be imported.
"""

import sys

if sys.version_info < (3, 10):  # noqa: UP036  # started by hand
    print(
        "lab: Python 3.10 or newer is needed (Debian 12, Ubuntu 22.04 and later have it)",
        file=sys.stderr,
    )
    sys.exit(3)

import contextlib
import fcntl
import functools
import importlib.util
import os
import shutil
import subprocess
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "grader" / "src"
sys.path.insert(0, str(SOURCE))

from lockstep_grader.toolchain.installers import (  # noqa: E402
    apt_cause,
    bundled_pip,
    install_command,
    pip_cause,
    pip_command,
    pip_environment,
)

REQUIREMENTS = ROOT / "grader" / "requirements.txt"
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
STAMP = VENV / "installed.txt"  # a copy of the requirements, made last: no stamp, no whole .venv
STATE = ROOT / ".lockstep"
FALLBACK = STATE / "system-python"  # remembers that this machine uses its own packages
NEEDED = ("typer", "rich", "pydantic")  # what no verb can do without
DISTRIBUTIONS = "/usr/bin/python3"
# Exits with 0 if a .venv can be made of it.
IS_BASE = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))"


class SetUpError(Exception):
    """Why the .venv could not be made, in one line with the next step."""


def main() -> int:
    with _lock():
        if _is_whole():
            print(VENV_PYTHON)
            return 0
        if _remembered() == sys.executable and not _missing():
            print(sys.executable)
            return 0
        try:
            _make_venv()
        except SetUpError as error:
            if missing := _missing():
                _say(f"{error}; then run this again (not installed: {', '.join(missing)})")
                return 3
            _say(f"no .venv ({error}); using {sys.executable}, which has the packages")
            _remember(sys.executable)
            print(sys.executable)
            return 0
    print(VENV_PYTHON)
    return 0


def _make_venv() -> None:
    started = time.monotonic()
    _say("first use: making .venv with the pinned Python packages ...")
    try:
        if VENV.exists():  # half-made by a run that was killed, or of other requirements
            shutil.rmtree(VENV)
        if _base() == sys.executable and not importlib.util.find_spec("ensurepip"):
            _install_venv_package()
        _make_empty_venv()
        # Python compiles the modules that are imported; pip would compile three times as many.
        pip = [*pip_command(str(VENV_PYTHON)), "--no-compile", "-r", str(REQUIREMENTS)]
        # Where the checkout is read-only later, each start would compile the grader again.
        grader = [str(VENV_PYTHON), "-m", "compileall", "-q", str(SOURCE)]
        with subprocess.Popen(grader, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
            _run(pip, "cannot install the Python packages")
        shutil.copyfile(REQUIREMENTS, STAMP)
    except (OSError, zipfile.BadZipFile, subprocess.CalledProcessError) as error:
        raise SetUpError(f"cannot make .venv: {pip_cause(str(error))}") from error
    _say(f"made .venv in {time.monotonic() - started:.0f} s")


def _make_empty_venv() -> None:
    """A .venv with pip in it: its wheel unpacked, which takes an eighth of the usual time."""
    argv = [_base(), "-m", "venv", str(VENV)]
    if not (wheel := bundled_pip()):
        _run(argv, "cannot make .venv")
        return
    _run([*argv, "--without-pip"], "cannot make .venv")
    where = [str(VENV_PYTHON), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = subprocess.run(where, capture_output=True, text=True, check=True).stdout.strip()
    with zipfile.ZipFile(wheel) as pip:
        pip.extractall(packages)


@functools.cache
def _base() -> str:
    """The distribution's Python if possible, or else this one.

    Distributions optimise it. One that pyenv or a person compiled is often slower.
    """
    try:
        done = subprocess.run([DISTRIBUTIONS, "-c", IS_BASE], capture_output=True)
    except OSError:
        return sys.executable
    return DISTRIBUTIONS if done.returncode == 0 else sys.executable


def _install_venv_package() -> None:
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    as_root = os.geteuid() == 0
    forbidden = "--no-install" in sys.argv or os.environ.get("LOCKSTEP_INSTALL") == "off"
    if forbidden or not as_root or not shutil.which("apt-get"):
        command = install_command([package], as_root)
        raise SetUpError(f"Python's venv module is missing; run: {command}")
    _say(f"installing by apt-get: {package} ... (--no-install forbids it)")
    _run(["apt-get", "-q", "update"], "apt-get update failed", apt_cause)
    _run(["apt-get", "-q", "install", "-y", package], f"cannot install {package}", apt_cause)
    importlib.invalidate_caches()


def _run(argv: Sequence[str], problem: str, cause: Callable[[str], str] = pip_cause) -> None:
    env = {**pip_environment(), "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(argv, env=env, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise SetUpError(f"{problem}: {cause(done.stdout + done.stderr)}")


def _is_whole() -> bool:
    try:
        same = STAMP.read_bytes() == REQUIREMENTS.read_bytes()
    except OSError:
        return False
    return same and os.access(VENV_PYTHON, os.X_OK)


def _missing() -> list[str]:
    return [name for name in NEEDED if not importlib.util.find_spec(name)]


def _remembered() -> str:
    try:
        return FALLBACK.read_text("utf-8").strip()
    except OSError:
        return ""


def _remember(python: str) -> None:
    with contextlib.suppress(OSError):  # a checkout that is read only still works
        FALLBACK.write_text(python + "\n", "utf-8")


@contextlib.contextmanager
def _lock() -> Iterator[None]:
    """Lets one process at a time set up; without a lock where the checkout is read only."""
    try:
        STATE.mkdir(exist_ok=True)
        stream = (STATE / "set-up.lock").open("w")
    except OSError:
        yield
        return
    with stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def _say(line: str) -> None:
    print(f"lab: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        _say("interrupted; the next start makes .venv anew")
        sys.exit(130)
