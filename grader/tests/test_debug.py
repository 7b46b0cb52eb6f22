# SPDX-License-Identifier: MIT
"""`debug`: gdb on an emulated program, thread by thread."""

import os
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from lockstep_grader.judging.doctor import examine
from lockstep_grader.model.errors import ExitCode, FaultError
from lockstep_grader.student.debug import start
from lockstep_grader.toolchain.debugger import find_gdb
from test_e2e import REPOSITORY

from conftest import LAB, Checkout

ROTATE = """\
#include <cstdio>
__device__ int twice(int x) {
  return 2 * x;
}
__global__ void rotate(const int* d_in, int* d_out) {
  __shared__ int tile[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  tile[threadIdx.x] = twice(d_in[i]);
  __syncthreads();
  int next = tile[(threadIdx.x + 1) % 64];
  next += 1;
  d_out[i] = next;
}
int main() {
  int h[100];
  for (int i = 0; i < 100; ++i) h[i] = i;
  int *d_in, *d_out;
  cudaMalloc(&d_in, sizeof h);
  cudaMalloc(&d_out, sizeof h);
  cudaMemcpy(d_in, h, sizeof h, cudaMemcpyHostToDevice);
  rotate<<<BLOCKS, 64>>>(d_in, d_out);
  cudaDeviceSynchronize();
  cudaFree(d_in);
  cudaFree(d_out);
  std::printf("the end\\n");
  return 0;
}
"""
RIGHT = ROTATE.replace("BLOCKS", "1")
PAST_THE_END = ROTATE.replace("BLOCKS", "2")
RACE = RIGHT.replace("  __syncthreads();\n", "  if (i < 0) return;\n")

# What a gdb says to the question whether it works.
WORKING = "python\n\nProgram stopped.\n0x00007ffff7fe4300 in _start () from /lib64/ld-linux.so.2"
AMX = f"{WORKING}\nCouldn't write extended state status: Bad address."

emulated = [pytest.mark.e2e, pytest.mark.usefixtures("working_gdb")]


def command(*arguments: str) -> list[str]:
    return [str(REPOSITORY / "lab"), "debug", *arguments]


def environment() -> dict[str, str]:
    moved = ("LOCKSTEP_ROOT", "LOCKSTEP_TOOLCHAIN")
    return {key: value for key, value in os.environ.items() if key not in moved}


def debug(
    folder: Path, source: str, *commands: str, options: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    (folder / "rotate.cu").write_text(source)
    words = [word for text in commands for word in ("-ex", text)]
    return subprocess.run(
        command("rotate.cu", "--batch", *options, *words),
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )


def fake_gdb(folder: Path, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "gdb").write_text(f"#!/bin/sh\necho {shlex.quote(said)}\n")
    (folder / "gdb").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


class TestInGdb:
    pytestmark = emulated

    def test_a_breakpoint_stops_one_thread_and_steps_stay_with_it(self, tmp_path: Path) -> None:
        ran = debug(
            tmp_path,
            RIGHT,
            "break 8 if threadIdx.x == 5",
            "run",
            "break 8",
            "print threadIdx",
            "next",  # over a device function
            "next",  # over the barrier, where every other thread runs and meets line 8
            "print threadIdx.x + 1000",
            "next",
            "print next",
        )
        assert "Switching focus to CUDA kernel rotate, block (0,0,0), thread (5,0,0)" in ran.stdout
        assert "$1 = {x = 5, y = 0, z = 0}" in ran.stdout
        assert "$2 = 1005" in ran.stdout
        assert "$3 = 12" in ran.stdout  # twice(6), of the neighbour
        assert ran.stdout.count("Switching focus") == 1

    def test_step_enters_a_device_function_and_where_shows_the_students_frames(
        self, tmp_path: Path
    ) -> None:
        ran = debug(tmp_path, RIGHT, "break 8 if threadIdx.x == 7", "run", "step", "where")
        frames = [line for line in ran.stdout.splitlines() if line.startswith("#")]
        assert len(frames) == 2
        assert "twice" in frames[0]
        assert frames[0].endswith("rotate.cu:3")
        assert "rotate" in frames[1]
        assert frames[1].endswith("rotate.cu:8")

    def test_a_kernel_is_a_breakpoint_and_a_block_its_condition(self, tmp_path: Path) -> None:
        ran = debug(
            tmp_path, PAST_THE_END, "break rotate if blockIdx.x == 1", "run", "info cuda kernels"
        )
        assert "block (1,0,0), thread (0,0,0)" in ran.stdout
        assert "* rotate  (2,1,1)  (64,1,1)  1 of 2" in ran.stdout

    def test_prints_memory_within_its_bounds(self, tmp_path: Path) -> None:
        ran = debug(
            tmp_path,
            RIGHT,
            "break 10 if threadIdx.x == 2",
            "run",
            "print tile[3]",
            "print d_in[99]",
            "print/x d_in[17]",
            "print 1 + d_in[100]",
            "print d_in[-1]",
            "print tile[64]",
        )
        assert "$1 = 6\n$2 = 99\n$3 = 0x11\n" in ran.stdout
        assert "d_in[100]: past the end of allocation 1 (400 bytes)" in ran.stdout
        assert "d_in[-1]: before the beginning of allocation 1 (400 bytes)" in ran.stdout
        assert "tile[64]: tile has 64 elements" in ran.stdout
        assert "$4" not in ran.stdout

    def test_stops_at_the_first_finding(self, tmp_path: Path) -> None:
        ran = debug(tmp_path, PAST_THE_END, "run", "where", "print i")
        assert "block (1,0,0), thread (36,0,0)" in ran.stdout
        assert "out_of_bounds: thread 36 of block 1 reads 4 bytes" in ran.stdout
        assert "$1 = 100" in ran.stdout
        frames = [line for line in ran.stdout.splitlines() if "rotate.cu:8" in line]
        assert len(frames) == 2  # the stop, and where

    def test_reading_as_gdb_is_no_access_of_the_program(self, tmp_path: Path) -> None:
        ran = debug(
            tmp_path,
            RIGHT,
            "break 8 if threadIdx.x == 0",
            "run",
            "print tile[9]",
            "print d_out[9]",  # not written yet
            "print d_out[100]",
            "continue",
        )
        assert "past the end of allocation 2 (400 bytes)" in ran.stdout
        assert "the end\n" in ran.stdout
        assert "exited normally" in ran.stdout

    def test_the_other_party_of_a_race_whose_thread_lives(self, tmp_path: Path) -> None:
        source = RIGHT.replace("  next += 1;", "  tile[threadIdx.x] = next;\n  __syncthreads();")
        ran = debug(tmp_path, source, "run", "cuda", "cuda other", "where", "print threadIdx")
        assert "race: thread 1 of block 0 reads shared memory in line 10" not in ran.stdout
        assert "race: thread" in ran.stdout
        assert "[Switching focus to CUDA kernel rotate, block (0,0,0), thread" in ran.stdout
        assert "it at rotate.cu:1" in ran.stdout
        assert ran.stdout.count("Switching focus") == 2
        frames = [line for line in ran.stdout.splitlines() if line.startswith("#")]
        assert frames
        assert all("rotate" in line for line in frames)

    def test_the_other_party_of_a_race_whose_thread_has_ended(self, tmp_path: Path) -> None:
        ran = debug(tmp_path, RACE, "run", "continue", "cuda other")
        assert "of block (0,0,0) reads it at rotate.cu:10" in ran.stdout
        assert "That thread has ended since" in ran.stdout

    def test_another_thread_is_selected_and_steps_run_it(self, tmp_path: Path) -> None:
        ran = debug(
            tmp_path,
            RIGHT,
            "break 8 if threadIdx.x == 5",
            "run",
            "cuda thread 3",  # waits at the barrier
            "where",
            "print threadIdx",
            "print i + 1000",
            "next",
            "next",
            "print next + 2000",
            "info cuda threads",
        )
        assert "$1 = {x = 3, y = 0, z = 0}" in ran.stdout
        assert "$2 = 1003" in ran.stdout
        assert "$3 = 2008" in ran.stdout
        assert "* (0,0,0)   (3,0,0)    (3,0,0)       1      running" in ran.stdout

    def test_the_same_seed_stops_at_the_same_place(self, tmp_path: Path) -> None:
        def stop(seed: str) -> str:
            ran = debug(tmp_path, RIGHT, "break 8", "run", "cuda", options=("--seed", seed))
            assert "[Switching" in ran.stdout, ran.stdout
            return ran.stdout[ran.stdout.index("[Switching") :]

        stops = [stop(seed) for seed in ("1", "2", "3")]
        assert stop("3") == stops[-1]
        assert len(set(stops)) > 1

    def test_a_thread_of_a_template_begins_by_a_step(self, tmp_path: Path) -> None:
        source = RIGHT.replace("__global__", "template <class T> __global__")
        source = source.replace("(const int*", "(const T*").replace("rotate<<<", "rotate<int><<<")
        ran = debug(
            tmp_path,
            source,
            "break rotate if threadIdx.x == 3",
            "run",
            "cuda thread 9",
            "print no_such",
            "step",
            "print threadIdx",
        )
        assert "This thread has not started" in ran.stdout
        assert 'No symbol "no_such" in current context.' in ran.stdout
        assert "Python" not in ran.stdout
        assert "$1 = {x = 9, y = 0, z = 0}" in ran.stdout

    def test_says_what_cannot_be_selected(self, tmp_path: Path) -> None:
        ran = debug(
            tmp_path,
            RIGHT,
            "cuda thread 1",
            "break 8",
            "run",
            "cuda thread 64",
            "cuda lane",
            "cuda other",
        )
        assert "no kernel is running" in ran.stdout
        assert "there is no thread (64,0,0): the launch has (64,1,1)" in ran.stdout
        assert "use: cuda" in ran.stdout
        assert "did not stop at a finding" in ran.stdout

    def test_an_endless_loop_of_a_kernel_is_a_finding(self, tmp_path: Path) -> None:
        source = RIGHT.replace("  next += 1;", "  while (next >= 0) next = next / 2;")
        ran = debug(tmp_path, source, "run", "print threadIdx", "where", "next")
        assert "$1 = {x = 0, y = 0, z = 0}" in ran.stdout
        assert "rotate.cu:11" in ran.stdout
        assert "the finding ends the kernel" in ran.stdout

    def test_ctrl_c_stops_an_endless_loop_of_the_host(self, tmp_path: Path) -> None:
        loop = '  std::puts("here");\n  std::fflush(stdout);\n  while (h[0] >= 0) h[0] /= 2;\n'
        (tmp_path / "loop.cu").write_text(
            RIGHT.replace("  int *d_in, *d_out;\n", loop + "  int *d_in, *d_out;\n")
        )
        words = ["loop.cu", "--batch", "-ex", "run", "-ex", "print h[1]", "-ex", "where"]
        with subprocess.Popen(
            command(*words),
            cwd=tmp_path,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as child:
            assert child.stdout is not None
            before = iter(child.stdout.readline, "here\n")
            assert len(list(before)) < 20
            time.sleep(1)
            os.killpg(child.pid, signal.SIGINT)
            said = child.stdout.read()
        assert "SIGINT" in said
        assert "$1 = 1" in said
        assert "main () at" in said or "loop.cu:19" in said

    def test_a_rung_runs_with_one_call_of_its_judge(self, tmp_path: Path) -> None:
        name = "01_global_atomic.cu"
        folder = tmp_path / "01-reduction"
        folder.mkdir()
        shutil.copy(REPOSITORY / "solutions" / "01-reduction" / name, folder)
        text = (folder / name).read_text()
        line = 1 + text[: text.index("if (item < num_items)")].count("\n")
        words = [f"break {line} if threadIdx.x == 5", "run", "print num_items", "print d_in[300]"]
        ran = subprocess.run(
            [
                *command("01-reduction/01_global_atomic", "--from", str(tmp_path), "--batch"),
                *("--size", "300"),
                *(word for text in [*words, "delete", "continue"] for word in ("-ex", text)),
            ],
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=500,
            check=False,
        )
        assert "block (0,0,0), thread (5,0,0)" in ran.stdout
        assert "$1 = 300" in ran.stdout
        assert "d_in[300]: past the end of d_in (1200 bytes)" in ran.stdout
        assert "exited normally" in ran.stdout


@pytest.mark.e2e
class TestBefore:
    def test_says_what_is_wrong_with_the_program(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fake_gdb(tmp_path, WORKING, monkeypatch)  # it is never started on the program
        missing = debug(tmp_path, "__global__ void k() {}\n", "run")
        assert missing.returncode == 1
        assert "the program has no main()" in missing.stdout
        broken = debug(tmp_path, RIGHT.replace("int next", "itn next"), "run")
        assert broken.returncode == 1
        assert "compile_error  rotate.cu:10" in broken.stdout

    def test_an_unknown_option_is_a_usage_error(self, tmp_path: Path) -> None:
        assert debug(tmp_path, RIGHT, options=("--faster",)).returncode == 2


def test_an_option_of_programs_is_refused_for_a_rung(checkout: Checkout) -> None:
    ran = checkout.lab("debug", f"{LAB}/01_first", "--seed", "7")
    assert (ran.status, "--seed and --checks go with a program" in ran.complaint) == (2, True)


def test_without_gdb_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(FaultError, match=r"debug needs gdb: .*gdb"):
        find_gdb()


def test_a_bare_prompt_comes_with_a_way_to_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_gdb(tmp_path, "", monkeypatch)
    for options, is_told in (([], True), (["-batch"], False)):
        start.run_gdb("gdb", tmp_path / "worker", [], options, tmp_path, tmp_path / "a.cu")
        assert ("run stops at the first finding" in capsys.readouterr().err) == is_told


def test_says_that_the_machine_forbids_ptrace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_gdb(tmp_path, "python\nwarning: ptrace: Operation not permitted", monkeypatch)
    with pytest.raises(FaultError, match="SYS_PTRACE"):
        find_gdb()


def test_says_that_gdb_has_no_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_gdb(tmp_path, "Python scripting is not supported in this copy of GDB.", monkeypatch)
    with pytest.raises(FaultError, match="without Python"):
        find_gdb()


def test_finds_a_gdb_that_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_gdb(tmp_path, WORKING, monkeypatch)
    assert find_gdb() == str(tmp_path / "gdb")


def test_says_that_gdb_cannot_write_the_processors_registers(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_gdb(tmp_path, AMX, monkeypatch)
    ran = checkout.lab("debug", f"{LAB}/01_first")
    assert ran.status == ExitCode.FAULT
    assert "gdb cannot write this processor's registers (Couldn't write ext" in ran.complaint
    assert "Bad address): debug needs a newer gdb, such as" in ran.complaint


@pytest.mark.parametrize(
    ("said", "row"),
    [(WORKING, "works"), (AMX, "cannot write this processor's registers")],
    ids=["works", "amx"],
)
def test_doctor_says_whether_gdb_works(
    said: str, row: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_gdb(tmp_path, said, monkeypatch)
    item = next(item for item in examine() if item.name == "gdb")
    assert row in (item.found or item.advice)
    assert bool(item.found) == (said == WORKING)
