# SPDX-License-Identifier: MIT
"""The system-call filter of a sandboxed worker, as the kernel's classic BPF.

On cpu the worker is one computing thread, and its device process has several. Calls that it does
not need return ENOSYS, and calls that only an attack needs end it with SIGSYS, which the judge
recognises. On cuda NVIDIA's driver decides what is needed, so everything except the attacks is
allowed. Under compute-sanitizer, which works inside the worker too, new processes and programs are
refused, and nothing else.
"""

import platform
import struct
from collections.abc import Iterator, Sequence
from itertools import chain

from lockstep_grader.model.grades import Backend

# linux/audit.h's name of the machine, and which column of the tables below is its own.
_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
_ABSENT = -1
_X32 = 0x40000000  # x86-64's second set of numbers for the same calls

# What the worker and the C++ runtime do, from loading the libraries to the last reply.
_NEEDED = {
    "read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66), "pread64": (17, 67),
    "close": (3, 57), "fstat": (5, 80), "newfstatat": (262, 79), "stat": (4, -1),
    "statx": (332, 291),
    "lseek": (8, 62), "munmap": (11, 215), "mremap": (25, 216), "madvise": (28, 233),
    "brk": (12, 214), "futex": (202, 98), "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139), "sigaltstack": (131, 132), "clock_gettime": (228, 113),
    "clock_getres": (229, 114), "gettimeofday": (96, 169), "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115), "getpid": (39, 172), "gettid": (186, 178), "getppid": (110, 173),
    "getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177),
    "access": (21, -1), "faccessat": (269, 48),
    "readlink": (89, -1), "readlinkat": (267, 78),
    "execve": (59, 221), "arch_prctl": (158, -1), "set_tid_address": (218, 96),
    "set_robust_list": (273, 99), "rseq": (334, 293),
    "getrandom": (318, 278), "sched_yield": (24, 124), "sched_getaffinity": (204, 123),
    "sysinfo": (99, 179), "uname": (63, 160), "poll": (7, -1),
    "ppoll": (271, 73),
    "getrusage": (98, 165), "restart_syscall": (219, 128), "wait4": (61, 260),
    "mincore": (27, 232), "sendto": (44, 206), "recvfrom": (45, 207), "setitimer": (38, 103),
}  # fmt: skip

# Processes, other processes' memory, the network, the kernel's own settings.
_ATTACKS = {
    "fork": (57, -1), "vfork": (58, -1), "execveat": (322, 281), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424), "kcmp": (312, 272),
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201),
    "accept": (43, 202), "accept4": (288, 242), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "setns": (308, 268), "unshare": (272, 97),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsmount": (432, 432),
    "mount_setattr": (442, 442), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "keyctl": (250, 219), "add_key": (248, 217),
    "request_key": (249, 218), "io_uring_setup": (425, 425), "open_by_handle_at": (304, 265),
    "kexec_load": (246, 104), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225),
    "acct": (163, 89), "syslog": (103, 116), "quotactl": (179, 60), "kill": (62, 129),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "ioperm": (173, -1),
    "iopl": (172, -1), "settimeofday": (164, 170), "clock_settime": (227, 112),
}  # fmt: skip
# The driver communicates with itself over local sockets; its signals are refused, not fatal.
_LET_THROUGH_ON_CUDA = {"socket", "connect", "bind", "listen", "accept", "accept4", "tkill"}
_NEW_PROCESSES = ("fork", "vfork", "execveat", "ptrace", "process_vm_writev")
_SIGNALS = ("kill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo")

# Calls whose arguments decide.
_CLONE, _CLONE3 = (56, 220), (435, 435)
_OPENAT, _MMAP, _MPROTECT = (257, 56), (9, 222), (10, 226)
_MEMFD_CREATE = (319, 279)
_TGKILL, _PRLIMIT64, _SETRLIMIT, _PRCTL = (234, 131), (302, 261), (160, 164), (157, 167)
_EXITS = ((60, 93), (231, 94))  # of a thread, and of the process
_FCNTL = (72, 25)
# They make the kernel send a process any signal, SIGKILL included.
_SIGNALLERS = {"timer_create": (222, 107), "mq_notify": (244, 184)}

_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_EPERM, _ENOSYS = 0x00050001, 0x00050026
_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT = 0x15, 0x35, 0x45
_NUMBER, _MACHINE = 0, 4  # offsets in the kernel's struct seccomp_data; arguments follow at 16

_CLONE_THREAD = 0x10000
_PROT_EXEC, _MAP_SHARED, _MAP_ANONYMOUS = 0x4, 0x1, 0x20
_SIGABRT = 6
_PR_SET_SECCOMP = 22
_F_SETSIG = 10
# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC: no owner, signal or lock of a descriptor.
_PLAIN_COMMANDS = (0, 1, 2, 3, 1030)
_LAST_PLAIN_STATUS = 128  # a sandbox reports a death by signal N as the exit status 128 + N
_WRITING = 0o1 | 0o2 | 0o100 | 0o1000  # O_WRONLY, O_RDWR, O_CREAT, O_TRUNC

_Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, operand


def filter_program(
    backend: Backend, machine: str = "", *, is_checked: bool = False, has_threads: bool = False
) -> bytes | None:
    """The filter for a worker of `backend`; None on a machine whose calls we have no numbers of.

    `is_checked`: for one that compute-sanitizer has started. `has_threads`: for its device process.
    """
    known = _MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    audit, column = known
    if is_checked:
        rules = _checked_rules(column)
    else:
        rules = _cpu_rules(column) if backend is Backend.CPU else _cuda_rules(column)
        if has_threads:
            rules = chain(_new_thread_rules(column), rules)
    whole = [
        (_LOAD, 0, 0, _MACHINE),
        (_IF_EQUAL, 1, 0, audit),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_IF_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _KILL),
        *rules,
    ]
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in whole)


def _cpu_rules(column: int) -> Iterator[_Instruction]:
    yield from _answer(_NEEDED, column, _ALLOW)
    # Only channels that were open from the start may be written, and written memory may not be
    # executed.
    yield from _unless_bits(_OPENAT[column], 2, _WRITING, _EPERM)
    yield from _unless_bits(_MPROTECT[column], 2, _PROT_EXEC, _KILL)
    yield from _map_rule(_MMAP[column])
    yield from _if_one_of(_TGKILL[column], 2, (_SIGABRT,), _ALLOW, _KILL)  # std::abort()
    # worker/confine.cpp sets a filter of its own.
    yield from _if_one_of(_PRCTL[column], 0, (_PR_SET_SECCOMP,), _ALLOW, _ENOSYS)
    yield from _limit_rule(_PRLIMIT64[column], _KILL)
    yield from _if_one_of(_FCNTL[column], 1, _PLAIN_COMMANDS, _ALLOW, _KILL)
    yield from _exit_rules(column)
    fatal = {**_ATTACKS, "clone": _CLONE, "clone3": _CLONE3, "memfd_create": _MEMFD_CREATE}
    yield from _answer(fatal, column, _KILL)
    yield (_RETURN, 0, 0, _ENOSYS)


def _cuda_rules(column: int) -> Iterator[_Instruction]:
    signals = {name: _ATTACKS[name] for name in _SIGNALS}
    refused = {**signals, **_SIGNALLERS, "tgkill": _TGKILL, "setrlimit": _SETRLIMIT}
    yield from _answer(refused, column, _EPERM)
    yield from _limit_rule(_PRLIMIT64[column], _EPERM)
    yield from _if_one_of(_FCNTL[column], 1, (_F_SETSIG,), _EPERM, _ALLOW)
    yield from _exit_rules(column)
    left = {name: number for name, number in _ATTACKS.items() if name not in _LET_THROUGH_ON_CUDA}
    yield from _answer(left, column, _KILL)
    yield from _thread_rules(column)


def _checked_rules(column: int) -> Iterator[_Instruction]:
    yield from _answer(
        {name: _ATTACKS[name] for name in _NEW_PROCESSES} | {"execve": _NEEDED["execve"]},
        column,
        _KILL,
    )
    yield from _thread_rules(column)


def _thread_rules(column: int) -> Iterator[_Instruction]:
    """Threads, but no processes; and all other calls."""
    yield from _new_thread_rules(column)
    yield (_RETURN, 0, 0, _ALLOW)


def _new_thread_rules(column: int) -> Iterator[_Instruction]:
    # clone3 hides its flags in memory. Without it libraries use clone.
    yield from _answer({"clone3": _CLONE3}, column, _ENOSYS)
    yield (_IF_EQUAL, 0, 4, _CLONE[column])
    yield (_LOAD, 0, 0, _argument(0))
    yield (_IF_ANY_BIT, 0, 1, _CLONE_THREAD)
    yield (_RETURN, 0, 0, _ALLOW)
    yield (_RETURN, 0, 0, _KILL)


def _answer(calls: dict[str, tuple[int, int]], column: int, answer: int) -> Iterator[_Instruction]:
    for numbers in calls.values():
        if numbers[column] != _ABSENT:
            yield (_IF_EQUAL, 0, 1, numbers[column])
            yield (_RETURN, 0, 0, answer)


def _unless_bits(number: int, argument: int, bits: int, otherwise: int) -> Iterator[_Instruction]:
    """Allows the call unless any of `bits` is set in its argument."""
    yield (_IF_EQUAL, 0, 4, number)
    yield (_LOAD, 0, 0, _argument(argument))
    yield (_IF_ANY_BIT, 1, 0, bits)
    yield (_RETURN, 0, 0, _ALLOW)
    yield (_RETURN, 0, 0, otherwise)


def _if_one_of(
    number: int, argument: int, values: Sequence[int], answer: int, otherwise: int
) -> Iterator[_Instruction]:
    """Gives `answer` to the call if its argument, an int, is one of `values`."""
    yield (_IF_EQUAL, 0, 2 * len(values) + 2, number)
    yield (_LOAD, 0, 0, _argument(argument))
    for value in values:
        yield (_IF_EQUAL, 0, 1, value)
        yield (_RETURN, 0, 0, answer)
    yield (_RETURN, 0, 0, otherwise)


def _map_rule(number: int) -> Iterator[_Instruction]:
    """Files may be mapped. Other memory may not be run, nor shared, where no one would count it."""
    yield (_IF_EQUAL, 0, 7, number)
    yield (_LOAD, 0, 0, _argument(3))
    yield (_IF_ANY_BIT, 0, 3, _MAP_ANONYMOUS)
    yield (_IF_ANY_BIT, 3, 0, _MAP_SHARED)
    yield (_LOAD, 0, 0, _argument(2))
    yield (_IF_ANY_BIT, 1, 0, _PROT_EXEC)
    yield (_RETURN, 0, 0, _ALLOW)
    yield (_RETURN, 0, 0, _KILL)


def _limit_rule(number: int, otherwise: int) -> Iterator[_Instruction]:
    """Limits may be read and not set: a hard one ends with a SIGKILL that looks like ours."""
    yield (_IF_EQUAL, 0, 6, number)
    yield (_LOAD, 0, 0, _argument(2))
    yield (_IF_EQUAL, 0, 3, 0)
    yield (_LOAD, 0, 0, _argument(2) + 4)
    yield (_IF_EQUAL, 0, 1, 0)
    yield (_RETURN, 0, 0, _ALLOW)
    yield (_RETURN, 0, 0, otherwise)


def _exit_rules(column: int) -> Iterator[_Instruction]:
    """No exit status may look like a death by a signal."""
    for numbers in _EXITS:
        yield (_IF_EQUAL, 0, 5, numbers[column])
        yield (_LOAD, 0, 0, _argument(0))
        yield (_AND, 0, 0, 0xFF)
        yield (_IF_AT_LEAST, 1, 0, _LAST_PLAIN_STATUS + 1)
        yield (_RETURN, 0, 0, _ALLOW)
        yield (_RETURN, 0, 0, _KILL)


def _argument(index: int) -> int:
    return 16 + 8 * index  # its lower half; both machines are little endian
