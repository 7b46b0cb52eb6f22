# SPDX-License-Identifier: MIT
"""The sandbox itself: what is out of sight, what is cut off, who may do without."""

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from lockstep_grader.confine.sandbox import NoSandbox, Sandbox, find_sandbox
from lockstep_grader.confine.seccomp import filter_program
from lockstep_grader.machine.process import Limits, Processes
from lockstep_grader.model.grades import Backend

from conftest import Checkout

NOBODY = 65534
JUDGE = Path(__file__).resolve().parents[2] / "common" / "judge"
INCLUDES = (
    "cerrno cstdio cstdlib fcntl.h pthread.h signal.h sys/mman.h sys/resource.h sys/socket.h "
    "sys/syscall.h unistd.h"
)


@pytest.fixture
def sandbox() -> Sandbox:
    found = find_sandbox(Backend.CPU)
    if isinstance(found, NoSandbox):
        pytest.skip(found.reason)
    return found


def compiled(sandbox: Sandbox, folder: Path, text: str) -> tuple[int, str]:
    """Compiles `text` as a rung would be, in `folder`/work with the headers of `folder`/lab."""
    work, include = folder / "work", folder / "lab"
    work.mkdir(exist_ok=True)
    include.mkdir(exist_ok=True)
    (work / "x.cpp").write_text(text)
    argv = ["g++", "-std=c++20", f"-I{include}", "-c", str(work / "x.cpp"), "-o", str(work / "x.o")]
    done = Processes().run(sandbox.compiling(argv, work, include), Limits(60), work)
    return done.returncode, done.output


def run_inside(sandbox: Sandbox, program: Path) -> subprocess.CompletedProcess[str]:
    argv = [*sandbox.running(program), str(program)]
    return subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)


def program_of(folder: Path, body: str, before: str = "") -> Path:
    """A program that does `body`; with `before`, one that may take a filter."""
    includes = "".join(f"#include <{name}>\n" for name in INCLUDES.split())
    text = f"{includes}{before}int main() {{ {body} }}\n"
    made = folder / "program"
    argv = ["g++", "-std=c++20", f"-I{JUDGE}", "-o", str(made), "-x", "c++", "-"]
    if before:
        argv.append(str(JUDGE / "worker" / "filter.cpp"))
    subprocess.run(argv, input=text, text=True, check=True)
    return made


def test_a_compiler_sees_the_headers_and_its_own_file(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "lab.cuh").write_text("int contract();\n")
    text = "#include <vector>\n#include <lab.cuh>\nint f() { return contract(); }\n"
    assert compiled(sandbox, tmp_path, text) == (0, "")
    assert (tmp_path / "work" / "x.o").is_file()


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "judge/fixture.h", "../lab/01_rung.cu", "../secret.h"]
)
def test_a_compiler_sees_nothing_else(sandbox: Sandbox, tmp_path: Path, name: str) -> None:
    (tmp_path / "lab" / "judge").mkdir(parents=True)
    for file in ("lab/judge/fixture.h", "lab/01_rung.cu", "secret.h"):
        (tmp_path / file).write_text("the_answer_is_42\n")
    status, said = compiled(sandbox, tmp_path, f'#include "{name}"\n')
    assert status != 0
    assert "No such file or directory" in said
    assert "the_answer" not in said
    assert "root:" not in said


def test_a_compiler_that_another_one_starts_sees_its_own_folder(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """As nvcc does with -ccbin, where g++ is a script that starts the program next to it."""
    work, tools = tmp_path / "work", tmp_path / "tools"
    for folder in (work, tools / "bin", tools / "libexec"):
        folder.mkdir(parents=True)
    (tools / "bin" / "g++").write_text(f"#!/bin/sh\nexec {tools}/libexec/real\n")
    (tools / "libexec" / "real").write_text("#!/bin/sh\necho compiled\n")
    for program in tools.rglob("*/*"):
        program.chmod(0o755)
    argv = sandbox.compiling(["env", str(tools / "bin" / "g++")], work, tmp_path / "lab")
    done = Processes().run(argv, Limits(60), work)
    assert done.output == "compiled\n"


def test_a_hidden_header_is_not_there(sandbox: Sandbox, tmp_path: Path) -> None:
    common = tmp_path / "common"
    common.mkdir()
    for name in ("early.h", "late.h"):
        (common / name).write_text("")
    confined = Sandbox(
        sandbox.program,
        sandbox.backend,
        sandbox.isolation,
        sandbox.filter_file,
        sandbox.checked_filter,
        sandbox.device_filter,
        (common / "late.h",),
    )
    work = tmp_path / "work"
    work.mkdir()
    for name, status in (("early.h", 0), ("late.h", 1)):
        (work / "x.cpp").write_text(f"#include <{name}>\n")
        argv = ["g++", f"-I{common}", "-c", str(work / "x.cpp"), "-o", str(work / "x.o")]
        done = Processes().run(confined.compiling(argv, work, tmp_path / "lab"), Limits(60), work)
        assert (done.returncode, "No such file" in done.output) == (status, status == 1)


def test_libraries_are_there_for_a_rung_that_may_use_them(sandbox: Sandbox, tmp_path: Path) -> None:
    """In a folder that the command names."""
    folder, work = tmp_path / "cccl", tmp_path / "work"
    for name in ("cub/cub.cuh", "thrust/sort.h", "cuda/atomic"):
        header = folder / name
        header.parent.mkdir(parents=True)
        header.write_text("")
    work.mkdir()
    argv = ["find", str(folder), "-type", "f", "-printf", "%P\\n"]
    seen = {}
    for shown in (False, True):
        confined = replace(sandbox, shows_libraries=shown)
        done = Processes().run(confined.compiling(argv, work, tmp_path / "lab"), Limits(60), work)
        seen[shown] = sorted(done.output.split())
    assert seen == {False: ["cuda/atomic"], True: ["cub/cub.cuh", "cuda/atomic", "thrust/sort.h"]}


@pytest.mark.parametrize("folder", ["include", "include/cccl", "targets/x/include/cccl"])
def test_a_toolkits_libraries_are_hidden_from_its_nvcc(
    sandbox: Sandbox, tmp_path: Path, folder: str
) -> None:
    """However the command starts it, and nothing else of the toolkit."""
    toolkit, work = tmp_path / "toolkit", tmp_path / "work"
    for name in ("cub/cub.cuh", "thrust/sort.h", "cuda/atomic"):
        header = toolkit / folder / name
        header.parent.mkdir(parents=True)
        header.write_text("")
    work.mkdir()
    nvcc = toolkit / "bin" / "nvcc"
    nvcc.parent.mkdir()
    nvcc.write_text(f"#!/bin/sh\ncd {toolkit / folder} && find . -type f\n")
    nvcc.chmod(0o755)
    for argv in ([str(nvcc)], ["sh", "-c", 'exec "$0"', str(nvcc)]):
        done = Processes().run(sandbox.compiling(argv, work, tmp_path / "lab"), Limits(60), work)
        assert done.output == "./cuda/atomic\n"


@pytest.mark.parametrize(
    ("body", "ending"),
    [
        ("std::puts(\"here\");", "0 here"),
        ("std::abort();", "134"),
        ("fork();", "159"),
        ("socket(AF_INET, SOCK_STREAM, 0);", "159"),
        ("mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);", "159"),
        ("std::printf(\"%d\", open(\"/etc/passwd\", O_RDONLY) < 0 ? errno : 0);", "0 2"),
        ("std::printf(\"%d\", open(\"/tmp/x\", O_WRONLY | O_CREAT, 0600) < 0 ? errno : 0);", "0 1"),
        ("kill(getpid(), SIGKILL);", "159"),
        ("kill(getppid(), 0);", "159"),  # the sandbox's own init
        ("syscall(SYS_tgkill, getpid(), getpid(), SIGKILL);", "159"),
        ("rlimit one = {1, 1}; setrlimit(RLIMIT_CPU, &one);", "159"),
        ("rlimit now; std::printf(\"%d\", getrlimit(RLIMIT_CPU, &now));", "0 0"),
        ("_exit(137);", "159"),
        ("_exit(128);", "128"),
        ("mmap(nullptr, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);", "159"),
        ("std::printf(\"%s\", std::getenv(\"HOME\") ? \"told\" : \"untold\");", "0 untold"),
        ("std::printf(\"%u\", getuid());", f"0 {NOBODY}"),
    ],
)  # fmt: skip
def test_a_program_can_compute_and_print_and_no_more(
    sandbox: Sandbox, tmp_path: Path, body: str, ending: str
) -> None:
    if "getuid" in body and "--uid" not in sandbox.isolation:
        pytest.skip("root without user namespaces")
    done = run_inside(sandbox, program_of(tmp_path, body))
    assert f"{done.returncode} {done.stdout.strip()}".strip() == ending, done.stderr


def test_the_device_process_sees_its_kernels_and_no_more(sandbox: Sandbox, tmp_path: Path) -> None:
    kernels, other = tmp_path / "rung.ptx", tmp_path / "other.ptx"
    kernels.write_text("kernels")
    other.write_text("another rung's")
    device = program_of(
        tmp_path,
        f'std::printf("%d", open("{kernels}", O_RDONLY) < 0);'
        f'std::printf("%d", open("{kernels}", O_RDWR) < 0);'
        f'std::printf("%d", open("{other}", O_RDONLY) < 0);'
        "pthread_t one; auto* run = +[](void* p) { return p; };"
        'std::printf("%d", pthread_create(&one, nullptr, run, nullptr));'
        "std::fflush(stdout); fork();",
    )
    argv = [*sandbox.playing(device, [kernels]), str(device)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (159, "0110"), done.stderr  # 159: by fork()


CHECKED = """
#include <pthread.h>
#include "worker/filter.h"
[[gnu::section(".preinit_array"), gnu::used]] void (*const g_first)(int, char**, char**) =
    &worker::take_filter;
[[gnu::constructor]] void initialise() { BEFORE }
"""


@pytest.mark.parametrize(
    ("before", "body", "ending"),
    [
        ("", "", "0"),
        ("", "fork();", "159"),
        ("fork();", "", "159"),  # as an initialiser of the rung
        ("", "vfork();", "159"),
        ("", 'char* none[] = {nullptr}; execve("/bin/true", none, none);', "159"),
        ("", 'std::printf("%d", std::system("true"));', "159"),
        ("", "syscall(SYS_ptrace, 0, 0, 0, 0);", "159"),
        (
            "",
            "pthread_t one; auto* run = +[](void* p) { return p; };"
            'std::printf("%d", pthread_create(&one, nullptr, run, nullptr));',
            "0 0",
        ),
        ("", 'std::printf("%d", kill(getpid(), 0));', "0 0"),
    ],
)
def test_a_worker_under_a_checker_starts_no_process(
    tmp_path: Path, before: str, body: str, ending: str
) -> None:
    """The checker around it is a shell here, which does, as compute-sanitizer does."""
    found = find_sandbox(Backend.CUDA)
    if isinstance(found, NoSandbox):
        pytest.skip(found.reason)
    program = program_of(tmp_path, body, CHECKED.replace("BEFORE", before))
    checker = ["/bin/sh", "-c", '/bin/true; "$@"; exit $?', "sh", str(program)]
    done = subprocess.run(
        [*found.running(program, is_checked=True), *checker],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert f"{done.returncode} {done.stdout.strip()}".strip() == ending, done.stderr


def test_a_worker_that_cannot_take_its_filter_does_not_begin(tmp_path: Path) -> None:
    program = program_of(tmp_path, "", CHECKED.replace("BEFORE", ""))
    wrong = tmp_path / "filter"
    wrong.write_bytes(b"no filter")
    for file, status in ((None, 0), (wrong, 3), (tmp_path / "none", 3)):
        environment = {"LOCKSTEP_FILTER": str(file)} if file else {}
        done = subprocess.run(
            [program], env=environment, capture_output=True, text=True, check=False
        )
        assert (done.returncode, "cannot install the filter" in done.stderr) == (status, bool(file))


def test_it_works_for_an_ordinary_user(sandbox: Sandbox, tmp_path: Path) -> None:
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("takes root to become an ordinary user")
    filter_file = tmp_path / "filter"
    filter_file.write_bytes(sandbox.filter_file.read_bytes())
    ours = replace(sandbox, filter_file=filter_file)
    program = program_of(tmp_path, 'std::puts("here");')
    for folder in (tmp_path, *tmp_path.parents[:3]):  # pytest's folders are their owner's alone
        folder.chmod(0o755)
    become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    argv = [*become, *ours.running(program), str(program)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    if "namespace" in done.stderr or "uid map" in done.stderr:
        pytest.skip(f"only root may make namespaces here: {done.stderr.strip()}")
    assert (done.returncode, done.stdout) == (0, "here\n"), done.stderr


def test_filters_are_made_for_known_machines_alone() -> None:
    programs = [
        filter_program(backend, machine) for backend in Backend for machine in ("x86_64", "aarch64")
    ]
    assert all(code and len(code) % 8 == 0 for code in programs)
    assert len(set(programs)) == 4
    assert filter_program(Backend.CPU, "riscv64") is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may read what is another user's")
def test_root_grades_in_another_users_folder(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs, work = tmp_path / "theirs", tmp_path / "work"
    (theirs / "grader").mkdir(parents=True)
    work.mkdir()
    os.chown(theirs, NOBODY, NOBODY)
    theirs.chmod(0o700)
    monkeypatch.setattr("lockstep_grader.confine.sandbox._OURS", theirs / "grader")
    found = find_sandbox.__wrapped__(Backend.CPU)
    assert isinstance(found, Sandbox)
    argv = found.compiling(["/bin/ls", "-d", str(theirs / "grader")], work, work / "lab")
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def without_sandbox(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    monkeypatch.delenv("LOCKSTEP_SANDBOX")
    monkeypatch.setattr("lockstep_grader.judging.session.system.offer", lambda need: None)
    monkeypatch.setattr(
        "lockstep_grader.judging.session.find_sandbox", lambda *_: NoSandbox("there is none here")
    )
    return checkout


def test_other_peoples_code_is_refused_without_a_sandbox(without_sandbox: Checkout) -> None:
    said = without_sandbox.refusal("grade", without_sandbox.submission("ann", {}), status=3)
    assert "there is none here" in said
    assert "--no-sandbox" in said


@pytest.mark.parametrize(
    "words",
    [
        ("grade", "../ann", "--no-sandbox"),
        ("grade", "../solutions"),  # one's own code
        ("check", "01-demo", "--from", "../solutions"),
    ],
)
def test_what_does_without_a_sandbox(without_sandbox: Checkout, words: tuple[str, ...]) -> None:
    without_sandbox.submission("ann", {})
    assert without_sandbox.lab(*words).status == 0


@pytest.mark.parametrize(
    "verb", [("check", "01-demo"), ("profile", "01-demo/01_first"), ("bench", "01-demo")]
)
def test_a_folder_from_elsewhere_is_other_peoples_code(
    without_sandbox: Checkout, monkeypatch: pytest.MonkeyPatch, verb: tuple[str, ...]
) -> None:
    verbs = "lockstep_grader.cli.verbs_student"
    monkeypatch.setattr(f"{verbs}.backend_here", lambda *_: Backend.CUDA)  # `bench` asks first
    folder = without_sandbox.submission("ann", {})
    assert "--no-sandbox" in without_sandbox.refusal(*verb, "--from", folder, status=3)
    permitted = without_sandbox.lab(*verb, "--from", folder, "--no-sandbox")
    assert "without a sandbox" not in permitted.err


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, [" sandbox "]),
        ({"device": "/bin/true"}, [" sandbox ", " device device-sandbox ", " ptx "]),
    ],
)
def test_the_judge_is_told_to_confine_worker_and_device_process(
    checkout: Checkout,
    monkeypatch: pytest.MonkeyPatch,
    sandbox: Sandbox,
    changes: dict[str, str],
    told: list[str],
) -> None:
    log = checkout.root / "log"
    monkeypatch.delenv("LOCKSTEP_SANDBOX")
    monkeypatch.setenv("FAKE_JUDGE_LOG", str(log))
    steps = [{"name": "link", "argv": ["/bin/cp", "{source}", "{work}/worker"]}]
    checkout.write_toolchain(steps=steps, **changes)
    ran = checkout.lab("grade", checkout.submission("ann", {}))
    assert ran.status == 0, ran.err
    assert [word for word in told if word not in log.read_text()] == []
