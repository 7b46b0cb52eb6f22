# SPDX-License-Identifier: MIT
"""F5 in VS Code: what its launch configuration starts speaks gdb's machine interface."""

import queue
import re
import shlex
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from test_debug import RACE, command, environment
from test_e2e import REPOSITORY

import jsonc

LAUNCH = {
    each["name"]: each for each in jsonc.read(REPOSITORY / ".vscode/launch.json")["configurations"]
}
EDITOR = LAUNCH["Lockstep: debug this file"]
TERMINAL = LAUNCH["Lockstep: debug this file in the terminal"]
SECONDS = 300


def filled(text: str, file: Path) -> str:
    """With VS Code's variables, and the command that its debugger would start."""
    known = {
        "workspaceFolder": REPOSITORY,
        "file": file,
        "fileDirname": file.parent,
        "debuggerCommand": "gdb --interpreter=mi --tty=/dev/null",
    }
    return re.sub(r"\$\{(\w+)\}", lambda found: str(known[found[1]]), text)


class Session:
    """gdb as the C/C++ extension has it: commands with numbers, and records."""

    def __init__(self, file: Path) -> None:
        pipe = EDITOR["pipeTransport"]
        argv = [filled(word, file) for word in [pipe["pipeProgram"], *pipe["pipeArgs"]]]
        self.process = subprocess.Popen(
            argv,
            cwd=filled(pipe["pipeCwd"], file),
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            bufsize=1,
        )
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.number = 1000

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))

    def until(self, pattern: str) -> str:
        deadline, seen = time.monotonic() + SECONDS, []
        while time.monotonic() < deadline:
            try:
                line = self.lines.get(timeout=1)
            except queue.Empty:
                if self.process.poll() is not None:
                    break
                continue
            seen.append(line)
            if re.search(pattern, line):
                return line
        raise AssertionError(f"no {pattern} in {seen[-30:]}")

    def ask(self, text: str) -> str:
        self.number += 1
        assert self.process.stdin
        self.process.stdin.write(f"{self.number}{text}\n")
        return self.until(rf"^{self.number}\^")

    def end(self) -> None:
        if self.process.poll() is None:
            self.ask("-gdb-exit")
        self.process.wait(30)


@pytest.fixture
def open_in_editor() -> Iterator[Any]:
    sessions: list[Session] = []

    def opened(file: Path) -> Session:
        session = Session(file)
        sessions.append(session)
        # What the extension sends before a launch.
        session.ask("-gdb-set pagination off")
        session.ask("-gdb-set mi-async on")
        session.ask(f'-environment-cd "{file.parent}"')
        return session

    yield opened
    for session in sessions:
        session.end()


needs_gdb = pytest.mark.usefixtures("working_gdb")


@pytest.mark.e2e
@needs_gdb
def test_a_breakpoint_of_the_editor_stops_a_thread_of_the_kernel(
    tmp_path: Path, open_in_editor: Any
) -> None:
    file = tmp_path / "rotate.cu"
    file.write_text(RACE.replace("  if (i < 0) return;\n", "  __syncthreads();\n"))
    session = open_in_editor(file)
    assert "^done,bkpt=" in session.ask(f"-break-insert -f {file}:11")
    assert "^running" in session.ask("-exec-run")
    stopped = session.until(r"^\*stopped")
    assert 'reason="breakpoint-hit"' in stopped
    assert 'func="rotate"' in stopped
    frames = session.ask("-stack-list-frames 0 0")
    assert 'line="11"' in frames
    assert 'name="next"' in session.ask("-stack-list-variables --simple-values")
    assert 'value="' in session.ask('-data-evaluate-expression "threadIdx.x"')
    assert "^running" in session.ask("-exec-next")
    assert 'line="12"' in session.until(r"^\*stopped")


@pytest.mark.e2e
@needs_gdb
def test_the_editor_stops_at_the_first_finding(tmp_path: Path, open_in_editor: Any) -> None:
    file = tmp_path / "rotate.cu"
    file.write_text(RACE)
    session = open_in_editor(file)
    session.ask("-exec-run")
    stopped = session.until(r"^\*stopped")
    assert "exited" not in stopped
    assert 'func="rotate"' in session.ask("-stack-list-frames 0 40")
    assert "^done" in session.ask('-interpreter-exec console "cuda thread 5"')


@pytest.mark.e2e
@needs_gdb
def test_the_file_of_a_rung_is_debugged_with_a_call_of_its_judge(open_in_editor: Any) -> None:
    file = REPOSITORY / "solutions" / "00-threads" / "02_grid_stride.cu"
    session = open_in_editor(file)
    session.ask("-break-insert -f scale_kernel")
    session.ask("-exec-run")
    assert 'reason="breakpoint-hit"' in session.until(r"^\*stopped")
    assert "02_grid_stride.cu" in session.ask("-stack-list-frames 0 40")


def test_nothing_of_the_launch_is_left_to_the_extension() -> None:
    """Else it would load the source file as a program, or run a gdb of its own."""
    assert EDITOR["customLaunchSetupCommands"] == []
    assert EDITOR["launchCompleteCommand"] == "exec-run"
    assert EDITOR["pipeTransport"]["pipeArgs"][-1] == "${debuggerCommand}"


def test_the_terminals_command_is_the_verb() -> None:
    words = shlex.split(filled(TERMINAL["command"], Path("/a folder/saxpy.cu")))
    assert words == [*command(), "/a folder/saxpy.cu"]
