# SPDX-License-Identifier: MIT
"""How pip is run, and why it or apt-get failed, in one line.

Standard library only: bootstrap.py uses it before there is any package.
"""

import importlib.util
import os
import re
import sysconfig
from collections.abc import Mapping
from pathlib import Path

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
