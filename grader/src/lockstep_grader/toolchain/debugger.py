# SPDX-License-Identifier: MIT
"""Finds a gdb that works here."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence

from lockstep_grader.model.errors import FaultError
from lockstep_grader.toolchain.distributions import install_command
from lockstep_grader.toolchain.system import DEBUGGER_REQUIREMENT

_NO_PTRACE = (
    "gdb may not control programs here: a container needs `docker run --cap-add=SYS_PTRACE "
    "--security-opt seccomp=unconfined`"
)
# Before gdb calls a function, it saves all registers; afterwards it writes them. gdb 13 has too
# small a buffer for those of a processor with AMX. On other architectures than x86, $st0 is a
# variable of gdb's own, and the command does nothing.
_WRITE_REGISTER = "set $st0 = 1"
_NOT_WRITTEN = re.compile(r"^.*Couldn't write .*$", re.MULTILINE)


def find_gdb() -> str:
    """Where gdb is. Raises FaultError with the command that installs it, or says why it fails."""
    gdb = DEBUGGER_REQUIREMENT.found()
    if not gdb:
        command = install_command([DEBUGGER_REQUIREMENT.package], os.geteuid() == 0)
        raise FaultError(f"debug needs gdb: {command}")
    probe = [gdb, "-nx", "-batch", "-ex", "python print('python')", "-ex", "starti"]
    probe += ["-ex", _WRITE_REGISTER, "--args", shutil.which("true") or "/bin/true"]
    said = _output(probe)
    if "\npython" not in f"\n{said}":
        raise FaultError(f"{gdb} was built without Python: install the system's own gdb package")
    if complaint := _NOT_WRITTEN.search(said):
        raise FaultError(
            f"{gdb} cannot write this processor's registers ({complaint[0].strip().rstrip('.')}): "
            "debug needs a newer gdb, such as gdb 16 of Debian 13, or another machine"
        )
    if "ptrace" in said or "Couldn't" in said or "not permitted" in said:
        raise FaultError(_NO_PTRACE)
    return gdb


def _output(argv: Sequence[str]) -> str:
    done = subprocess.run(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return done.stdout
