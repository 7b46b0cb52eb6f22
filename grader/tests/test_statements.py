# SPDX-License-Identifier: MIT
"""Each access of a rung is announced: g++'s own listing of the statements proves it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import FindingKind
from lockstep_grader.rules import bounds
from lockstep_grader.rules.statements import check_statements

needs_compiler = pytest.mark.skipif(not shutil.which("g++"), reason="no C++ compiler")


def _version() -> int:
    if not shutil.which("g++"):
        return 0
    said = subprocess.run(["g++", "-dumpversion"], check=True, capture_output=True, text=True)
    return int(said.stdout.split(".")[0])


VERSION = _version()

# Those of common/cmake/WorkerSteps.cmake that decide what is announced.
FLAGS = [
    *("-std=c++20", "-O1", "-fno-tree-sra", "-fno-elide-constructors"),
    *("-fsanitize=thread", "--param=tsan-distinguish-volatile=1"),
    *("-fsanitize=alignment,bounds-strict", "-fsanitize-coverage=trace-pc"),
    "-fno-delete-null-pointer-checks",
    *(["-fno-tree-forwprop"] if VERSION >= 16 else []),
]
DECLARED = """
#include <new>
struct Op { float apply(float x); virtual float own(float x); int count; };
using Method = float (Op::*)(float);
struct Words { long long values[4]; };
struct Pair { float first, second; };
struct Owner { Owner(); Owner(const Owner&); ~Owner(); Words words; };
struct Deep { int before; Words words[4]; const Words* next; };
union Bits { float number; unsigned bits; };
Words words(); Pair pair(); Owner owner(); Method method(); float number();
void take(Words); void take(Pair); void take(Owner); void take(Method); void read(const Words&);
void take(Method, const char*, ...);
Method methods[8]; Words all[8]; const Method fixed[2] = {&Op::apply, nullptr};
"""
UNSEEN = {
    "a pointer to a member function is passed": "void f(Method* m) { take(*m); }",
    "one of a variable of the file": "void f(int i) { take(methods[i]); }",
    "one in a shared array": "thread_local Method kept[8]; void f(int i) { take(kept[i]); }",
    "one in a struct": "struct S { int i; Method m; }; void f(S* s) { take(s->m); }",
    "one is compared": "bool f(Method* m) { return *m == &Op::apply; }",
    "one is tested": "bool f(Method* m) { return *m != nullptr; }",
    "one is a result, stored": "void f(Method* m) { *m = method(); }",
    "one is a result, stored by index": "void f(int i) { methods[i] = method(); }",
    "a large result in place": "void f(void* place) { new (place) Words(words()); }",
    "a small result in place": "void f(void* place) { new (place) Pair(pair()); }",
    "one next to text that looks like a listing": (
        'void f(Method* m) { take(*m, " = .DEFERRED_INIT ", "[/", ";; Function "); }'
    ),
    "one after text that looks like a listing": (
        'void f(Method* m) { take(*m, ";; Function f\\n  <bb 2>:"); take(*m); }'
    ),
    "one behind an atomic access": (
        "void f(int* x, Method* m) { __atomic_store_n(x, 1, __ATOMIC_RELEASE); take(*m); }"
    ),
    "one is passed to a function with a statement's name": (
        "void iffy(Method); void f(int i) { iffy(methods[i]); }"
    ),
    "one is an operator's": (
        "bool operator==(Op, Method); bool f(Op* op, int i) { return *op == methods[i]; }"
    ),
    "an item of a variable that is declared const": (
        "extern const long there[34]; void f() { const_cast<long&>(there[30]) = 1; }"
    ),
    "a variable that is declared const": (
        "extern const long there; void f() { const_cast<long&>(there) = 1; }"
    ),
    "one after an announced read": (
        "extern const long there; void f(long* x) { const_cast<long&>(there) = *x; }"
    ),
    "an item of an array that gets its length later": (
        "extern const float later[]; "
        "float f(const float* in, int i) { return later[in - later + i]; } extern const float "
        "later[2]; const float later[2] = {1, 2};"
    ),
    "one of a class": (
        "struct Table { static const float items[]; }; float f(int i) { return Table::items[i]; } "
        "const float Table::items[2] = {1, 2};"
    ),
    "one in a loop": (
        "extern const float later[]; float f(const float* in, int n) { float sum = 0; long at ="
        " in - "
        "later; for (int i = 0; i < n; ++i) sum += later[at + i]; return sum; } "
        "const float later[2] = {1, 2};"
    ),
    "an item of what is defined elsewhere": (
        "namespace std { extern const float cout[1 << 16]; } float f(int i) { return "
        "std::cout[i]; }"
    ),
    "one whose type has no length": (
        "using Items = float[]; struct Own { int n; Items items; }; "
        "float f(const float* in, int i) { Own own; own.n = i; return own.items[in - own.items "
        "+ i]; }"
    ),
    "one whose index is compared elsewhere": (
        "struct Own { int n; float items[]; }; float f(const float* in, int i) { Own own; own.n"
        " = i; "
        "float few[2] = {}; if (i > 9) few[i] = 1; return own.items[i] + few[1]; }"
    ),
    "one stored by an index that is compared later": (
        "struct Large { float items[1ul << 40]; }; float f(long i, long j) { Pair own = pair(); "
        "float few[2] = {}; few[j] = 2; Large& all = reinterpret_cast<Large&>(own); "
        "all.items[i] = number(); few[i] = 1; return few[1] + all.items[j]; }"
    ),
    "one of a length that is too large": (
        "struct Large { float items[1ul << 40]; }; float f(long i, long j) { Pair own = pair(); "
        "Large& all = reinterpret_cast<Large&>(own); all.items[i] = 1; return all.items[j]; }"
    ),
    "a result in a member": (
        "struct S { int i; Words w; S() : w(words()) {} }; S* f() { return new S; }"
    ),
}
# Newer versions announce these, and compare an index with a length of 0.
if VERSION < 16:
    UNSEEN |= {
        "one by index": (
            "extern const long there[34]; void f(int i) { const_cast<long&>(there[i]) = 1; }"
        ),
        "an item that is a struct": (
            "struct Two { long a, b; }; extern const Two later[]; "
            "Two f(int i) { Two two = later[i]; return two; } "
            "const Two later[2] = {{1, 2}, {3, 4}};"
        ),
    }
if VERSION < 13:
    UNSEEN |= {
        "one is called": "float f(Op* op, Method* m) { return (op->**m)(1); }",
        "one of the file is called": "float f(Op* op, int i) { return (op->*methods[i])(1); }",
        "one whose length is 0": (
            "template <int n> struct Own { int count; float items[n]; }; float f(const float* in, "
            "int i) "
            "{ Own<0> own; own.count = i; return own.items[in - own.items + i]; }"
        ),
    }
SEEN = {
    "nothing": "void f() {}",
    "numbers": (
        "float f(const float* x, float* y, int i) { return y[i] += x[i] * x[-i] - *x * *y; }"
    ),
    "structs": "void f(Words* a, const Words* b, Pair* c, Pair* d) { *a = *b; *c = *d; }",
    "arguments": "void f(Words* a, Pair* b, Owner* c) { take(*a); take(*b); take(*c); }",
    "references": (
        "void f(const Words& a, Deep& b) { read(a); read(b.words[b.before]); read(*b.next); }"
    ),
    "results": "void f(Words* a, Pair* b, Owner* c) { *a = words(); *b = pair(); *c = owner(); }",
    "results of the file": (
        "void f(int i) { all[i] = words(); static Words once = words(); take(once); }"
    ),
    "variables of the file": (
        "int count; static int calls; thread_local float tile[8]; struct { int x, y : 3; } point; "
        "static const float first = number(); static Words kept; "
        "void f(int i) { count = i; ++calls; tile[i] = first; point.x = point.y = i; "
        "all[i] = all[0]; static int times = i; times = calls; static Pair last; "
        "last = {1, tile[0]}; kept = {}; }"
    ),
    "items by an index that is compared": (
        "struct Best { int n; float items[4]; float& item(int i) { return items[i]; } }; "
        "struct Grid { Best all[3][2]; }; const float weights[5] = {1, 2, 3, 4, 5}; "
        "static constexpr Pair pairs[2][2] = {}; Best best(int i); "
        "float f(int i, int j, unsigned k) { Best own = best(i); Grid grid = {}; Words w[2] = {}; "
        "grid.all[i][j & 1].item(i + j) = weights[k % 5] + weights[k & 3]; w[i] = w[j]; "
        "own.item(j) = 1; "
        "float sum = 0; for (int n = 0; n < 4; ++n) sum += own.item(n) * weights[n + 1]; "
        "const Pair pair = pairs[i][j]; static const int once[3] = {i, j, 3}; "
        "return sum + grid.all[2][1].items[j] + pair.first + once[k] + w[1].values[j]; }"
    ),
    "items by an index that is compared in another block": (
        "float f(int i, int j) { float v[4] = {}; for (int k = 0; k < 4; ++k) v[k] += j ? "
        "number() : 1; "
        "try { switch (j) { case 1: v[i] = 1; break; case 7: v[i] += number(); break; default: "
        "if (j > 5) throw 1; } } catch (int) { v[i + 1] *= number(); } return v[i] + v[j]; }"
    ),
    "returned": "Words f(Deep* a) { return a->next->values[0] ? a->words[1] : *a->next; }",
    "returned large": "Owner f(Owner* a) { return a->words.values[1] ? owner() : *a; }",
    "returned text": (
        "#include <sstream>\nstd::string f(int i) { std::ostringstream s; s << i; return s.str(); }"
    ),
    "returned in turn": "Words f(bool b) { if (b) return words(); Words w = words(); return w; }",
    "addresses": "float* f(float (*x)[4], Deep* d) { take(d->next[2]); return &(*x)[2]; }",
    "bit patterns": (
        "unsigned f(float* x) { Bits b{*x}; return b.bits ^ __builtin_popcount(b.bits); }"
    ),
    "atomics": "int f(Op* op) { return __atomic_fetch_add(&op->count, 1, __ATOMIC_RELAXED); }",
    "volatile": "int f(volatile int* x) { while (*x == 0) {} return x[1]; }",
    "virtual": "float f(Op* op, float* x) { return op->own(*x); }",
    "objects made": "Owner* f(void* place) { return new (place) Owner; }",
    "methods of its own": (
        "void f(Method* m, int i) { Method one = *m, two = methods[i]; take(one); take(two); "
        "take(i ? one : two); take(&Op::apply); *m = two; }"
    ),
    "methods that are constant": "float f(Op* op, float x) { return (op->*&Op::apply)(x); }",
    "exceptions": (
        "void f(int* i) { if (*i) throw Owner(); try { number(); } catch (Words& w) { take(w); } }"
    ),
    "arrays of variable length": (
        "int f(int n, int* x) { int own[n]; own[*x] = *x; return own[0]; }"
    ),
    "pointers in text": 'const char* f(int i) { return i ? "*p_1 = f (*q_2)" : "a->b"; }',
    "containers": (
        "#include <functional>\n#include <memory>\n#include <optional>\n#include <string>\n"
        "#include <tuple>\n#include <vector>\n"
        "int f(std::vector<Owner>& v, std::optional<Pair>& o, std::tuple<int, Words, char>& t) { "
        "v.push_back(owner()); v.emplace_back(); o = pair(); o.emplace(pair()); auto u = t; t "
        "= std::move(u); "
        "auto s = std::make_shared<Words>(words()); std::function<Words()> g = words; take(g()); "
        "take(*s); std::string a = std::to_string(v.size()); return a[0]; }"
    ),
}


def compiled(code: str, folder: Path) -> tuple[Path, Path]:
    """The listing of g++'s statements, and the object."""
    source, listing, made = (folder / name for name in ("rung.cpp", "statements", "rung.o"))
    source.write_text(DECLARED + "#line 1\n" + code + "\n")
    extra = ["-c", str(source), "-o", str(made)]
    listed = f"-fdump-tree-tsan-blocks-lineno-uid-asmname={listing}"
    subprocess.run(["g++", *FLAGS, *extra, listed], check=True)
    return listing, made


@needs_compiler
@pytest.mark.parametrize("code", UNSEEN.values(), ids=UNSEEN)
def test_an_access_that_no_check_sees_is_refused_with_its_line(code: str, tmp_path: Path) -> None:
    found = check_statements(*compiled(f"\n\n{code}", tmp_path), Source("rung.cpp", b""))
    assert found is not None
    assert (found.kind, found.file, found.line) == (FindingKind.FORBIDDEN, "rung.cpp", 3)
    assert "where no check sees it" in found.message


@needs_compiler
@pytest.mark.parametrize("code", SEEN.values(), ids=SEEN)
def test_an_access_that_is_announced_is_allowed(code: str, tmp_path: Path) -> None:
    assert check_statements(*compiled(code, tmp_path), Source("rung.cpp", b"")) is None


@needs_compiler
def test_each_announcement_is_needed(tmp_path: Path) -> None:
    listing, made = compiled(
        "void f(const float* x, Words* a, const Words* b, Deep* d, int i) { "
        "d->before = x[i]; *a = *b; d->words[i] = *d->next; d->next = b; }",
        tmp_path,
    )
    lines = listing.read_text().split("\n")
    announced = [at for at, line in enumerate(lines) if re.search(r"__tsan_(read|write)", line)]
    assert len(announced) == 8
    for at in announced:
        listing.write_text("\n".join(lines[:at] + lines[at + 1 :]))
        assert check_statements(listing, made, Source("rung.cpp", b"")) is not None


@needs_compiler
@pytest.mark.parametrize("limit", ["_MOST_WORK", "_MOST_VISITS"])
def test_an_index_in_a_function_that_is_too_large_counts_as_not_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    code = "float f(int n) { float v[4] = {}; for (int i = 0; i < n; ++i) v[i] = n; return v[2]; }"
    assert check_statements(*compiled(code, tmp_path), Source("rung.cpp", b"")) is None
    monkeypatch.setattr(bounds, limit, 1)
    found = check_statements(*compiled(code, tmp_path), Source("rung.cpp", b""))
    assert found is not None
    assert "of which no length is known" in found.message


@needs_compiler
def test_an_access_in_a_header_names_the_header(tmp_path: Path) -> None:
    (tmp_path / "ops.cuh").write_text("\ninline bool is_set(Method* m) { return *m != nullptr; }\n")
    code = '#include "ops.cuh"\nbool f(Method* m) { return is_set(m); }'
    found = check_statements(*compiled(code, tmp_path), Source("rung.cpp", b""))
    assert found is not None
    assert found.line == 0
    assert "(ops.cuh:2)" in found.message


@needs_compiler
def test_a_listing_without_blocks_is_our_fault(tmp_path: Path) -> None:
    listing, made = compiled("void f() {}", tmp_path)
    listing.write_text(listing.read_text().replace("basic block", "block"))
    with pytest.raises(FaultError, match="no basic blocks"):
        check_statements(listing, made, Source("rung.cpp", b""))


def test_a_listing_that_is_missing_is_our_fault(tmp_path: Path) -> None:
    with pytest.raises(FaultError, match="statements"):
        check_statements(tmp_path / "statements", tmp_path / "rung.o", Source("rung.cpp", b""))
