# SPDX-License-Identifier: MIT
"""`debug` at its prompt: threads of a program and of a rung, on the machine."""

import os
import pty
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest

from debugged import (
    AFTER_LOOP,
    ENDLESS,
    PAST_THE_END,
    RACE,
    RIGHT,
    ROTATE,
    TYPES,
    answers,
    command,
    debug,
    environment,
    piped,
    told_by,
)
from lockstep_grader.model.errors import ExitCode

from conftest import LAB, Checkout
from repository import REPOSITORY


@pytest.mark.e2e
class TestAtThePrompt:
    def test_a_breakpoint_stops_one_thread_and_steps_stay_with_it(self, tmp_path: Path) -> None:
        # `next` over a device function; then over the barrier, where all others meet line 8.
        commands = "break 8 if threadIdx.x == 5; run; break 8; print threadIdx; next; next; "
        commands += "print threadIdx.x + 1000; next; print next"
        ran = debug(tmp_path, RIGHT, *commands.split("; "))
        said = ran.stdout
        assert "block (0,0,0), thread (5,0,0), warp 0, lane 5]" in said
        assert "Breakpoint 1, rotate (d_in=0x2" in said
        assert "$1 = {x = 5, y = 0, z = 0}" in said
        assert "10\t  int next = tile" in said
        assert "$2 = 1005" in said
        assert "$3 = 12" in said, "tile[6]"
        assert "Breakpoint 2," not in said
        assert ran.returncode == 0

    def test_step_enters_a_device_function_and_finish_leaves_it(self, tmp_path: Path) -> None:
        commands = "break 8; run; step; where; info args; up; print i; down; finish"
        told = told_by(tmp_path, RIGHT, commands)
        assert "#0  twice (x=0) at rotate.cu:3\n#1  rotate (d_in=0x2" in told["where"]
        assert told["info args"] == "x = 0"
        assert told["print i"] == "$1 = 0"
        assert "rotate.cu:8" in told["finish"].splitlines()[1]

    def test_a_kernel_is_a_breakpoint_and_a_block_its_condition(self, tmp_path: Path) -> None:
        source = ROTATE.replace("BLOCKS", "2").replace("int h[100]", "int h[128]")
        commands = "break rotate if blockIdx.x == 1; run; info cuda blocks; cuda block 0; "
        told = told_by(tmp_path, source, commands + "info breakpoints; continue; delete; continue")
        assert "block (1,0,0), thread (0,0,0)" in told["run"]
        assert "block (0,0,0) is not on the device now" in told["cuda block 0"]
        assert "1 of 2 blocks ended" in told["info cuda blocks"]
        assert "blockIdx.x == 1" in told["info breakpoints"]
        assert "rotate.cu:7" in told["run"], "behind the parameters"

    def test_a_condition_may_name_variables(self, tmp_path: Path) -> None:
        told = told_by(tmp_path, RIGHT, "tbreak 11 if next == 22 && i > 3; run; print i; continue")
        assert told["print i"] == "$1 = 10"
        assert told["continue"].startswith("the end")
        assert told["continue"].endswith("[The program ended normally]")

    def test_stops_at_a_finding_before_the_access_with_the_accused_thread(
        self, tmp_path: Path
    ) -> None:
        told = told_by(
            tmp_path,
            PAST_THE_END,
            "run; print i; print d_in[i]; print d_in[99]; info cuda threads; continue",
        )
        assert "out_of_bounds: thread 36 of block 1" in told["run"]
        assert "thread (36,0,0)" in told["run"]
        assert "8\t  tile[threadIdx.x] = twice(d_in[i]);" in told["run"]
        assert told["print i"] == "$1 = 100"
        assert told["print d_in[i]"] == "d_in[i]: past the end of allocation 1 (400 bytes)"
        assert told["print d_in[99]"] == "$2 = 99"
        assert "* (1,0,0)   (36,0,0)" in told["info cuda threads"]

    def test_the_other_party_of_a_race(self, tmp_path: Path) -> None:
        told = told_by(
            tmp_path, RACE, "cuda other; run; print threadIdx.x; cuda other; print threadIdx.x"
        )
        assert "race: thread" in told["run"]
        other = told["cuda other"]
        assert "of block (0,0,0) " in other
        assert " it at rotate.cu:" in other
        assert "[Switching focus to CUDA kernel rotate" in other
        assert f"thread ({told['print threadIdx.x'].partition('= ')[2]},0,0)" in other

    def test_what_is_printed_is_no_access_of_the_program(self, tmp_path: Path) -> None:
        told = told_by(tmp_path, RIGHT, "break 10; run; print *d_out@4; delete; continue")
        assert "$1 = {" in told["print *d_out@4"]
        assert told["continue"] == "the end\n[The program ended normally]"

    def test_another_thread_is_selected_and_steps_run_it(self, tmp_path: Path) -> None:
        told = told_by(
            tmp_path,
            RIGHT,
            "break 10; run; delete; cuda thread 40; next; next; print next; "
            "info cuda warps; cuda warp 0; cuda lane 3; cuda",
        )
        assert "thread (40,0,0), warp 1, lane 8]" in told["cuda thread 40"]
        assert told["print next"] == "$1 = 83", "2 * 41, and 1"
        assert "* (0,0,0)   1     0xffffffff" in told["info cuda warps"]
        assert "thread (3,0,0)" in told["cuda"]

    def test_equal_threads_share_a_row(self, tmp_path: Path) -> None:
        told = told_by(tmp_path, RIGHT, "break 9; run; continue; info cuda threads")
        rows = told["info cuda threads"].splitlines()
        assert [row.split() for row in rows[1:]] == [
            ["(0,0,0)", "(0,0,0)", "(31,0,0)", "32", "barrier", "9"],
            ["*", "(0,0,0)", "(32,0,0)", "(32,0,0)", "1", "running", "9"],
            ["(0,0,0)", "(33,0,0)", "(63,0,0)", "31", "running", "9"],
        ]

    def test_displays_appear_at_every_stop(self, tmp_path: Path) -> None:
        told = told_by(tmp_path, RIGHT, "break 10; run; display next; next; undisplay 1; n")
        assert told["display next"].startswith("1: next = ")
        assert told["next"].endswith("1: next = 2")
        assert "1: next" not in told["n"]

    def test_the_source_is_listed(self, tmp_path: Path) -> None:
        told = told_by(tmp_path, RIGHT, "list rotate; list; list 2")
        assert "5\t__global__ void rotate" in told["list rotate"]
        assert told["list"].startswith("12\t")
        assert "2\t__device__ int twice" in told["list 2"]

    def test_a_program_runs_again(self, tmp_path: Path) -> None:
        said = debug(tmp_path, RIGHT, "break 11", "run", "run", "delete", "continue").stdout
        assert said.count("Breakpoint 1, rotate") == 2
        assert said.count("the end\n") == 1

    def test_commands_of_options_come_first_and_batch_ends(self, tmp_path: Path) -> None:
        options = ("--batch", "-ex", "break twice", "-ex", "run")
        ran = debug(tmp_path, RIGHT, "print 1", options=options)
        assert "Breakpoint 1, twice (x=0)" in ran.stdout
        assert "print 1" not in ran.stdout

    def test_arguments_follow_two_dashes(self, tmp_path: Path) -> None:
        source = RIGHT.replace("int main() {", "int main(int count, char**) {").replace(
            "return 0", "return count"
        )
        assert "[The program ended with status 3]" in debug(
            tmp_path, source, "run", options=("--", "a", "-b")
        ).stdout  # fmt: skip

    def test_says_what_is_impossible(self, tmp_path: Path) -> None:
        expected = {
            "print next": "no kernel is running",
            "continue": "no kernel is running",
            "cuda thread 1": "no kernel is running",
            "break 999": "no kernel has code at line 999 or behind it",
            "break nothing": "no function of a kernel is called nothing",
            "delete 7": "there is no breakpoint 7",
            "explode": "'explode' is no command",
        }
        told = answers(debug(tmp_path, RIGHT, *expected).stdout)
        assert {text: said for text, said in expected.items() if said not in told[text]} == {}

    def test_ctrl_c_stops_a_kernel(self, tmp_path: Path) -> None:
        (tmp_path / "rotate.cu").write_text(ENDLESS)
        child = subprocess.Popen(
            command("rotate.cu", "-ex", "break 11", "-ex", "run", "-ex", "delete", "-ex", "next"),
            cwd=tmp_path,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert child.stdout
        while "(lab) next" not in child.stdout.readline():
            pass
        time.sleep(0.5)
        os.killpg(child.pid, signal.SIGINT)
        said, _ = child.communicate("print next\n", timeout=60)
        assert "11\t  for (long k" in said
        assert "$1 = 2" in said


@pytest.mark.e2e
class TestValues:
    def test_values_of_all_types(self, tmp_path: Path) -> None:
        wanted = {
            "i": "0",
            "items": "{data = 0x",
            "items.data": "(int *) 0x",
            "items.data[7]": "0",
            "items.data[8]": "items.data[8]: past the end of allocation 1 (32 bytes)",
            "items.data[-1]": "items.data[-1]: before the beginning of allocation 1 (32 bytes)",
            "pair": "{first = 1, second = 2.5, many = {3, 4, 5}}",
            "pair.many[3]": "pair.many[3]: past the end of pair.many (3 items)",
            "table": "{{0, 0.5, 1}, {-1, 3, 6}}",
            "is_in": "true",
            "letter": "97 'a'",
            "color": "green",
            "big": "4294967280",
            "wide": "1099511627776",
            "dynamic[0]": "1.5",
            "dynamic[8]": "dynamic[8]: past the end of dynamic (8 items)",
            "factors": "{1, 2, 3, 4}",
            "total": "7",
            "halved": "20",
            "*own": "20",
            "own == &halved": "true",
            "sizeof(pair)": "20",
            "threadIdx.x == 0 && i < 100": "true",
            "blockDim": "{x = 8, y = 1, z = 1}",
            "*0": "this is no pointer",
            "*(int*)0": "*(int*)0: a null pointer",
        }
        commands = [f"print {text}" for text in wanted]
        ran = debug(
            tmp_path, TYPES, f"break {AFTER_LOOP + 1} if threadIdx.x == 0", "run", *commands,
            "print/x big",
        )  # fmt: skip
        told = answers(ran.stdout)
        for text, value in wanted.items():
            said = told[f"print {text}"]
            said = said.partition(" = ")[2] if said.startswith("$") else said
            assert said.startswith(value), text
        assert told["print/x big"].endswith("= 0xfffffff0")

    def test_a_recursion_has_a_frame_for_each_call(self, tmp_path: Path) -> None:
        told = told_by(tmp_path, TYPES, "break depth if n == 1; run; bt")
        assert [line.split(" at ")[0] for line in told["bt"].splitlines()] == [
            "#0  depth (n=1)",
            "#1  depth (n=2)",
            "#2  depth (n=3)",
            "#3  work (items=..., pair=..., scale=1.5)",
        ]

    def test_an_inlined_function_has_a_frame(self, tmp_path: Path) -> None:
        told = told_by(tmp_path, TYPES, "break 8; run; bt; print result; up; print i; finish")
        assert "#0  half (number=40) at rotate.cu:8" in told["bt"]
        assert "#1  work (" in told["bt"]
        assert told["print result"] == "$1 = 20"
        assert told["print i"] == "$2 = 0"

    def test_a_structure_that_is_passed_by_value(self, tmp_path: Path) -> None:
        commands = ("break sum_of", "run", "print pair", "next", "print pair.first", "up", "p pair")
        told = answers(debug(tmp_path, TYPES, *commands).stdout)
        assert told["print pair"] == "$1 = {first = 1, second = 2.5, many = {3, 4, 5}}"
        assert told["print pair.first"] == "$2 = 2"
        assert told["p pair"].startswith("$3 = {first = 1,")

    def test_until_leaves_a_loop(self, tmp_path: Path) -> None:
        told = told_by(
            tmp_path,
            TYPES,
            "break 30; run; delete; next; next; next; print k; until; until; print table[1][2]",
        )
        assert told["print k"] == "$1 = 1"
        assert f"{AFTER_LOOP}\t  int* own" in told["until"]


@pytest.mark.e2e
class TestOfARung:
    def test_one_call_of_its_judge(self, tmp_path: Path) -> None:
        solved = str(REPOSITORY / "solutions")
        words = ("00-threads/02_grid_stride", "--size", "64", "--from", solved)
        told = answers(
            piped(
                tmp_path,
                words,
                ("break scale_kernel", "run", "info cuda kernels", "delete", "continue"),
            ).stdout
        )
        assert "Breakpoint 1, scale_kernel (" in told["run"]
        assert "02_grid_stride.cu" in told["run"]
        assert "scale_kernel" in told["info cuda kernels"]
        assert told["continue"] == "[The call ended]"

    def test_its_file_names_it(self, tmp_path: Path) -> None:
        file = REPOSITORY / "solutions" / "00-threads" / "02_grid_stride.cu"
        told = answers(piped(tmp_path, (str(file),), ("break scale_kernel", "run")).stdout)
        assert "Breakpoint 1, scale_kernel (" in told["run"]


@pytest.mark.e2e
def test_says_what_is_wrong_with_the_program(tmp_path: Path) -> None:
    ran = debug(tmp_path, RIGHT.replace("int next", "it next"))
    assert ran.returncode == ExitCode.SHORT_OF_FULL_MARKS
    assert "compile_error  rotate.cu:10" in ran.stdout


def test_an_option_of_programs_is_refused_for_a_rung(checkout: Checkout) -> None:
    said = checkout.refusal("debug", f"{LAB}/01_first", "--seed", "7")
    assert "--seed and --checks go with a program" in said


@pytest.mark.e2e
def test_a_terminal_completes_words_and_repeats_a_step(tmp_path: Path) -> None:
    (tmp_path / "rotate.cu").write_text(RIGHT)
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(tmp_path)
        os.execve(command()[0], command("rotate.cu"), environment())
    said = b""

    def wait_for(text: bytes) -> None:
        nonlocal said
        deadline = time.monotonic() + 120
        while text not in said and time.monotonic() < deadline:
            if select.select([terminal], [], [], 1)[0]:
                said += os.read(terminal, 4096)
        assert text in said, said
        said = said[said.index(text) + len(text) :]

    for keys, answer in (
        ("br\trot\t\n", b"Breakpoint 1 at rotate.cu:7"),
        ("run\n", b"Breakpoint 1, rotate"),
        ("p threadI\t.x\n", b"$1 = 0"),
        ("next\n", b"8\t  tile"),
        ("\n", b"9\t  __syncthreads"),
    ):
        wait_for(b"(lab) ")
        os.write(terminal, keys.encode())
        wait_for(answer)
    os.write(terminal, b"quit\n")
    assert os.waitpid(child, 0)[1] == 0
    os.close(terminal)
