# SPDX-License-Identifier: MIT
"""Installs the Python packages that `test` needs: 700 MB of files.

uv unpacks them with a quarter of pip's processor time, and is told of pip's servers. Where it
cannot be installed, or does not get through, pip does it.
"""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from lockstep_grader.machine.progress import say
from lockstep_grader.model.errors import FaultError
from lockstep_grader.toolchain.installers import pip_cause, pip_command, pip_environment

# pip's options by their names in its configuration, and uv's environment variables for the same.
_SAME_IN_UV = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
}
_OPTION = re.compile(r"^[^=]*\.([a-z-]+)=('.*'|\".*\")$", re.MULTILINE)  # global.cert='/a'


def install_packages(requirements: Path) -> None:
    """Raises FaultError with the cause and the command that repeats it when it cannot."""
    say("installing the development packages ...")
    pip = [*pip_command(sys.executable), "--no-compile"]
    pin = next(line for line in requirements.read_text().splitlines() if line.startswith("uv=="))
    if _run([*pip, pin]).returncode == 0:
        uv = [sys.executable, "-m", "uv", "--quiet", "pip", "install", "--python", sys.executable]
        if _run([*uv, "-r", str(requirements)], uv_environment(_pip_options())).returncode == 0:
            return
    argv = [*pip, "-r", str(requirements)]
    done = _run(argv)
    if done.returncode != 0:
        cause = pip_cause(done.stdout + done.stderr)
        raise FaultError(f"cannot install the development packages: {cause}; try: {' '.join(argv)}")


def _run(
    argv: Sequence[str], env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    env = pip_environment() if env is None else env
    return subprocess.run(argv, env=env, capture_output=True, text=True, errors="replace")


def uv_environment(
    options: Mapping[str, str], env: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """`env` with pip's options in uv's words; what it says of uv itself stays."""
    words = {_SAME_IN_UV[name]: value for name, value in options.items() if name in _SAME_IN_UV}
    if links := words.get("UV_FIND_LINKS"):  # the only one that is not separated by blanks
        words["UV_FIND_LINKS"] = ",".join(links.split())
    return {**words, **env}


def _pip_options() -> dict[str, str]:
    return pip_options(_run([sys.executable, "-m", "pip", "config", "list"]).stdout)


def pip_options(listed: str) -> dict[str, str]:
    """From the output of `pip config list`: the environment's, which come first, count first."""
    options: dict[str, str] = {}
    for name, value in _OPTION.findall(listed):
        options.setdefault(name, str(ast.literal_eval(value)))
    return options
