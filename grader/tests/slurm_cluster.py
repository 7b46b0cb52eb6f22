# SPDX-License-Identifier: MIT
"""A real Slurm on loopback: munged, slurmctld and two slurmd, in one folder, for one test run."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
from pathlib import Path

from lockstep_grader.toolchain import system

from conftest import DATA, wait_for

NODES = ("n1", "n2")  # n2 alone has a GPU, which is a file
_START_SECONDS = 60  # only a broken installation takes so long

_CONF = (DATA / "slurm.conf").read_text("utf-8")


def why_not() -> str:
    """Why no cluster can be started here; empty when one can."""
    missing = system.missing(system.SLURM_REQUIREMENTS)
    return f"{', '.join(need.package for need in missing)} not installed" if missing else ""


class SlurmCluster:
    def __init__(self, folder: Path) -> None:
        """`folder` is short: the name of a socket has at most 107 characters."""
        self.folder, self.conf = folder, folder / "slurm.conf"
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        """Returns when both nodes take jobs. Fails with what the daemons said."""
        for name in ("state", *NODES):
            (self.folder / name).mkdir()
        (self.folder / "munge.key").write_bytes(os.urandom(1024))
        (self.folder / "munge.key").chmod(0o600)
        self.conf.write_text(
            _CONF.format(
                folder=self.folder,
                host=socket.gethostname().partition(".")[0],
                user=pwd.getpwuid(os.geteuid()).pw_name,
                ports=_free_ports(3),
            )
        )
        (self.folder / "gres.conf").write_text("NodeName=n2 Name=gpu File=/dev/null\n")
        files = {"key-file": "munge.key", "socket": "munge.socket", "log-file": "munge.log"}
        more = {"pid-file": "munge.pid", "seed-file": "munge.seed"}
        named = [f"--{name}={self.folder / file}" for name, file in {**files, **more}.items()]
        self._launch("munged", "--foreground", "--force", *named)
        wait_for((self.folder / "munge.socket").exists, _START_SECONDS)
        self._launch("slurmctld", "-D", "-f", str(self.conf))
        for node in NODES:
            self.start_node(node)
        wait_for(lambda: self._count_idle() == len(NODES), _START_SECONDS)

    def start_node(self, node: str) -> None:
        self._launch(node, "-D", "-N", node, "-f", str(self.conf), program="slurmd")

    def fail_node(self, node: str) -> None:
        """As when the power goes: its daemon and every process of its jobs are killed."""
        self._daemons.pop(node).kill()
        for pid in self._processes(f"SLURMD_NODENAME={node}"):
            _kill(pid)
        self.run("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=test")

    def repair_node(self, node: str) -> None:
        self.start_node(node)

        def is_back() -> bool:
            """Resumed until it is: the controller may do so itself, and then refuses to be told."""
            with contextlib.suppress(AssertionError):
                self.run("scontrol", "update", f"NodeName={node}", "State=RESUME")
            return self._count_idle() == len(NODES)

        wait_for(is_back, _START_SECONDS)

    def run(self, *argv: str) -> str:
        done = subprocess.run(argv, capture_output=True, text=True, env=self._env())
        assert done.returncode == 0, f"{argv}: {done.stdout}{done.stderr}"
        return done.stdout

    def queue(self, form: str = "%T") -> list[str]:
        """A line for each task that waits or runs."""
        return self.run("squeue", "--noheader", "--array", f"--format={form}").splitlines()

    def stop(self) -> None:
        """Ends every daemon and every job; fails when a process is left."""
        with contextlib.suppress(AssertionError, OSError):
            self.run("scancel", "--state=PENDING", "--user", pwd.getpwuid(os.geteuid()).pw_name)
        for daemon in self._daemons.values():
            daemon.terminate()
        for daemon in self._daemons.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                daemon.wait(_START_SECONDS)
        for pid in self._processes():
            _kill(pid)
        wait_for(lambda: not self._processes())

    def _launch(self, name: str, *arguments: str, program: str = "") -> None:
        with (self.folder / f"{name}.out").open("ab") as output:
            self._daemons[name] = subprocess.Popen(
                [system.admin_program(program or name)(), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self._env(),
                start_new_session=True,
            )

    def _count_idle(self) -> int:
        assert all(daemon.poll() is None for daemon in self._daemons.values()), self._said()
        done = subprocess.run(
            ["sinfo", "--noheader", "--Node", "--format=%t"],
            capture_output=True,
            text=True,
            env=self._env(),
        )
        return done.stdout.split().count("idle")

    def _said(self) -> str:
        return "".join(file.read_text(errors="replace") for file in self.folder.glob("*.out"))

    def _env(self) -> dict[str, str]:
        return {**os.environ, "SLURM_CONF": str(self.conf)}

    def _processes(self, also: str = "") -> list[int]:
        """Processes whose environment names this cluster, and says `also`."""
        wanted = {f"SLURM_CONF={self.conf}".encode(), *([also.encode()] if also else [])}
        found = []
        for environ in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                pid = int(environ.parent.name)
                if pid != os.getpid() and wanted <= set(environ.read_bytes().split(b"\0")):
                    found.append(pid)
        return found


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
