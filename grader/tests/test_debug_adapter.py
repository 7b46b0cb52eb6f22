# SPDX-License-Identifier: MIT
"""`debug --dap`: the requests of an editor, and what F5 in VS Code starts."""

import json
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from debugged import ENDLESS, RACE, RIGHT, command, environment

import jsonc
from repository import REPOSITORY

EXTENSION = REPOSITORY / ".vscode" / "extensions" / "lockstep"
LAUNCH = {
    each["name"]: each for each in jsonc.read(REPOSITORY / ".vscode/launch.json")["configurations"]
}
EDITOR = LAUNCH["Lockstep: debug this file"]
TERMINAL = LAUNCH["Lockstep: debug this file in the terminal"]


class Editor:
    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self._number = 0
        self.events: list[dict[str, Any]] = []

    def ask(self, request: str, **arguments: object) -> dict[str, Any]:
        self._number += 1
        message = {"seq": self._number, "type": "request", "command": request}
        data = json.dumps({**message, "arguments": arguments}).encode()
        assert self._process.stdin
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._process.stdin.flush()
        while (answer := self._read())["type"] != "response":
            self.events.append(answer)
        assert answer["request_seq"] == self._number
        return answer

    def body(self, request: str, **arguments: object) -> Any:
        answer = self.ask(request, **arguments)
        assert answer["success"], answer
        return answer.get("body")

    def event(self, name: str) -> Any:
        while True:
            for at, event in enumerate(self.events):
                if event["event"] == name:
                    return self.events.pop(at)["body"]
            self.events.append(self._read())

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout
        size = 0
        while (line := self._process.stdout.readline()).strip():
            size = int(line.partition(b":")[2])
        assert line, "the adapter has ended"
        message: dict[str, Any] = json.loads(self._process.stdout.read(size))
        return message


@contextmanager
def editor(file: Path) -> Iterator[Editor]:
    """What VS Code starts by the configuration, after its first requests."""
    process = subprocess.Popen(
        [str(EXTENSION / "adapter")],
        cwd=file.parent,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    session = Editor(process)
    try:
        assert session.body("initialize", adapterID="lockstep")["supportsConditionalBreakpoints"]
        session.body("launch", program=EDITOR["program"].replace("${file}", str(file)), args=[])
        session.event("initialized")
        yield session
        session.body("disconnect")
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.communicate()


def breaks(file: Path, *lines: int, condition: str = "") -> dict[str, object]:
    wanted = [{"line": line, "condition": condition} for line in lines]
    return {"source": {"path": str(file)}, "breakpoints": wanted}


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "rotate.cu"
    file.write_text(RIGHT)
    return file


@pytest.mark.e2e
def test_a_breakpoint_of_the_editor_stops_a_thread_whose_variables_it_shows(program: Path) -> None:
    with editor(program) as session:
        wanted = breaks(program, 11, 999, condition="threadIdx.x == 5")
        first, second = session.body("setBreakpoints", **wanted)["breakpoints"]
        assert (first["verified"], first["line"]) == (True, 11)
        assert not second["verified"]
        session.body("configurationDone")
        stopped = session.event("stopped")
        assert stopped["reason"] == "breakpoint"
        thread = stopped["threadId"]
        names = {one["id"]: one["name"] for one in session.body("threads")["threads"]}
        assert names[thread] == "block (0,0,0) thread (5,0,0)"
        frame = session.body("stackTrace", threadId=thread)["stackFrames"][0]
        assert (frame["name"], frame["line"]) == ("rotate", 11)
        assert frame["source"]["path"] == str(program)
        scopes = session.body("scopes", frameId=frame["id"])["scopes"]
        shown = {
            one["name"]: one
            for scope in scopes
            for one in session.body("variables", variablesReference=scope["variablesReference"])[
                "variables"
            ]
        }
        assert shown["next"]["value"] == "12"
        assert shown["d_in"]["type"] == "const int *"
        assert shown["threadIdx"]["value"] == "{x = 5, y = 0, z = 0}"
        items = session.body("variables", variablesReference=shown["tile"]["variablesReference"])
        assert items["variables"][6] == {
            "name": "[6]", "value": "12", "type": "int", "variablesReference": 0,
        }  # fmt: skip
        value = session.body("evaluate", expression="next * 2", frameId=frame["id"])
        assert value["result"] == "24"
        wrong = session.ask("evaluate", expression="d_in[100]", frameId=frame["id"])
        assert not wrong["success"] or "past the end" in wrong["body"]["result"]
        session.body("next", threadId=thread)
        assert session.event("stopped")["reason"] == "step"
        frame = session.body("stackTrace", threadId=thread)["stackFrames"][0]
        assert frame["line"] == 12
        session.body("continue", threadId=thread)
        assert session.event("output")["output"] == "the end\n"
        assert session.event("exited")["exitCode"] == 0
        session.event("terminated")


@pytest.mark.e2e
def test_steps_into_a_function_and_out_of_it(program: Path) -> None:
    with editor(program) as session:
        session.body("setBreakpoints", **breaks(program, 8))
        session.body("configurationDone")
        thread = session.event("stopped")["threadId"]
        for request, names in (("stepIn", ["twice", "rotate"]), ("stepOut", ["rotate"])):
            session.body(request, threadId=thread)
            assert session.event("stopped")["threadId"] == thread
            frames = session.body("stackTrace", threadId=thread)["stackFrames"]
            assert [frame["name"] for frame in frames] == names


@pytest.mark.e2e
def test_the_editor_stops_at_the_first_finding(program: Path) -> None:
    program.write_text(RACE)
    with editor(program) as session:
        session.body("configurationDone")
        stopped = session.event("stopped")
        assert (stopped["reason"], stopped["description"]) == ("exception", "race")
        assert "thread" in stopped["text"]
        assert session.body("stackTrace", threadId=stopped["threadId"])["totalFrames"] == 1


@pytest.mark.e2e
def test_a_kernel_without_end_is_paused(program: Path) -> None:
    program.write_text(ENDLESS)
    with editor(program) as session:
        session.body("setBreakpoints", **breaks(program, 11))
        session.body("configurationDone")
        thread = session.event("stopped")["threadId"]
        session.body("setBreakpoints", **breaks(program))
        session.body("continue", threadId=thread)
        session.body("pause", threadId=thread)
        assert session.event("stopped")["reason"] == "pause"
        assert not session.ask("explode")["success"]


@pytest.mark.e2e
def test_a_compile_error_is_the_answer_to_launch(program: Path) -> None:
    with editor(program) as session:
        program.write_text("__global__ void wrong() { nothing(); }\nint main() {}\n")
        answer = session.ask("launch", program=str(program))
        assert not answer["success"]
        assert "nothing" in answer["message"]


@pytest.mark.e2e
def test_the_file_of_a_rung_is_debugged_with_a_call_of_its_judge() -> None:
    file = REPOSITORY / "solutions" / "00-threads" / "02_grid_stride.cu"
    with editor(file) as session:
        wanted = [{"name": "scale_kernel"}]
        told = session.body("setFunctionBreakpoints", breakpoints=wanted)["breakpoints"]
        assert told[0]["verified"]
        session.body("configurationDone")
        thread = session.event("stopped")["threadId"]
        frame = session.body("stackTrace", threadId=thread)["stackFrames"][0]
        assert frame["source"]["name"] == "02_grid_stride.cu"


def test_the_configuration_is_of_the_type_that_the_extension_adds() -> None:
    added = json.loads((EXTENSION / "package.json").read_text())["contributes"]["debuggers"]
    assert [each["type"] for each in added] == [EDITOR["type"]]
    assert (EXTENSION / added[0]["program"]).stat().st_mode & 0o111


def test_the_terminals_command_is_the_verb() -> None:
    text = TERMINAL["command"].replace("${workspaceFolder}", str(REPOSITORY))
    words = shlex.split(text.replace("${file}", "/a folder/saxpy.cu"))
    assert words == [*command(), "/a folder/saxpy.cu"]
