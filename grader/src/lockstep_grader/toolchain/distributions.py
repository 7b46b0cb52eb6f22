# SPDX-License-Identifier: MIT
"""The names of Debian's packages on other systems, and the command that installs them.

Debian and Ubuntu are tried; the others' names come from their package lists (docs/measured.md).
"""

import platform
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

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
