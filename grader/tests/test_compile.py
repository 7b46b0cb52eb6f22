# SPDX-License-Identifier: MIT
"""What compilers and linkers say, turned into one finding with its place."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from lockstep_grader.compile.worker import compile_rung
from lockstep_grader.confine.sandbox import Unconfined
from lockstep_grader.intake.submission import Source
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Finding, FindingKind
from lockstep_grader.toolchain.description import Step

from setups import setup_in

SOURCE = Source("02_x.cu", b"// a rung\n")


def compile_saying(work: Path, said: str, step: str = "compile", status: int = 1) -> Finding:
    """The finding of a step that prints `said` and fails."""
    (work / "said").write_text(said)
    return compile_doing(work, f"cat '{work}/said'; exit {status}", step)


def compile_doing(work: Path, script: str, step: str = "compile", *words: str) -> Finding:
    argv = ("sh", "-c", script, "sh", *words)
    found = compile_rung(setup_in(work, [Step(step, argv)]), SOURCE, work)
    assert isinstance(found, Finding)
    assert found.kind in (FindingKind.COMPILE_ERROR, FindingKind.OUT_OF_MEMORY)
    return found


@pytest.mark.parametrize(
    ("said", "line", "message"),
    [
        ("/w/02_x.cu:31:5: error: 'x' was not declared\n", 31, "'x' was not declared"),
        ("02_x.cu:1:10: fatal error: no.h: No such file\n", 1, "no.h: No such file"),
        ('02_x.cu(7): error: identifier "y" is undefined\n', 7, 'identifier "y" is undefined'),
        ("02_x.cu:9: error: a launch without arguments\n", 9, "a launch without arguments"),
        (
            "In file included from 02_x.cu:1:\n02_x.cu:3:1: warning: w\n02_x.cu:4:2: error: e\n",
            4,
            "e",
        ),
        (
            "02_x.cu:8:5: error: \u2018__ballot\u2019 was not declared in this scope\n",
            8,
            "\u2018__ballot\u2019 was not declared in this scope: CUDA 9 replaced __ballot by "
            "__ballot_sync, whose first argument names the lanes that take part "
            "(0xffffffff: all 32)",
        ),
        ("/my work/02_x.cu:3:1: error: e\n", 3, "e"),
        ("02_x.cu:5:1: internal compiler error: Segmentation fault\n", 5, "Segmentation fault"),
    ],
)
def test_the_first_error_gives_line_and_message(
    tmp_path: Path, said: str, line: int, message: str
) -> None:
    assert compile_saying(tmp_path, said) == Finding(
        FindingKind.COMPILE_ERROR, message, "02_x.cu", line
    )


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("/usr/include/c++/12/vector:99:1: error: no match\n", "vector:99: no match"),
        ("cc1plus: error: unrecognised thing\n", "unrecognised thing"),
    ],
)
def test_an_error_outside_of_the_file_is_told(tmp_path: Path, said: str, message: str) -> None:
    found = compile_saying(tmp_path, said)
    assert (found.line, found.message) == (0, message)


def test_a_silent_failure_names_step_and_status(tmp_path: Path) -> None:
    assert compile_saying(tmp_path, "", "rewrite", 3).message == (
        "the rewrite step ended with status 3"
    )


@pytest.mark.parametrize(
    ("said", "line", "message"),
    [
        (
            "/usr/bin/ld: rung.o: in function `lab::f()':\n/w/02_x.cu:8: undefined reference to"
            " `lab::g()'\ncollect2: error: ld returned 1 exit status\n",
            8,
            "undefined reference to `lab::g()'",
        ),
        (
            "/usr/bin/ld: rung.o:(.text+0x10): undefined reference to `lab::reduce_sum()'\n",
            0,
            "undefined reference to `lab::reduce_sum()'",
        ),
        (
            "/usr/bin/ld: libworker.a(main.o): in function `main':\n/w/main.cpp:3: multiple"
            " definition of `main'; rung.o:/w/02_x.cu:9: first defined here\n",
            0,
            "main.cpp:3: multiple definition of `main'; rung.o:/w/02_x.cu:9: first defined here",
        ),
    ],
)
def test_a_missing_or_double_symbol_is_the_students(
    tmp_path: Path, said: str, line: int, message: str
) -> None:
    found = compile_saying(tmp_path, said, "link")
    assert (found.line, found.message) == (line, message)


def test_gnu_ld_has_the_last_word_about_a_link_that_fails(tmp_path: Path) -> None:
    script = (
        'if [ "$1" = -fuse-ld=gold ]; then echo "rung.o:function f: error: undefined reference"; '
        'else echo "/w/02_x.cu:8: undefined reference to \\`g()\'"; fi; exit 1'
    )
    found = compile_doing(tmp_path, script, "link", "-fuse-ld=gold")
    assert (found.line, found.message) == (8, "undefined reference to `g()'")


class Counting(Unconfined):
    """Confines nothing, and counts how often it would."""

    def __init__(self) -> None:
        self.times = 0

    def compiling(self, argv: Sequence[str], work: Path, include: Path) -> list[str]:
        self.times += 1
        return super().compiling(argv, work, include)


@pytest.mark.parametrize("failing", ["rewrite", "compile", "gather", "link"])
def test_the_steps_share_a_sandbox_up_to_the_one_that_fails(tmp_path: Path, failing: str) -> None:
    names = ("rewrite", "compile", "gather", "isolate", "link")
    script = 'echo "$2" >>"$1/done"; [ "$2" != "$3" ] || exit 3'
    steps = tuple(Step(name, ("sh", "-c", script, "sh", "{work}", name, failing)) for name in names)
    counting = Counting()
    setup = setup_in(tmp_path, steps, counting)

    def compiled() -> Path | Finding:
        return compile_rung(setup, SOURCE, tmp_path)

    if failing == "link":  # which also fails with an empty file, so the step is at fault
        with pytest.raises(FaultError, match="the link step failed"):
            compiled()
        assert counting.times == 2
    else:
        found = compiled()
        assert isinstance(found, Finding)
        assert found.message == f"the {failing} step ended with status 3"
        assert counting.times == 1
    reached = names[: names.index(failing) + 1]
    assert (tmp_path / "done").read_text().split() == list(reached)


def test_a_link_that_only_breaks_with_the_rungs_code_is_the_students(tmp_path: Path) -> None:
    """Such as a name of the emulator's that the rung declares thread-local."""
    said = "/usr/bin/ld: __tsan_read4: TLS reference in isolated.o mismatches the definition"
    breaks = f"[ ! -s {{source}} ] && touch {{work}}/worker || (echo '{said}'; exit 1)"
    assert said in compile_doing(tmp_path, breaks, "link").message


def test_any_other_broken_link_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(FaultError, match="cannot find -lbacktrace"):
        compile_saying(tmp_path, "/usr/bin/ld: cannot find -lbacktrace\n", "link")


@pytest.mark.parametrize(
    ("step", "said", "status", "expected"),
    [
        ("rewrite", "bwrap: Creating new namespace failed: Out of memory\n", 1, "bwrap: Creating"),
        ("compile", "/bin/sh: 4: Cannot fork\n", 2, "Cannot fork"),
        ("compile", "", 127, r"could not run \(status 127\)"),
        ("compile", "", 137, r"could not run \(status 137\)"),
    ],
)
def test_trouble_of_the_machine_is_nobodys_zero(
    tmp_path: Path, step: str, said: str, status: int, expected: str
) -> None:
    with pytest.raises(FaultError, match=expected):
        compile_saying(tmp_path, said, step, status)


def test_only_a_kernel_that_was_short_of_memory_excuses_a_killed_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vmstat = tmp_path / "vmstat"
    vmstat.write_text("pgfault 12\noom_kill 3\nswap_ra 0\n")
    monkeypatch.setattr("lockstep_grader.machine.process._VMSTAT", vmstat)
    killed = "g++: fatal error: Killed signal terminated program cc1plus"
    assert "took more than" in compile_saying(tmp_path, f"{killed}\n").message
    with pytest.raises(FaultError, match="out of memory"):
        compile_doing(tmp_path, f"sed -i 's/kill 3/kill 4/' '{vmstat}'; echo '{killed}'; exit 1")


@pytest.mark.parametrize(
    "said",
    [
        "02_x.cu:1:2: error: #error Killed signal terminated program cc1plus",
        "02_x.cu:1:2: error: #error g++: fatal error: Killed signal terminated program cc1plus",
        "02_x.cu:1:2: error: static assertion failed: x\\n"
        "g++: fatal error: Killed signal terminated program cc1plus",
    ],
)
def test_a_rungs_words_are_no_killed_compiler_while_another_process_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    vmstat = tmp_path / "vmstat"
    vmstat.write_text("oom_kill 3\n")
    monkeypatch.setattr("lockstep_grader.machine.process._VMSTAT", vmstat)
    doing = f"sed -i 's/kill 3/kill 4/' '{vmstat}'; printf '{said}\\n'; exit 1"
    assert compile_doing(tmp_path, doing).kind == FindingKind.COMPILE_ERROR


@pytest.mark.parametrize(
    ("step", "said", "message"),
    [
        ("compile", "02_x.cu:1:2: error: #error\nbwrap: no sandbox\n", "#error"),
        (
            "compile",
            "02_x.cu:1:1: note: x\n"
            "g++: fatal error: CPU time limit exceeded signal terminated program cc1plus\n",
            "compiling took more than 10 s of processor time",
        ),
        (
            "link",
            "rung.o: in function `f':\n/w/02_x.cu:8:(.text+0x4): relocation truncated to fit:"
            " R_X86_64_PC32 against `.bss'\n",
            "its file-scope variables take more memory than a program may use",
        ),
        ("link", "/usr/bin/ld: memory exhausted\n", "compiling took more than 10 s"),
    ],
)
def test_no_rung_can_pass_for_trouble_of_the_machine(
    tmp_path: Path, step: str, said: str, message: str
) -> None:
    assert compile_saying(tmp_path, said, step).message.startswith(message)


def test_words_about_a_full_disk_in_the_source_make_no_fault(tmp_path: Path) -> None:
    found = compile_saying(tmp_path, "02_x.cu:1:2: error: #error No space left on device\n")
    assert found.message == "#error No space left on device"
