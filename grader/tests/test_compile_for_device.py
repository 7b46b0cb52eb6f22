# SPDX-License-Identifier: MIT
"""How a rung is compiled for the device: the steps that run at once, and what is told of them."""

import time
from pathlib import Path

import pytest

from lockstep_grader.compile.worker import Made, compile_rung, make_worker, with_fitting_prelude
from lockstep_grader.intake.submission import Source
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Finding, FindingKind
from lockstep_grader.observe.judge import workers_on_cpu
from lockstep_grader.toolchain.description import Step

from conftest import FAKES
from setups import setup_in

SOURCE = Source("01_first.cu", b"int first;\nint second;\n")
LINK = {"name": "link", "argv": [str(FAKES / "linker"), "{source}", "{work}"]}


def shell(name: str, script: str, at_once: bool = True) -> Step:
    return Step(name, ("sh", "-c", script), at_once)


def made(work: Path, *steps: Step, source: Source = SOURCE) -> Made:
    return make_worker(setup_in(work, steps), source, work)


# ---- independent steps


def test_they_run_at_once(tmp_path: Path) -> None:
    meet = "touch {}; while [ ! -e {} ]; do sleep 0.02; done"
    link = shell("link", "test -e a && test -e b && touch worker", at_once=False)
    started = time.monotonic()
    done = made(
        tmp_path, shell("device", meet.format("a", "b")), shell("host", meet.format("b", "a")), link
    )
    assert done.worker == tmp_path / "worker"
    assert time.monotonic() - started < 60  # in turn, they would wait for each other


def test_the_devices_errors_come_first_and_warnings_are_kept(tmp_path: Path) -> None:
    host = "echo '01_first.cu:1:1: error: on the host'; exit 1"
    device = "sleep 0.1; echo '01_first.cu:2:5: error: on the device'; exit 1"
    written = "echo '01_first.cu:2:1: warning: odd [-Wodd]'"
    done = made(tmp_path, shell("device", device), shell("written", written), shell("host", host))
    told = [(each.line, each.column, each.message) for each in done.errors]
    assert told == [(2, 5, "on the device"), (1, 1, "on the host")]
    assert [(each.line, each.message) for each in done.warnings] == [(2, "odd")]


def test_a_warning_ends_nothing(tmp_path: Path) -> None:
    warns = "echo '01_first.cu:2:1: warning: odd'"
    link = shell("link", "touch worker", at_once=False)
    done = made(tmp_path, shell("device", warns), link)
    assert (done.worker, len(done.warnings)) == (tmp_path / "worker", 1)


CRASHES = "echo 'zig: error: clang frontend command failed with exit code 139'; exit 1"


def test_a_rung_over_which_clang_crashes_as_written_is_judged_as_compiled(tmp_path: Path) -> None:
    link = shell("link", "touch worker", at_once=False)
    steps = (shell("device", "touch rung.ptx"), shell("written", CRASHES), link)
    assert made(tmp_path, *steps) == Made(tmp_path / "worker")
    workers = workers_on_cpu(setup_in(tmp_path, device=tmp_path), tmp_path / "worker")
    assert not [word for word in workers.arguments() if word.startswith("--written")]


def test_a_crash_of_clang_is_told_with_the_next_step(tmp_path: Path) -> None:
    (finding,) = made(tmp_path, shell("device", CRASHES), shell("written", CRASHES)).errors
    assert "crashed over this file" in finding.message
    assert "take parts of the file out until it compiles" in finding.message


def test_a_mistake_that_only_the_code_as_written_shows_is_told(tmp_path: Path) -> None:
    wrong = f"echo '01_first.cu:2:5: error: no'; {CRASHES}"
    (finding,) = made(tmp_path, shell("device", "true"), shell("written", wrong)).errors
    assert (finding.line, finding.message) == (2, "no")


def test_headers_that_changed_after_the_build_are_no_fault_of_the_student(tmp_path: Path) -> None:
    stale = "fatal error: file '/usr/include/x.h' has been modified since the precompiled header"
    with pytest.raises(FaultError, match="build again, as headers have changed"):
        made(tmp_path, shell("device", f'echo "{stale}"; exit 1'))


def test_templates_without_end_are_told_as_such(tmp_path: Path) -> None:
    dies = "echo 'terminating due to uncaught exception of type std::bad_alloc'; exit 134"
    (finding,) = made(tmp_path, shell("device", dies)).errors
    assert "do templates, constants or arrays grow without end?" in finding.message


@pytest.mark.parametrize(("items", "is_refused"), [(9000, False), (20000, True)])
def test_a_kernel_with_more_shared_memory_than_a_block_has_is_refused(
    items: int, is_refused: bool, tmp_path: Path
) -> None:
    ptx = (
        f".weak .shared .align 4 .b8 _ZZN3lab6secondILi2EEEvPfE1t[{4 * items}];\n"
        ".extern .shared .align 16 .b8 anything[];\n.visible .entry _Z5firstPf(\n"
        ".visible .entry _ZN3lab6secondILi2EEEvPf(\n"
    )
    (tmp_path / "made").write_text(ptx)
    link = shell("link", "touch worker", at_once=False)
    source = Source("01_first.cu", b"void first(float*);\nvoid second(float*) {}\n")
    done = made(tmp_path, shell("device", "cp made rung.ptx"), link, source=source)
    told = [(each.line, each.message) for each in done.errors]
    said = "the kernel declares 80000 bytes of shared memory; a block has at most 49152"
    assert told == ([(2, said)] if is_refused else [])


@pytest.mark.parametrize(
    ("text", "prelude"),
    [
        ("#include <cuda/atomic>\n", "20-atomic.pch"),
        ('#include "demo.cuh"\n', "20-atomic.pch"),  # which includes it
        ("#include <algorithm>\n", "20-algorithm.pch"),
        ('#include <algorithm>\n#include "demo.cuh"\n', "20-atomic-algorithm.pch"),
        ("// cuda/atomic\n#include <atomic>\n", "20.pch"),
    ],
)
def test_only_a_rung_that_includes_a_header_gets_it_precompiled(
    tmp_path: Path, text: str, prelude: str
) -> None:
    (tmp_path / "demo.cuh").write_text('#include "demo.cuh"\n  # include <cuda/atomic>\n')
    argv = ["clang", "-include-pch", f"{tmp_path}/device20.pch", f"-I{tmp_path}"]
    source = Source("01_first.cu", text.encode())
    assert with_fitting_prelude([argv], source) == [tuple(argv)]  # nothing else is there
    for name in ("algorithm", "atomic", "atomic-algorithm"):
        (tmp_path / f"device20-{name}.pch").touch()
    (fitting,) = with_fitting_prelude([argv], source)
    assert fitting == ("clang", "-include-pch", f"{tmp_path}/device{prelude}", f"-I{tmp_path}")


# ---- rules of the text


@pytest.mark.parametrize(
    "text",
    [
        'void f() { asm("mov.u32 %0, %laneid;" : "=r"(lane)); }',
        'auto text = R"(raw)";',
        "#define PASTED(a) a##_kernel",
        '#pragma nounroll\n#pragma GCC optimize("O3")',
        "[[gnu::constructor]] void f(); int k = __builtin_popcount(3);",
        "#if __has_include(<span>)\n#endif",
        '#line 3 "other.cu"',
    ],
)
def test_any_style_is_allowed_on_cpu(text: str, tmp_path: Path) -> None:
    assert not forbidden(text, tmp_path, shell("link", "touch worker", at_once=False))


@pytest.mark.parametrize("text", ["#include <cub/cub.cuh>", '#include "/etc/passwd"'])
def test_what_a_lab_forbids_stays_forbidden(text: str, tmp_path: Path) -> None:
    assert forbidden(text, tmp_path, shell("link", "touch worker", at_once=False))


def forbidden(text: str, work: Path, link: Step) -> bool:
    source = Source("01_first.cu", text.encode())
    found = compile_rung(setup_in(work, [link]), source, work)
    return isinstance(found, Finding) and found.kind is FindingKind.FORBIDDEN
