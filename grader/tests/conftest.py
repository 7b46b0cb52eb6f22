# SPDX-License-Identifier: MIT
"""A small checkout with a lab of two rungs, and a toolchain that takes milliseconds.

The fake compiler copies the source to `worker`; the fake judge does what the source's `//!` lines
say. So a test writes the behaviour that it wants into the submission itself.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.cli.main import main
from lockstep_grader.model.grades import Gate, Points, Rung

SOURCE_FOLDER = Path(__file__).parents[1] / "src"
GRADER = (sys.executable, str(SOURCE_FOLDER / "lockstep_grader" / "__main__.py"))
FAKES = Path(__file__).parent / "fakes"
DATA = Path(__file__).parent / "data"
LAB = "01-demo"

LAB_TOML = (DATA / "demo.toml").read_text("utf-8")

os.environ["LOCKSTEP_NVCC"] = "off"  # no test fetches it, nor any command that a test starts

SOLUTION = "// solved\n"
STARTER = (
    '// TODO sum up\n//! {"outcome": "failed", "message": "TODO: sum up", '
    '"findings": [{"kind": "todo", "file": "x.cu", "line": 1, "message": "TODO: sum up"}]}\n'
)


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The one line on stderr; fails when there are more, or a traceback."""
        lines = [line for line in self.err.splitlines() if line.startswith("lab: ")]
        assert len(lines) == 1, self.err
        assert "Traceback" not in self.err + self.out
        return lines[0]


class Checkout:
    """A fake repository and the commands that run in it."""

    def __init__(self, root: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.root, self._capture = root, capture
        self.work = root / "work"
        self.work.mkdir(parents=True)

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def submission(self, name: str, rungs: Mapping[str, str]) -> Path:
        """A submission folder; rungs by id, those not given are solved."""
        for rung in ("01_first", "02_second"):
            self.write(f"{name}/{LAB}/{rung}.cu", rungs.get(rung, SOLUTION))
        return self.root / name

    def lab(self, *arguments: str | Path) -> Ran:
        """`./lab ARGUMENTS`, in this process."""
        self._capture.readouterr()
        status = main([str(argument) for argument in arguments])
        said = self._capture.readouterr()
        return Ran(status, said.out, said.err)

    def refusal(self, *arguments: str | Path, status: int = 2) -> str:
        """The one line by which `./lab ARGUMENTS` refuses, with that exit status."""
        ran = self.lab(*arguments)
        assert ran.status == status, ran.out + ran.err
        return ran.complaint

    def start(self, *arguments: str | Path, **env: str) -> subprocess.Popen[str]:
        """`./lab ARGUMENTS`, in a process of its own, which Ctrl-C reaches.

        A shell lets `pytest &` ignore it, and what is ignored stays so in every child.
        """
        ours = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            return self._start(arguments, env)
        finally:
            signal.signal(signal.SIGINT, ours)

    def _start(
        self, arguments: Sequence[str | Path], env: Mapping[str, str]
    ) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*GRADER, *map(str, arguments)],
            env={**os.environ, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def judged(self) -> int:
        """How often the judge has run since this was asked last."""
        log = self.work / "judge.log"
        count = log.read_text().count("begin") if log.exists() else 0
        log.unlink(missing_ok=True)
        return count

    def grade(self, path: Path, *options: str | Path) -> tuple[Ran, Any]:
        """Grades and returns the JSON and the output."""
        file = self.work / "out.json"
        file.unlink(missing_ok=True)
        ran = self.lab("grade", path, "--json", file, *options)
        return ran, json.loads(file.read_text()) if file.exists() else None

    def write_toolchain(self, **changes: Any) -> None:
        toolchain = {
            "version": 1,
            "backend": "cpu",
            "compiler": {"id": "Fake", "version": "1", "path": sys.executable},
            "steps": [
                {"name": "compile", "argv": [str(FAKES / "compiler"), "{source}"]},
                {"name": "link", "argv": [str(FAKES / "linker"), "{source}", "{work}"]},
            ],
            "anchors": None,
            "labs": {
                LAB: {
                    "judge": str(self._judge()),
                    "calls": str(self.root / "calls.a"),
                    "include": str(self.root / "labs" / LAB),
                }
            },
        }
        self.write("toolchain.json", json.dumps({**toolchain, **changes}))

    def _judge(self) -> Path:
        """The fake judge as a program of this Python: `python3` may be a slow wrapper."""
        source = (FAKES / "judge.py").read_text()
        judge = self.write("judge.py", f"#!{sys.executable} -SE\n{source}")
        judge.chmod(0o755)
        return judge


@pytest.fixture(scope="session", autouse=True)
def temporary_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Where killed processes leave theirs: pytest deletes its folders some runs later."""
    folder = str(tmp_path_factory.mktemp("tmp"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        yield


@pytest.fixture
def checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Checkout:
    made = Checkout(tmp_path / "checkout", capsys)
    made.write(f"labs/{LAB}/lab.toml", LAB_TOML)
    made.write(f"labs/{LAB}/demo.cuh", "// the contract\n")
    made.write("calls.a", "calls")
    made.submission("labs", {"01_first": STARTER, "02_second": STARTER})
    made.submission("solutions", {})
    made.write_toolchain()
    monkeypatch.setattr("lockstep_grader.judging.session.find_sanitizer", lambda: None)
    monkeypatch.setenv("LOCKSTEP_SANDBOX", "off")  # there is nothing real to confine
    monkeypatch.setenv("LOCKSTEP_ROOT", str(made.root))
    monkeypatch.setenv("LOCKSTEP_BUILD", str(made.root / "build"))
    monkeypatch.setenv("LOCKSTEP_TOOLCHAIN", str(made.root / "toolchain.json"))
    monkeypatch.setenv("FAKE_JUDGE_LOG", str(made.work / "judge.log"))
    monkeypatch.chdir(made.work)
    return made


def verdict_line(**test: Any) -> str:
    """The `//!` line of one test that the fake judge must report."""
    return f"//! {json.dumps(test)}\n"


def rungs(report: Any, submission: int = 0) -> dict[str, Any]:
    """The rungs of the first lab of a submission, by id."""
    return {rung["id"]: rung for rung in report["submissions"][submission]["labs"][0]["rungs"]}


def demo_rung(rung_id: str = "01_first", needs: str = "", speed: tuple[Gate, ...] = ()) -> Rung:
    """A rung of 4 + 1 + 4 points."""
    return Rung(rung_id, "A rung", Points(4, 1, 4), (needs,) if needs else (), (), speed)


def runnable(file: Path, text: str) -> Path:
    file.write_text(text)
    file.chmod(0o755)
    return file


def wait_for(condition: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.02)


def is_gone(pid: int) -> bool:
    """Whether the process has ended; a zombie that no process has waited for has."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return True
    return state == "Z"
