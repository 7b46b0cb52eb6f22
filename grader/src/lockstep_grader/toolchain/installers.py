# SPDX-License-Identifier: MIT
"""How pip is run, why it or apt-get failed, and what installs Debian's packages elsewhere.

Debian and Ubuntu are tried; the names on other systems come from their package lists
(docs/measured.md).

Standard library only: bootstrap.py uses it before there is any package.
"""

import importlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path

from lockstep_grader.model.errors import FaultError

# What pip wrote, and what it means; the first that fits. pip's own last line often names a symptom.
_CAUSES = (
    (r"No space left on device|Disk quota exceeded", "the disk is full: free 1 GB"),
    (
        r"ProxyError|Cannot connect to proxy|Tunnel connection failed|Proxy Authentication",
        "the proxy refuses: check HTTPS_PROXY",
    ),
    (
        r"CERTIFICATE_VERIFY_FAILED|SSLError",
        "the server's certificate is not trusted: name your network's in PIP_CERT",
    ),
    (
        r"NewConnectionError|NameResolutionError|Temporary failure in name resolution"
        r"|ConnectTimeoutError|Network is unreachable|Failed to establish a new connection"
        r"|ReadTimeoutError|IncompleteRead|Connection (?:reset|aborted|broken)",
        "the package server cannot be reached: connect this machine to the network",
    ),
    (r"Read-only file system", "the checkout is read-only: copy it to a folder of your own"),
    (r"Permission denied", "no permission to write: chown the checkout, or copy it"),
    (r"No module named pip", "it has no pip: remove .venv"),
)

_APT_CAUSES = (
    (r"No space left on device|don't have enough free space", "the disk is full: free 1 GB"),
    (
        r"Temporary failure resolving|Could not connect|Network is unreachable|Could not resolve",
        "the package server cannot be reached: connect this machine to the network",
    ),
    (r"Could not get lock", "another apt-get runs: wait for its end, then run again"),
)


def apt_cause(output: str) -> str:
    """Why apt-get failed and what to do about it, in one line."""
    for pattern, meaning in _APT_CAUSES:
        if re.search(pattern, output):
            return meaning
    return _last_line(output)


def bundled_pip() -> Path | None:
    """The wheel from which ensurepip installs pip: Python's own, or the distribution's."""
    own = importlib.util.find_spec("ensurepip")
    folders = [Path(own.origin).parent / "_bundled"] if own and own.origin else []
    folders += [Path(sysconfig.get_config_var("WHEEL_PKG_DIR") or "/usr/share/python-wheels")]
    return next((wheel for folder in folders for wheel in folder.glob("pip-*.whl")), None)


def pip_command(python: str, verb: str = "install") -> list[str]:
    return [python, "-m", "pip", verb, "--quiet", "--no-input", "--retries", "1"]


def pip_environment(env: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Our environment variables, except those that do not concern the new environment."""
    clean = {**env, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore"}
    clean.pop("PYTHONPATH", None)
    return clean


def pip_cause(output: str) -> str:
    """Why pip failed and what to do about it, in one line."""
    for pattern, meaning in _CAUSES:
        if re.search(pattern, output):
            return meaning
    return _last_line(output)


def _last_line(output: str) -> str:
    """The last error, or the last line where none is called one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("ERROR:", "E: "))]
    return (errors or lines or ["no output"])[-1]


_INSTALL = {
    "debian": "apt-get update && {sudo}apt-get install -y",
    "fedora": "dnf install -y",
    "arch": "pacman -S --needed",
    "suse": "zypper install -y",
    "alpine": "apk add",
}
# By Debian's name; a package that is called the same everywhere is not listed.
_NAMES = {
    "g++": {"fedora": "gcc-c++", "arch": "gcc", "suse": "gcc-c++"},
    "ninja-build": {"arch": "ninja", "suse": "ninja", "alpine": "samurai"},
    "libgtest-dev": {
        "fedora": "gtest-devel",
        "arch": "gtest",
        "suse": "gtest",
        "alpine": "gtest-dev",
    },
    "zlib1g-dev": {
        "fedora": "zlib-devel",
        "arch": "zlib",
        "suse": "zlib-devel",
        "alpine": "zlib-dev",
    },
}
_OS_RELEASE = Path("/etc/os-release")
_ID = re.compile(r'^(?:ID|ID_LIKE)="?([^"\n]*)"?$', re.MULTILINE)


def install_command(packages: Sequence[str], as_root: bool) -> str:
    """The one line that a person types for these packages of Debian, or what to do without one."""
    if platform.system() != "Linux":
        return "open this folder in a Linux container: Debian 12 or newer, Ubuntu 22.04 or newer"
    family = _family()
    if not family:
        return f"install what Debian calls {' '.join(packages)}"
    names = [_NAMES.get(package, {}).get(family, package) for package in packages]
    by_sudo = not as_root and shutil.which("sudo")
    command = _INSTALL[family].format(sudo="sudo " if by_sudo else "")
    line = f"{command} {' '.join(dict.fromkeys(names))}"
    if by_sudo:
        return f"sudo {line}"
    return line if as_root else f"su -c '{line}'"


def has_apt() -> bool:
    return shutil.which("apt-get") is not None


def _family() -> str:
    """Which of the families this system belongs to; empty where none."""
    try:
        said = _OS_RELEASE.read_text("utf-8", errors="replace")
    except OSError:
        said = ""
    words = " ".join(_ID.findall(said)).split()
    known = {"ubuntu": "debian", "rhel": "fedora", "opensuse": "suse", "sles": "suse"}
    families = [known.get(word, word) for word in words]
    found = next((family for family in families if family in _INSTALL), "")
    return found or ("debian" if has_apt() else "")


def install(requirements: Path) -> None:
    """Installs what `requirements` pins. Raises FaultError with the next step when it cannot."""
    argv = [*pip_command(sys.executable), "-r", str(requirements)]
    done = subprocess.run(
        argv, env=pip_environment(), capture_output=True, text=True, errors="replace"
    )
    if done.returncode != 0:
        cause = pip_cause(done.stdout + done.stderr)
        raise FaultError(f"{requirements.name} cannot be installed: {cause}; then run this again")
    importlib.invalidate_caches()


def require_packages() -> None:
    """Raises FaultError where a package that pages need is missing; for use before importing them.

    Only a machine that uses its own packages can lack one, see bootstrap.py.
    """
    for name in ("jinja2", "markupsafe", "pygments"):
        if importlib.util.find_spec(name) is None:
            raise FaultError(f"the page needs the Python package {name}; see ./lab doctor")
