# SPDX-License-Identifier: MIT
"""One judge for many rungs is like one judge for each, whatever a rung does to it."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lockstep_grader.compile.worker import compile_rung
from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.session import Wanted, open_session
from lockstep_grader.machine.process import Limits, Processes
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, InterruptedRunError
from lockstep_grader.model.grades import Backend
from lockstep_grader.observe.judge import StandingJudges, Trial, run_judge, workers_on_cpu

from conftest import FAKES, is_gone, runnable, wait_for
from repository import REPOSITORY

PATIENT = Limits(seconds=60)
# Notes its number in a file, and does what the request's first word says.
JUDGE = (FAKES / "standing_judge").read_text("utf-8")


class Asked:
    """What a fake judge does with requests, each of one word."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.processes = Processes()
        self.judges = StandingJudges(self.processes)
        self._judge = folder / "judge"
        runnable(self._judge, f"#!{sys.executable} -SE\n{JUDGE}")
        self.results, self._note = folder / "results.json", folder / "note"

    def __call__(self, word: str, gpu: str = "", seconds: float = 60) -> tuple[int, str, bool]:
        self.results.unlink(missing_ok=True)
        argv = [str(self._judge), word, f"said {word}", str(self._note)]
        done = self.judges.run(argv, gpu, replace(PATIENT, seconds=seconds), self.results)
        return done.returncode, done.output, done.timed_out

    @property
    def served_by(self) -> list[tuple[int, str]]:
        lines = [line.split() for line in self._note.read_text().splitlines()]
        return [(int(pid), gpu) for pid, gpu in lines]


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Asked]:
    asked = Asked(tmp_path)
    yield asked
    asked.processes.cancel()


def test_one_process_serves_one_run_after_the_other(ask: Asked) -> None:
    assert ask("pass") == (0, "said pass\n", False)
    assert ask.results.read_text() == "said pass"
    assert ask("fail") == (1, "said fail\n", False)
    assert len(set(ask.served_by)) == 1


def test_results_of_an_earlier_run_are_not_this_runs(ask: Asked) -> None:
    ask("pass")
    assert ask("write nothing")[0] == 0
    assert not ask.results.exists()


def test_each_gpu_has_judges_of_its_own(ask: Asked) -> None:
    for gpu in ("GPU-1", "GPU-2", "GPU-1"):
        ask("pass", gpu)
    (first, one), (second, two), third = ask.served_by
    assert (one, two, third) == ("GPU-1", "GPU-2", (first, "GPU-1"))
    assert first != second


def test_runs_at_the_same_time_have_a_judge_each(ask: Asked) -> None:
    waiting = threading.Thread(target=ask, args=("sleep", "", 1))
    waiting.start()
    wait_for(lambda: (ask.results.parent / "note").exists())
    ask("pass")
    waiting.join()
    assert len(set(ask.served_by)) == 2


@pytest.mark.parametrize(("word", "status"), [("exit", 4), ("abort", -signal.SIGABRT)])
def test_a_judge_that_ends_is_replaced(ask: Asked, word: str, status: int) -> None:
    assert ask(word)[0] == status
    assert ask("pass")[0] == 0
    assert len(set(ask.served_by)) == 2


def test_a_judge_that_ended_while_it_had_nothing_to_do_is_replaced(ask: Asked) -> None:
    ask("pass")
    (judge, _), *_ = ask.served_by
    os.kill(judge, signal.SIGKILL)
    wait_for(lambda: is_gone(judge))
    assert ask("pass")[0] == 0


def test_a_judge_that_takes_too_long_is_ended(ask: Asked) -> None:
    _, _, timed_out = ask("sleep", seconds=1)
    assert timed_out
    assert is_gone(ask.served_by[0][0])
    assert ask("pass")[0] == 0


def test_an_interrupt_ends_the_judges_that_work_and_those_that_wait(ask: Asked) -> None:
    ask("pass", "GPU-2")
    trouble: list[BaseException] = []

    def work() -> None:
        try:
            ask("sleep")
        except InterruptedRunError as error:
            trouble.append(error)

    worker = threading.Thread(target=work)
    worker.start()
    wait_for(lambda: len(ask.served_by) == 2)
    ask.processes.cancel()
    worker.join()
    assert len(trouble) == 1
    wait_for(lambda: all(is_gone(pid) for pid, _ in ask.served_by))


def test_a_judge_that_cannot_be_started_is_named(ask: Asked) -> None:
    with pytest.raises(FaultError, match="cannot run /nowhere/judge"):
        ask.judges.run(["/nowhere/judge"], "", PATIENT, ask.results)


# Real ones, on the cpu backend.

WORKSPACE = Workspace.from_environment()
LAB, RUNGS = "01-reduction", ("02_interleaved", "06_single_pass")
CRASHES = """#include "reduction.cuh"
#include <cstdlib>
namespace lab {
void reduce_sum(const float*, int, float*, Scratch&, cudaStream_t) { std::abort(); }
}  // namespace lab
"""


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> list[Trial]:
    """Of the judge: two rungs that are right, and between them one that ends its worker."""
    lab = next(lab for lab in read_labs(WORKSPACE) if lab.id == LAB)
    session = open_session(WORKSPACE, Wanted(Backend.CPU))
    solutions = [(REPOSITORY / "solutions" / LAB / f"{rung}.cu").read_text() for rung in RUNGS]
    right, other = solutions
    made: list[Trial] = []
    for name, text in zip(("02", "02-crashes", "06"), (right, CRASHES, other), strict=True):
        rung = next(rung for rung in lab.rungs if rung.id.startswith(name[:2]))
        work = tmp_path_factory.mktemp(name)
        source = Source(rung.file_name, text.encode())
        setup = session.setup.of(lab, rung)
        worker = compile_rung(setup, source, work)
        assert isinstance(worker, Path), worker
        workers = workers_on_cpu(setup, worker)
        made.append(Trial(setup.tools.judge, rung.id, workers, work, seed=7))
    return made


@pytest.mark.e2e
def test_a_real_judge_says_of_each_rung_what_a_fresh_one_says(
    trials: list[Trial], tmp_path: Path
) -> None:
    processes = Processes()
    standing = StandingJudges(processes)
    for index, trial in enumerate([*trials, trials[0]]):
        said = []
        for judges in (standing, None):
            work = tmp_path / f"{index}-{'fresh' if judges is None else 'standing'}"
            work.mkdir()
            tests, seed = run_judge(replace(trial, work=work, standing=judges), processes)
            said.append((seed, [replace(test, seconds=0) for test in tests]))
        assert said[0] == said[1]
    crashed = {finding.kind for test in said[0][1] for finding in test.findings}
    assert crashed == set()  # the last one was right, although another crashed before
    processes.cancel()


@pytest.mark.e2e
def test_a_real_judge_ends_with_its_grader(trials: list[Trial], tmp_path: Path) -> None:
    """Also in the middle of a run, and its worker with it."""
    endless = tmp_path / "endless"
    runnable(endless, '#!/bin/sh\necho $$ > "$0.pid"\nexec sleep 600\n')
    judge, rung = str(trials[0].judge), f"--rung={trials[0].rung}"
    code = (
        "import sys; from pathlib import Path\n"
        "from lockstep_grader.observe.judge import StandingJudges\n"
        "from lockstep_grader.machine.process import Limits, Processes\n"
        "judges = StandingJudges(Processes())\n"
        "judges.run(sys.argv[1:], '', Limits(seconds=600), Path('results.json'))\n"
    )
    argv = [sys.executable, "-c", code, judge, rung, f"--worker={endless}"]
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY / "grader" / "src")}
    note = tmp_path / "endless.pid"
    with subprocess.Popen(argv, cwd=tmp_path, env=env) as grader:
        wait_for(lambda: note.exists() and note.read_text().endswith("\n"))
        grader.kill()
    wait_for(lambda: is_gone(int(note.read_text())))
    wait_for(lambda: serving(judge) == [])


def serving(judge: str) -> list[str]:
    """Processes that still run this judge with --serve."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_text().split("\0")
        except OSError:
            continue
        if words[:2] == [judge, "--serve"]:
            found.append(file.parent.name)
    return found
