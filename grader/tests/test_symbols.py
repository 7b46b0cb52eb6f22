# SPDX-License-Identifier: MIT
"""The allow list of symbols: what a rung's object may refer to and define."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Backend, Finding, FindingKind
from lockstep_grader.rules.allowlist import CUDA_SUBSTITUTES, EMULATOR
from lockstep_grader.rules.symbols import check_object, is_allowed, qualified_name

SIMT = Path(__file__).resolve().parents[2] / "common/simt"
NEEDED = """
sqrtf memcpy puts wcslen _ZSt4cout _Znwm __tsan_read4 __x86_indirect_thunk_rax
_Z10cudaMallocPPvm _ZTIi threadIdx
_Z24cudaDestroyTextureObjecty _ZN4simt11fetch_texelEyi
_ZN4simt18sync_named_barrierEii _ZN4simt13get_exchangedEj _ZN4simt12PhaseCounter6arriveEj
_ZN4simt11read_configERK20cudaLaunchConfig_stPNS_12LaunchConfigE __isShared
_ZNKRSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv
_ZNOSt7__cxx1119basic_ostringstreamIwSt11char_traitsIwESaIwEE3strEv
_ZNSt6chrono3_V212steady_clock3nowEv _ZN4simt7lane_idEv _ZN4simt6detail8run_gridEv
"""
REFUSED = """
open fork system syscall mmap socket ptrace signal dlopen exit _exit getenv pthread_create
_ZNSt6thread6detachEv _ZNKRSt6thread6detachEv _ZNKOSt6thread6detachEv
_ZNSt14basic_ifstreamIcED1Ev _ZNSt10filesystem6removeEv
_ZN4simt13copy_elementsEPvPKvm
_ZN4simt12set_countingEb _ZN4simt13take_findingsEv _ZN6worker10call_tableEv cublasSgemm_v2
_ZN3cub9DeviceRedE cudaIpcOpenMemHandle cuMemAlloc_v2 cudaDeviceReset
bsearch _Z31cudaDestroyExternalMemoryP6Memory _ZN4simt12find_textureEy
"""
needs_compiler = pytest.mark.skipif(not shutil.which("g++"), reason="no C++ compiler")


def object_problem(text: str, folder: Path) -> Finding | None:
    made = folder / "rung.o"
    flags = ["-std=c++20", "-x", "c++", "-c", "-o", str(made), "-"]
    subprocess.run(["g++", *flags], input=text, text=True, check=True)
    return check_object(made, Source("x.cu", text.encode()), Backend.CPU)


@pytest.mark.parametrize(
    ("symbol", "names"),
    [
        ("open", ("open",)),
        ("_Z18cudaGetErrorString9cudaError", ("cudaGetErrorString",)),
        ("_ZSt4cout", ("std", "cout")),
        ("_ZNSt6thread6detachEv", ("std", "thread", "detach")),
        ("_ZNKSt7__cxx1112basic_stringIcE4sizeEv", ("std", "__cxx11", "basic_string")),
        ("_ZNKRSt8optionalIiE5valueEv", ("std", "optional")),
        ("_ZNO4simt5Thing4takeEv", ("simt", "Thing", "take")),
        ("_ZN4simt6detail8run_gridEv", ("simt", "detail", "run_grid")),
        ("_ZTIN3lab4TodoE", ("lab", "Todo")),
        ("_Znwm", ("operator new",)),
    ],
)
def test_names_are_read_from_mangled_ones(symbol: str, names: tuple[str, ...]) -> None:
    assert qualified_name(symbol) == names


@pytest.mark.parametrize(
    "symbol",
    NEEDED.split(),
)
def test_what_computing_takes_is_allowed(symbol: str) -> None:
    assert is_allowed(symbol, Backend.CPU)


@pytest.mark.parametrize(
    "symbol",
    REFUSED.split(),
)
def test_what_it_does_not_take_is_refused(symbol: str) -> None:
    assert not is_allowed(symbol, Backend.CPU)
    assert not is_allowed(symbol, Backend.CUDA) or symbol == "exit"  # in nvcc's own stubs


@pytest.mark.parametrize("symbol", sorted(CUDA_SUBSTITUTES))
def test_what_headers_call_instead_is_allowed_on_cuda(symbol: str) -> None:
    assert is_allowed(symbol, Backend.CUDA)
    assert not is_allowed(symbol, Backend.CPU)


@needs_compiler
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("extern \"C\" int fork();\nint f() { return fork(); }", "uses fork"),
        ("int main() {}", "defines main"),
        ("struct A { virtual ~A() {} };\nstruct B : A {};\n"
         "B* f(A* a) { return dynamic_cast<B*>(a); }", "not by dynamic_cast"),
        ("extern \"C\" int cudaDeviceReset();\nint f() { return cudaDeviceReset(); }",
         "it frees the caller's memory, too"),
        ("extern \"C\" int cudaDeviceSynchronize() { return 0; }", "defines cudaDeviceSynchronize"),
        ("extern \"C\" int cudaEventRecord(void*) { return 0; }", "defines cudaEventRecord"),
        ("extern \"C\" long write(int, const void*, unsigned long) { return 0; }", "defines write"),
        ("extern \"C\" __attribute__((weak)) void* malloc(unsigned long) { return 0; }",
         "defines malloc"),
        ("inline int stdout = 1; int* f() { return &stdout; }", "defines stdout"),
        ("namespace simt { void set_counting(bool) {} }", "defines simt::set_counting"),
        ("#include <cstdlib>\nvoid* operator new(std::size_t) { std::abort(); }", "operator new"),
        ("__attribute__((constructor)) void early() {}", "early run before"),
        ("__attribute__((destructor)) void late() {}", "late run before"),
        ("void f() {}\n__attribute__((section(\".init_array\"), used)) void (*g)() = f;",
         "run before"),
        ("__attribute__((section(\".text#\"))) extern const char k_code[] = {0};",
         "among the code"),
        ("extern \"C\" { void (*pick())() { return 0; }\n"
         "void g() __attribute__((ifunc(\"pick\"))); }", "the loader choose"),
    ],
)  # fmt: skip
def test_an_object_with_more_than_computing_is_forbidden(
    text: str, said: str, tmp_path: Path
) -> None:
    found = object_problem(text, tmp_path)
    assert found is not None
    assert (found.kind, said in found.message) == (FindingKind.FORBIDDEN, True), found.message


@needs_compiler
def test_the_line_is_that_of_the_macro(tmp_path: Path) -> None:
    found = object_problem("#include <csetjmp>\nint f(jmp_buf b) {\nreturn setjmp(b); }", tmp_path)
    assert found
    assert (found.line, "throw an exception" in found.message) == (3, True), found.message


@needs_compiler
def test_the_line_is_that_of_a_macros_definition_where_no_other_has_the_name(
    tmp_path: Path,
) -> None:
    macros = "#include <cstdlib>  // for exit\n#define STOP(x) if (x) exit(1)\n"
    for use, line in (("STOP(x);", 2), ("if (x) exit(1);", 3)):
        found = object_problem(f"{macros}void f(int x) {{ {use} }}", tmp_path)
        assert found is not None
        assert found.line == line
        assert "throw std::runtime_error, or put lab::check()" in found.message


@needs_compiler
@pytest.mark.skipif(not shutil.which("c++filt"), reason="no c++filt")
def test_a_name_that_is_not_read_is_written_as_in_the_source(tmp_path: Path) -> None:
    text = 'extern "C" int _ZThn8_N4Base3runEv();\nint f() { return _ZThn8_N4Base3runEv(); }'
    found = object_problem(text, tmp_path)
    assert found is not None
    assert found.message.startswith("uses non-virtual thunk to Base::run(), which no rung needs: ")


@needs_compiler
@pytest.mark.parametrize("words", ["", "thread_local ", "volatile "])
def test_a_variable_larger_than_a_process_may_be_is_refused(words: str, tmp_path: Path) -> None:
    text = f"namespace {{ {words}char g_large[SIZE]; }}\nchar* f() {{ return (char*)g_large; }}"
    assert object_problem(text.replace("SIZE", "1L << 30"), tmp_path) is None
    found = object_problem(text.replace("SIZE", "250L << 30"), tmp_path)
    assert found
    assert found.kind is FindingKind.OUT_OF_MEMORY
    assert "256000 MiB" in found.message


NVCC = "[[gnu::constructor]] static void __sti____cudaRegisterAll() {}\n"
OBJECT = 'struct S { S(); int x; } s;\nS::S() : x(strlen("abc")) {}\n'


@needs_compiler
def test_an_initialiser_of_nvccs_own_may_be_next_to_the_files(tmp_path: Path) -> None:
    assert object_problem("#include <cstring>\n" + OBJECT + NVCC, tmp_path) is None
    other = NVCC.replace("__cuda", "_more__cuda")
    problem = object_problem("#include <cstring>\n" + OBJECT + NVCC + other, tmp_path)
    assert problem is not None
    assert "run before or after the program" in problem.message


@needs_compiler
def test_an_object_with_initialisers_and_containers_is_allowed(tmp_path: Path) -> None:
    text = """
    #include <algorithm>
    #include <cmath>
    #include <cstdio>
    #include <iostream>
    #include <map>
    #include <string>
    #include <vector>
    std::map<std::string, std::vector<double>> table = {{"a", {1, 2, 3}}};
    double f(double x) {
      static const std::string name = std::to_string(x);
      std::sort(table["a"].begin(), table["a"].end());
      std::printf("%s", name.c_str());
      std::cout << std::pow(x, 3) << std::endl;
      if (x < 0) throw 1;
      return table.at("a")[0];
    }
    """
    assert object_problem(text, tmp_path) is None


@needs_compiler
@pytest.mark.parametrize(
    "text",
    [
        "int send = 1; inline int counter = 2; int* f() { return &counter; }",
        'extern "C" int helper() { return 1; }\nint write_all() { return helper(); }',
        "struct malloc_like { virtual ~malloc_like() {} } thing;",
    ],
)
def test_names_of_ones_own_are_allowed(text: str, tmp_path: Path) -> None:
    assert object_problem(text, tmp_path) is None


def test_a_file_that_is_no_object_is_refused_and_one_that_is_not_there_our_fault(
    tmp_path: Path,
) -> None:
    file = tmp_path / "rung.o"
    for data in (b"", b"text", b"\x7fELF\x02\x01" + b"\xff" * 200):
        file.write_bytes(data)
        found = check_object(file, Source("x.cu", b""), Backend.CPU)
        assert found
        assert found.kind is FindingKind.FORBIDDEN
        assert "cannot be examined" in found.message
    with pytest.raises(FaultError, match="cannot read the compiled rung"):
        check_object(tmp_path / "none.o", Source("x.cu", b""), Backend.CPU)


@needs_compiler
def test_an_object_of_very_many_sections_is_refused(tmp_path: Path) -> None:
    names = ",\n".join(f"v{number}" for number in range(33_000))
    found = object_problem(f"[[gnu::used]] inline int {names};\n", tmp_path)
    assert found
    assert "more than 65279 sections" in found.message


@needs_compiler
@pytest.mark.parametrize("base", ["threadIdx", "own", "Own().numbers"])
def test_code_stays_near_what_it_names(base: str, tmp_path: Path) -> None:
    code = """
    struct Index {{ unsigned x, y, z; }};
    extern "C" const Index threadIdx;
    static const char own[100] = {{1}};
    struct Own {{ static constexpr int numbers[2] = {{1, 2}}; }};
    char near() {{ return *((const char*)&{base} + 4); }}
    void far() {{ *((char*)&{base} + {distance}) = 0; }}
    """
    assert object_problem(code.format(base=base, distance=8), tmp_path) is None
    for distance in (16408, -16408):
        found = object_problem(code.format(base=base, distance=distance), tmp_path)
        assert found is not None
        assert "uses memory far from" in found.message


# What headers call for parts of CUDA that a rung may not use, and for the emulator itself.
REFUSED_ON_PURPOSE = """
copy_elements integer_sum launch_address multiply_tiles register_kernel skip_mrg skip_xorwow
expect_unchecked_code
"""
PROTOTYPE = re.compile(
    r"^(?!\s*(?:return|static|friend|using|typedef)\b) {0,2}(?:\[\[\w+\]\] )?"
    r"[a-z_][\w:<>*& ]*[ *&]([a-z]\w*)\([^;{}]*\)(?: noexcept)?;",
    re.M,
)


def test_each_function_that_the_emulators_headers_call_is_allowed_or_refused_on_purpose() -> None:
    headers = {file: _code(file) for file in (SIMT / "include").rglob("*") if file.is_file()}
    own = "\n".join(text for file, text in headers.items() if file.parent.name == "simt")
    declared = {name for name in PROTOTYPE.findall(own) if not name.startswith("cuda")}
    calls = PROTOTYPE.sub("", "\n".join(headers.values()))
    called = {
        name for name in declared if re.search(rf"(?<![\w.>~]){name}(<[\w:]+>)?\([^)]", calls)
    }
    # A member of PhaseCounter, a template's name and a macro's parameter.
    assert called - EMULATOR - {"arrive", "copy", "name"} == set(REFUSED_ON_PURPOSE.split())
    assert len(called & EMULATOR) > 30, "the search has lost functions"


def _code(file: Path) -> str:
    return re.sub(r"//[^\n]*", "", file.read_text(encoding="utf-8"))


@needs_compiler
def test_a_refused_part_of_cuda_is_named_as_the_source_names_it(tmp_path: Path) -> None:
    text = "namespace simt { void copy_elements(void*, const void*, unsigned long); }\n"
    found = object_problem(
        text + "void f() { simt::copy_elements(nullptr, nullptr, 0); }", tmp_path
    )
    assert found is not None
    assert found.message.startswith("uses nvcuda::wmma::fragment, which no rung needs: ")
