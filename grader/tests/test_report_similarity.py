# SPDX-License-Identifier: MIT
"""Similarity: what was handed out does not count, and what everyone shares accuses no one."""

import time
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.intake.catalog import read_lab
from lockstep_grader.machine.progress import stage
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.pages.report.class_page import Similarity
from lockstep_grader.results.graded import read_results

from conftest import Checkout
from reports import LAB_TOML, full, write_beside, write_results

pytest.importorskip("copydetect", reason="copydetect is not installed")
from copydetect import compare_files

from lockstep_grader.pages.report.similarity import (
    Comparer,
    Prints,
    find_similar,
    handed_out,
    take_prints,
)

HANDED_OUT = "".join(
    f"float given_{i}(float x) {{ return x * {i}.5f + {i * i}; }}\n" for i in range(20)
)
COPIED = "".join(
    f"__global__ void step_{i}(float* d_out, int n) {{ if (n > {i}) d_out[n - {i}] += {i}.0f; }}\n"
    for i in range(8)
)
SHAPES = (
    "while (i < {n}) {{ sum += d_in[i]; i += {n} * stride; }}\n",
    "for (int k = {n}; k > 0; k >>= 1) {{ __syncthreads(); tile[k] = max(tile[k], tile[0]); }}\n",
    "switch (warp % {n}) {{ case 0: return __shfl_xor_sync(~0u, x, {n}); default: break; }}\n",
    "do {{ flag = atomicCAS(&state[{n}], 0, 1) ? --flag : ~flag; }} while (turns++ < {n});\n",
    "auto [left, right] = split(box - {n}); if (left < right) swap(left, right[{n}]);\n",
)


def own(number: int) -> str:
    """Code that only this student would write."""
    shape = SHAPES[number]
    return "".join(shape.format(n=7 * number + 3 * i + 1) for i in range(9))


def compare(checkout: Checkout, sources: dict[str, str]) -> Similarity:
    checkout.write("labs/01-demo/lab.toml", LAB_TOML)
    checkout.write("labs/01-demo/01_first.cu", HANDED_OUT)
    folder = write_results(checkout.work / "results", *(full(name) for name in sources))
    for name, text in sources.items():
        write_beside(folder, name, "01_first.cu", text)
    labs = (read_lab(checkout.root / "labs" / "01-demo" / "lab.toml"),)
    with stage("comparing") as progress:
        return find_similar(read_results(folder), labs, Workspace.from_environment(), progress)


def pairs(found: Similarity) -> list[tuple[str, str]]:
    return [(pair.one.id, pair.other.id) for pair in found.pairs]


def test_a_copy_with_other_names_and_layout_is_found_with_its_lines(checkout: Checkout) -> None:
    disguised = (
        COPIED.replace("d_out", "result").replace("step", "phase").replace("{ ", "{\n  // x\n")
    )
    found = compare(checkout, {"a": COPIED, "b": f"{HANDED_OUT}{disguised}", "c": own(0)})
    assert pairs(found) == [("a", "b")]
    (match,) = found.pairs[0].matches
    assert match.share > 0.95
    assert match.one_lines == frozenset(range(1, 9))
    assert min(match.other_lines) >= 20  # 1 to 19 were handed out; in 20 ends what was
    assert found.compared == 3


def test_what_was_handed_out_accuses_nobody(checkout: Checkout) -> None:
    found = compare(checkout, {"a": HANDED_OUT + own(0), "b": HANDED_OUT + own(1), "c": HANDED_OUT})
    assert found.pairs == ()
    assert found.compared == 1  # the third has no code of its own


def test_where_everyone_is_alike_no_pair_stands_out(checkout: Checkout) -> None:
    found = compare(checkout, dict.fromkeys("abcd", COPIED))
    assert found.pairs == ()
    assert found.everywhere == ("01-demo/01_first",)


def test_a_pair_far_above_the_usual_stands_out(checkout: Checkout) -> None:
    others = {f"other-{number}": own(number) for number in range(5)}
    found = compare(checkout, {"a": COPIED, **others, "b": COPIED})
    assert pairs(found) == [("a", "b")]
    assert found.pairs[0].matches[0].usual is not None


def test_the_report_has_a_table_of_pairs_and_a_page_for_each(checkout: Checkout) -> None:
    compare(checkout, {"a": COPIED, "b": COPIED, "<i>c": own(0)})
    made: list[Any] = []
    for turn in ("one", "two"):
        output = checkout.work / turn
        ran = checkout.lab("report", checkout.work / "results", "--output", output, "--similarity")
        assert ran.status == 0
        made.append({file.name: file.read_bytes() for file in output.rglob("*.html")})
    assert made[0] == made[1]
    (page,) = (checkout.work / "one" / "similarity").iterdir()
    assert f"similarity/{page.name}" in (checkout.work / "one" / "index.html").read_text()
    assert "Similarity is not a proof" in page.read_text()


def test_a_later_report_without_similarity_drops_the_pairs(checkout: Checkout) -> None:
    compare(checkout, {"a": COPIED, "b": COPIED})
    results: Path = checkout.work / "results"
    checkout.lab("report", results, "--similarity")
    assert list((results / "report" / "similarity").iterdir())
    checkout.lab("report", results)
    assert not list((results / "report" / "similarity").iterdir())


def shared(one: Prints, other: Prints) -> float:
    """As copydetect computes it, a pair at a time."""
    _, shares, _ = compare_files(one.code, other.code)
    return sum(min(1.0, float(share)) for share in shares) / 2


def test_the_quick_share_is_that_of_copydetect() -> None:
    given = handed_out([HANDED_OUT])
    texts = [COPIED, COPIED + own(0), own(0) + own(1) + own(0), own(2), HANDED_OUT, "", own(3) * 2]
    prints = [take_prints(text, given) for text in texts]
    quick = Comparer(prints)
    for one, left in enumerate(prints):
        for other, right in enumerate(prints):
            assert quick.shared(one, other) == shared(left, right), (one, other)


def test_a_text_that_keeps_a_lexer_busy_is_read_in_part() -> None:
    given = handed_out([HANDED_OUT])
    begin = time.process_time()
    padded = take_prints(own(0) + "\n" * 50_000 + own(1), given)
    assert time.process_time() - begin < 2
    assert shared(padded, take_prints(own(0) + own(1), given)) > 0.95
