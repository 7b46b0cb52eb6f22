# SPDX-License-Identifier: MIT
"""Runs pip, and says in one line why it failed. Standard library only: bootstrap.py uses it."""

import os
import re
from collections.abc import Mapping

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


def pip_command(python: str) -> list[str]:
    return [python, "-m", "pip", "install", "--quiet", "--no-input", "--retries", "1"]


def pip_environment(env: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Ours without what is no business of the new environment."""
    clean = {**env, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore"}
    clean.pop("PYTHONPATH", None)
    return clean


def cause(output: str) -> str:
    """Why pip failed and what to do about it, in one line."""
    for pattern, meaning in _CAUSES:
        if re.search(pattern, output):
            return meaning
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")]
    return (errors or lines or ["no output"])[-1]
