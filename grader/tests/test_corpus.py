# SPDX-License-Identifier: MIT
"""The corpus of wrong and right programs: headers, committed results, a sample of them run."""

import json
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import InputError
from lockstep_grader.student.program.build import program_steps
from lockstep_grader.toolchain.description import Step

from conftest import DATA
from repository import BENCH, bench_script

KINDS = (
    "out_of_bounds", "uninitialized_read", "race", "barrier_divergence", "deadlock", "launch_error",
    "host_pointer", "misaligned", "leak", "crash", "compile_error",
)  # fmt: skip

# Of each kind a wrong program and a right one; docs/bench/measure programs cpu runs all.
SAMPLE = frozenset((DATA / "sample_of_corpus.txt").read_text("utf-8").split())


@pytest.fixture(scope="module")
def corpus() -> Any:
    return bench_script("corpus")


@pytest.fixture(scope="module")
def everything(corpus: Any) -> list[Any]:
    return list(corpus.read_corpus())


def results(side: str) -> Mapping[str, Any]:
    found = json.loads((BENCH / "programs.json").read_text("utf-8"))["programs"]
    return {name: sides[side] for name, sides in found.items() if side in sides}


def test_there_are_enough_programs_of_each_kind(everything: list[Any]) -> None:
    assert sum(not each.is_right for each in everything) >= 120
    assert sum(each.is_right for each in everything) >= 60
    kinds = Counter(kind for each in everything for kind in each.kinds)
    assert [kind for kind in KINDS if kinds[kind] < 5] == []


def test_a_right_programs_name_says_so(everything: list[Any]) -> None:
    assert [each.name for each in everything if each.is_right != each.name.endswith("_right")] == []


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("// What is wrong.", "begins with neither"),
        ("// racing: two threads meet.", "names no kind"),
        ("// race: two threads meet.\n// at: out[0] = 2;", "0 lines are `out[0] = 2;`"),
        ("// race: two threads meet.\n// where: out[0] = 1;", "unknown field where"),
    ],
)
def test_a_wrong_header_is_refused(corpus: Any, tmp_path: Path, head: str, words: str) -> None:
    (tmp_path / "races").mkdir()
    body = "__global__ void f(int* out) { out[0] = 1; }\n"
    (tmp_path / "races" / "x.cu").write_text(f"// SPDX-License-Identifier: MIT\n{head}\n{body}")
    with pytest.raises(InputError, match="races/x") as caught:
        corpus.read_corpus(tmp_path)
    assert words in str(caught.value)


def test_the_results_are_of_these_programs(everything: list[Any]) -> None:
    names = {each.name for each in everything}
    assert set(results("cpu")) == names
    # A new program waits for the next measurement on a GPU.
    assert set(results("cuda")) <= names
    assert len(results("cuda")) >= 0.95 * len(names)


def test_the_emulator_finds_what_the_tools_find(everything: list[Any]) -> None:
    cpu, cuda = results("cpu"), results("cuda")
    tools = ("memcheck", "racecheck", "synccheck", "initcheck")

    def is_missed(each: Any) -> bool:
        by_tools = {said for tool in tools for said in cuda.get(each.name, {}).get(tool, [])}
        return bool(by_tools - {"hangs"}) and not cpu[each.name]["emulator"]

    assert [each.name for each in everything if not each.is_right and is_missed(each)] == []


def test_no_right_program_is_blamed(everything: list[Any]) -> None:
    cpu = results("cpu")
    assert {each.name: cpu[each.name] for each in everything if each.is_right} == {
        each.name: {**cpu[each.name], "emulator": [], "run": "PASS"}
        for each in everything
        if each.is_right
    }


@pytest.mark.e2e
def test_a_sample_gets_its_verdict(corpus: Any, everything: list[Any], tmp_path: Path) -> None:
    sampled = [each for each in everything if each.name in SAMPLE]
    assert len(sampled) == len(SAMPLE)
    assert (
        complaints(corpus, program_steps(Workspace.from_environment(), 2), sampled, tmp_path) == []
    )


def complaints(
    corpus: Any, steps: Mapping[str, Step], programs: list[Any], folder: Path
) -> list[str]:
    def complaint(each: Any) -> str:
        work = folder / each.name.replace("/", ".")
        work.mkdir()
        said: str = corpus.complaint(each, corpus.examine(steps, each, work))
        return said

    with ThreadPoolExecutor(2) as pool:
        return [said for said in pool.map(complaint, programs) if said]
