# SPDX-License-Identifier: MIT
"""Set-up, doctor, processes and the sections of `test`."""

import errno
import os
import shutil
import stat
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Event

import pytest
from rich.padding import Padding
from rich.text import Text

from lockstep_grader.author.selftest.runner import (
    Context,
    Section,
    Tally,
    ensure_packages,
    junit_tally,
    report,
    run_sections,
)
from lockstep_grader.author.selftest.sections import SECTIONS, chosen
from lockstep_grader.machine.console import make_console
from lockstep_grader.machine.process import Limits, Processes
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, InputError, LockstepError
from lockstep_grader.model.grades import Backend
from lockstep_grader.model.text import one_line, visible
from lockstep_grader.toolchain import system
from lockstep_grader.toolchain.installers import install_command
from lockstep_grader.toolchain.system import Requirement, ensure

from conftest import Checkout, is_gone, wait_for

ABSENT = Requirement("Unobtainium", "unobtainium-dev", lambda: "")


def fake_program(folder: Path, name: str, script: str) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return file


def refuse(*_: object) -> None:
    raise OSError(errno.ENOSYS, "not here")


def test_no_line_in_a_pipe_ends_with_blanks(capsys: pytest.CaptureFixture[str]) -> None:
    make_console().print(Padding(Text("short\nmuch longer"), (0, 0, 0, 2), expand=False))
    assert capsys.readouterr().out == "  short\n  much longer\n"


def test_an_ordinary_user_is_told_the_one_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr("lockstep_grader.toolchain.installers._OS_RELEASE", Path("/nonexistent"))
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    with pytest.raises(FaultError) as caught:
        ensure([ABSENT])
    assert str(caught.value).endswith(
        "run: sudo apt-get update && sudo apt-get install -y unobtainium-dev"
    )


def test_root_installs_what_is_missing_and_says_so_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log, found = tmp_path / "log", tmp_path / "found"
    fake_program(tmp_path / "bin", "apt-get", f'echo "$@" >> {log}; touch {found}')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(system, "OPTIONAL_REQUIREMENTS", ())
    ensure([Requirement("Thing", "thing-dev", lambda: "x" if found.exists() else "")])
    assert log.read_text().splitlines() == [
        "-q update",
        "-q install -y --no-install-recommends thing-dev",
    ]
    assert "installing by apt-get: thing-dev ... (--no-install forbids" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("release", "command"),
    [
        ("ID=fedora", "sudo dnf install -y gcc-c++ ninja-build gtest-devel zlib-devel"),
        ('ID=rocky\nID_LIKE="rhel centos fedora"', "sudo dnf install -y gcc-c++"),
        ("ID=arch", "sudo pacman -S --needed gcc ninja gtest zlib"),
        (
            'ID="opensuse-leap"\nID_LIKE="suse opensuse"',
            "sudo zypper install -y gcc-c++ ninja zlib-devel",
        ),
        ("ID=alpine", "sudo apk add g++ samurai gtest-dev zlib-dev ccache"),
        ("ID=linuxmint\nID_LIKE=ubuntu", "sudo apt-get update && sudo apt-get install -y g++"),
        ("ID=strange", "install what Debian calls g++ ninja-build"),
    ],
)
def test_each_system_has_its_own_command_and_names(
    release: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "os-release").write_text(f'NAME="Some Linux"\n{release}\nVERSION_ID=1\n')
    release_file = tmp_path / "os-release"
    monkeypatch.setattr("lockstep_grader.toolchain.installers._OS_RELEASE", release_file)
    monkeypatch.setattr("shutil.which", lambda name: "/usr/bin/sudo" if name == "sudo" else None)
    packages = ["g++", "ninja-build", "libgtest-dev", "zlib1g-dev", "ccache"]
    given = install_command(packages, as_root=False)
    assert all(word in given for word in command.split())
    assert given.startswith(" ".join(command.split()[:4]))


def test_without_sudo_the_command_is_one_for_su(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lockstep_grader.toolchain.installers._OS_RELEASE", Path("/nonexistent"))
    monkeypatch.setattr("shutil.which", lambda name: None if name == "sudo" else "/usr/bin/x")
    assert install_command(["g++"], as_root=False) == (
        "su -c 'apt-get update && apt-get install -y g++'"
    )


def test_a_system_that_is_not_linux_is_sent_to_a_container(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    assert install_command(["g++"], as_root=False).startswith("open this folder in a Linux contain")


@pytest.mark.parametrize("word", ["off", "maybe"])
def test_nothing_is_installed_where_that_is_forbidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    log = tmp_path / "log"
    fake_program(tmp_path / "bin", "apt-get", f'echo "$@" >> {log}')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("LOCKSTEP_INSTALL", word)
    said = "run: apt-get .*thing-dev" if word == "off" else "LOCKSTEP_INSTALL is 'maybe'; set it to"
    with pytest.raises(LockstepError, match=said):
        ensure([Requirement("Thing", "thing-dev", lambda: "")])
    assert not log.exists()


def test_root_gets_ccache_along_with_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, found = tmp_path / "log", tmp_path / "found"
    fails = 'case "$*" in *ccache*) exit 1;; esac'
    fake_program(tmp_path / "bin", "apt-get", f'echo "$@" >> {log}; touch {found}; {fails}')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin")
    monkeypatch.setattr(system, "OPTIONAL_REQUIREMENTS", (Requirement("c", "ccache", lambda: ""),))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    ensure([Requirement("Thing", "thing-dev", lambda: "x" if found.exists() else "")])
    assert log.read_text().splitlines()[-1] == "-q install -y --no-install-recommends ccache"


def test_the_tests_ask_apt_once_for_all_packages_and_then_for_those_it_can_do_without(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[set[str]] = []

    def refuse_but_to_build(needed: Sequence[Requirement]) -> None:
        asked.append({need.package for need in needed})
        if "g++" not in asked[-1] or len(asked) == 1:
            raise FaultError("no such package")

    monkeypatch.setattr(system, "ensure", refuse_but_to_build)
    ensure_packages(SECTIONS, thorough=True)
    together, *one_by_one = asked
    assert together == set().union(*one_by_one) > {"g++", "bubblewrap", "slurmd"}
    assert "what confines student code is not tested: no such package" in capsys.readouterr().err
    for sections, thorough in (
        ([each for each in SECTIONS if each.name != "pytest"], True),
        (SECTIONS, False),
    ):
        asked.clear()
        ensure_packages(sections, thorough)
        assert asked
        assert not any("slurmd" in packages for packages in asked)


def test_a_failing_apt_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_program(tmp_path / "bin", "apt-get", "echo reading; echo 'E: no network' >&2; exit 100")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(FaultError, match=r"apt-get update failed: E: no network"):
        ensure([ABSENT])


def test_what_is_there_needs_no_package_manager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    ensure([Requirement("Here", "here-dev", lambda: "/usr/bin/here")])


def test_the_backend_is_cuda_only_with_nvcc_and_a_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "bin"
    fake_program(folder, "nvcc", "true")
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    smi = fake_program(folder, "nvidia-smi", "exit 9")
    assert system.detect_backend() is Backend.CPU
    smi.write_text("#!/bin/sh\necho 'GPU 0: Fast (UUID: x)'\n")
    assert system.detect_backend() is Backend.CUDA
    assert system.gpu_name() == "GPU 0: Fast (UUID: x)"


def test_a_header_is_found_through_the_usual_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "include" / "odd").mkdir(parents=True)
    (tmp_path / "include" / "odd" / "thing.h").touch()
    find = system.header("odd/thing.h")
    assert find() == ""
    monkeypatch.setenv("CMAKE_PREFIX_PATH", f"/opt/none:{tmp_path}")
    assert find() == str(tmp_path / "include" / "odd" / "thing.h")


def test_doctor_is_content_with_a_whole_cpu_backend(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    present = Requirement("C++ compiler", "g++", lambda: "/usr/bin/g++")
    monkeypatch.setattr("lockstep_grader.judging.doctor.BUILD_REQUIREMENTS", (present,))
    ran = checkout.lab("doctor")
    assert ran.status == 0
    assert "C++ compiler" in ran.out
    assert "watchfiles" in ran.out


def test_doctor_asks_a_students_copy_for_nothing_that_only_our_tests_use(
    checkout: Checkout,
) -> None:
    assert "jsonschema" in checkout.lab("doctor").out
    shutil.rmtree(checkout.root / "solutions")
    told = checkout.lab("doctor").out
    assert "watchfiles" in told
    assert not any(name in told for name in ("jsonschema", "slurmd", "playwright", "copydetect"))


def test_doctor_says_what_to_do_about_a_gap_and_exits_3(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lockstep_grader.judging.doctor.BUILD_REQUIREMENTS", (ABSENT,))
    ran = checkout.lab("doctor")
    assert ran.status == 3
    as_root = os.geteuid() == 0
    told = " ".join(ran.out.split())
    assert install_command(["unobtainium-dev"], as_root).split(" &&")[0] in told


@pytest.mark.parametrize("has_pidfd", [True, False])
def test_a_process_beyond_its_time_is_ended_with_all_it_started(
    has_pidfd: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_pidfd:
        monkeypatch.setattr(os, "pidfd_open", refuse)
    script = f"setsid sleep 60 & echo $! > {tmp_path / 'pid'}; sleep 60"
    started = time.monotonic()
    done = Processes().run(["sh", "-c", script], Limits(1), tmp_path)
    assert done.timed_out
    assert time.monotonic() - started < 10
    assert Processes().run(["sh", "-c", "exit 7"], Limits(30), tmp_path).returncode == 7
    pid = int((tmp_path / "pid").read_text())
    wait_for(lambda: is_gone(pid), 5)


def test_a_process_keeps_to_its_memory_and_file_limits(tmp_path: Path) -> None:
    greedy = "x = bytearray(1 << 30)"
    limits = Limits(30, memory_bytes=512 << 20, file_bytes=1 << 20)
    done = Processes().run([sys.executable, "-c", greedy], limits, tmp_path)
    assert "MemoryError" in done.output
    flood = ["sh", "-c", "yes > big; echo $?"]
    done = Processes().run(flood, limits, tmp_path)
    assert (tmp_path / "big").stat().st_size <= 1 << 20


def test_a_flood_of_output_is_cut(tmp_path: Path) -> None:
    limits = Limits(30, file_bytes=1 << 20, output_bytes=1000)
    done = Processes().run(["yes"], limits, tmp_path)
    assert len(done.output) == 1000
    assert done.returncode != 0


def test_invisible_characters_are_spelled_out() -> None:
    assert visible("a\x1b[31m\x07\x9b\u202e\u2028\udcff\tb\n") == (
        "a\\x1b[31m\\x07\\x9b\\u202e\\u2028\\udcff\tb\n"
    )
    assert visible("naïve 数 ok") == "naïve 数 ok"
    assert one_line("a\n  b\rc") == "a b\\x0dc"


def section(name: str, tally: Tally | None) -> Section:
    def run(_: Context) -> Tally:
        if tally is None:
            raise FaultError("it does not build")
        return tally

    return Section(name, f"the {name} section", run)


def test_the_last_line_is_the_sum_of_all_sections(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    context = Context(Workspace(tmp_path, tmp_path), make_console(), 1)
    sections = (section("a", Tally(3, 0, 1)), section("b", None), section("c", Tally(passed=2)))
    total = run_sections(context, sections)
    assert total == Tally(5, 1, 1)
    said = capsys.readouterr().out.splitlines()
    assert said[-1] == "5 passed, 1 failed, 1 skipped"
    assert "it does not build" in said


def test_a_section_beside_others_runs_with_them_and_prints_in_one_piece(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begun, may_end = Event(), Event()

    def long(context: Context) -> Tally:
        report(context, "its first test", good=True)
        begun.set()
        assert may_end.wait(20)
        report(context, "its last test", good=True)
        return Tally(passed=2)

    def short(context: Context) -> Tally:
        assert begun.wait(20)
        report(context, "another", good=True)
        may_end.set()
        return Tally(passed=1)

    context = Context(Workspace(tmp_path, tmp_path), make_console(), 1)
    sections = (Section("long", "slow", long, beside=True), Section("short", "quick", short))
    assert run_sections(context, sections) == Tally(passed=3)
    said = capsys.readouterr().out.splitlines()
    assert said[:5] == [
        "== short: quick",
        "  ok    another",
        "== long: slow",
        "  ok    its first test",
        "  ok    its last test",
    ]
    assert [line.split()[0] for line in said[6:8]] == ["long", "short"]


def test_sections_are_listed_and_chosen_by_name(checkout: Checkout) -> None:
    (checkout.root / "grader" / "tests").mkdir(parents=True)
    listed = checkout.lab("test", "--list").out
    assert all(item.name in listed for item in SECTIONS)
    workspace = Workspace(checkout.root, checkout.root / "build")
    assert [item.name for item in chosen(workspace, ["lint", "format"])] == ["format", "lint"]
    with pytest.raises(InputError, match="there is no section 'none'"):
        chosen(workspace, ["none"])


def test_one_file_of_pytest_runs_alone(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    """By `./lab`, which makes the .venv that a hook of a fresh clone does not find."""
    one = checkout.write("grader/tests/test_one.py", "def test_one() -> None: pass\n")
    checkout.write("grader/tests/test_other.py", "def test_other() -> None: assert False\n")
    monkeypatch.setattr("lockstep_grader.author.selftest.runner.ensure_tools", lambda *_: None)
    ran = checkout.lab("test", "--file", one)
    assert ran.status == 0, ran.out
    assert "1 passed, 0 failed, 0 skipped" in ran.out
    assert checkout.lab("test", "--only", "pytest").status == 1
    for options, said in (
        (("--file", "none.py"), "none.py: no such file"),
        (("--only", "lint", "--file", one), "--file goes with --only pytest"),
    ):
        assert said in checkout.refusal("test", *options)


def test_a_section_with_nothing_to_do_is_absent(checkout: Checkout) -> None:
    shutil.rmtree(checkout.root / "solutions")
    workspace = Workspace(checkout.root, checkout.root / "build")
    assert not {"lint", "pytest"} & {item.name for item in chosen(workspace, [])}
    with pytest.raises(InputError, match="there is no section 'lint'"):
        chosen(workspace, ["lint"])


def test_counts_come_from_junit_and_a_bad_exit_counts_once(tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    suite = '<testsuite tests="9" failures="1" errors="1" skipped="2"/>'
    file.write_text(f"<testsuites>{suite}</testsuites>")
    assert junit_tally(file, 1) == Tally(5, 2, 2)
    file.write_text('<testsuite tests="3" failures="0" disabled="0" skipped="0"/>')
    assert junit_tally(file, 0) == Tally(3, 0, 0)
    assert junit_tally(file, 8) == Tally(3, 1, 0)
    assert junit_tally(tmp_path / "absent.xml", 0) == Tally(failed=1)
