# SPDX-License-Identifier: MIT
"""The filter's tables of system calls, compared with libseccomp, and its rules, call by call."""

import ctypes
import ctypes.util
import struct
from collections.abc import Mapping

import pytest

from lockstep_grader.confine import seccomp
from lockstep_grader.model.grades import Backend

ALLOW, KILL, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
ONE_BY_ONE = {
    "clone": seccomp._CLONE,
    "clone3": seccomp._CLONE3,
    "openat": seccomp._OPENAT,
    "mmap": seccomp._MMAP,
    "mprotect": seccomp._MPROTECT,
    "memfd_create": seccomp._MEMFD_CREATE,
    "tgkill": seccomp._TGKILL,
    "prlimit64": seccomp._PRLIMIT64,
    "setrlimit": seccomp._SETRLIMIT,
    "prctl": seccomp._PRCTL,
    "fcntl": seccomp._FCNTL,
    **seccomp._SIGNALLERS,
    "exit": seccomp._EXITS[0],
    "exit_group": seccomp._EXITS[1],
}
NUMBERS: Mapping[str, tuple[int, int]] = {**seccomp._NEEDED, **seccomp._ATTACKS, **ONE_BY_ONE}


@pytest.mark.parametrize("machine", MACHINES)
def test_every_number_is_that_of_libseccomp(machine: str) -> None:
    name = ctypes.util.find_library("seccomp")
    if name is None:
        pytest.skip("libseccomp is not installed")
    library = ctypes.CDLL(name)
    audit, column = MACHINES[machine]
    wrong = {}
    for call, numbers in NUMBERS.items():
        known = library.seccomp_syscall_resolve_name_arch(ctypes.c_uint32(audit), call.encode())
        if max(known, -1) != numbers[column]:  # it has negative numbers of its own for none
            wrong[call] = (numbers[column], known)
    assert wrong == {}


def answer(
    backend: Backend, machine: str, call: str, *arguments: int, is_checked: bool = False
) -> int:
    """What the filter answers, as the kernel runs it (linux/filter.h)."""
    audit, column = MACHINES[machine]
    code = seccomp.filter_program(backend, machine, is_checked=is_checked)
    assert code
    data = struct.pack(
        "<IIQ6Q", NUMBERS[call][column], audit, 0, *arguments, *[0] * (6 - len(arguments))
    )
    program = [struct.unpack_from("<HBBI", code, at) for at in range(0, len(code), 8)]
    held: int = 0
    at = 0
    while True:
        kind, if_true, if_false, operand = program[at]
        at += 1
        match kind:
            case 0x20:
                (held,) = struct.unpack_from("<I", data, operand)
            case 0x54:
                held &= operand
            case 0x15:
                at += if_true if held == operand else if_false
            case 0x35:
                at += if_true if held >= operand else if_false
            case 0x45:
                at += if_true if held & operand else if_false
            case 0x06:
                return int(operand)
            case _:
                raise AssertionError(f"an instruction that the kernel may not know: {kind:#x}")


SHARED, PRIVATE, ANONYMOUS, EXECUTABLE = 1, 2, 0x20, 4
HIGH = 1 << 32


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("call", "arguments", "on_cpu"),
    [
        ("read", (), ALLOW),
        ("kill", (1, 9), KILL),
        ("tgkill", (1, 1, 6), ALLOW),
        ("tgkill", (1, 1, 9), KILL),
        ("prlimit64", (0, 0, 0, 4096), ALLOW),
        ("prlimit64", (0, 0, 4096, 0), KILL),
        ("prlimit64", (0, 0, HIGH, 0), KILL),
        ("setrlimit", (0, 4096), ENOSYS),
        ("fcntl", (3, 3), ALLOW),
        ("fcntl", (3, 1030), ALLOW),
        ("fcntl", (1, 4, 0o20000), KILL),  # F_SETFL: a signal when the descriptor is ready
        ("fcntl", (1, 8, 1), KILL),  # F_SETOWN
        ("fcntl", (1, 10, 9), KILL),  # F_SETSIG
        ("timer_create", (), ENOSYS),
        ("mq_notify", (), ENOSYS),
        ("exit_group", (0,), ALLOW),
        ("exit_group", (128,), ALLOW),
        ("exit_group", (129,), KILL),
        ("exit_group", (0x7F00 + 137,), KILL),
        ("exit", (255,), KILL),
        ("mmap", (0, 4096, 3, PRIVATE | ANONYMOUS), ALLOW),
        ("mmap", (0, 4096, 3, SHARED), ALLOW),
        ("mmap", (0, 4096, EXECUTABLE, PRIVATE), ALLOW),  # a library; confine.cpp ends this
        ("mmap", (0, 4096, 3, SHARED | ANONYMOUS), KILL),
        ("mmap", (0, 4096, EXECUTABLE, PRIVATE | ANONYMOUS), KILL),
        ("mprotect", (0, 4096, 1), ALLOW),
        ("mprotect", (0, 4096, EXECUTABLE), KILL),
        ("openat", (0, 0, 0), ALLOW),
        ("openat", (0, 0, 1), EPERM),
        ("prctl", (22,), ALLOW),
        ("prctl", (4,), ENOSYS),
        ("clone", (), KILL),
        ("memfd_create", (), KILL),
    ],
)
def test_the_filter_answers_each_call_as_it_should(
    machine: str, call: str, arguments: tuple[int, ...], on_cpu: int
) -> None:
    assert answer(Backend.CPU, machine, call, *arguments) == on_cpu


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("call", "arguments", "on_cuda"),
    [
        ("socket", (), ALLOW),
        ("kill", (1, 9), EPERM),
        ("tgkill", (1, 1, 6), EPERM),
        ("prlimit64", (0, 0, 4096, 0), EPERM),
        ("prlimit64", (0, 0, 0, 4096), ALLOW),
        ("setrlimit", (0, 4096), EPERM),
        ("fcntl", (1, 4, 0o4000), ALLOW),
        ("fcntl", (1, 10, 9), EPERM),
        ("timer_create", (), EPERM),
        ("mq_notify", (), EPERM),
        ("exit_group", (137,), KILL),
        ("exit", (0,), ALLOW),
        ("clone", (0x10000,), ALLOW),
        ("clone", (), KILL),
        ("clone3", (), ENOSYS),
        ("ptrace", (), KILL),
    ],
)
def test_the_filter_of_cuda_lets_the_driver_work(
    machine: str, call: str, arguments: tuple[int, ...], on_cuda: int
) -> None:
    assert answer(Backend.CUDA, machine, call, *arguments) == on_cuda


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("call", "arguments", "under_a_checker"),
    [
        ("read", (), ALLOW),
        ("kill", (1, 9), ALLOW),
        ("socket", (), ALLOW),
        ("tgkill", (1, 1, 6), ALLOW),
        ("setrlimit", (0, 4096), ALLOW),
        ("clone", (0x10000,), ALLOW),
        ("clone", (0x4000,), KILL),
        ("clone3", (), ENOSYS),
        ("execve", (), KILL),
        ("execveat", (), KILL),
        ("ptrace", (), KILL),
        ("process_vm_writev", (), KILL),
    ],
)
def test_the_filter_under_a_checker_refuses_new_processes(
    machine: str, call: str, arguments: tuple[int, ...], under_a_checker: int
) -> None:
    assert answer(Backend.CUDA, machine, call, *arguments, is_checked=True) == under_a_checker


def test_a_fork_has_a_number_of_its_own_on_x86_alone() -> None:
    for call in ("fork", "vfork"):
        assert answer(Backend.CUDA, "x86_64", call, is_checked=True) == KILL
