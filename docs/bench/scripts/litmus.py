# SPDX-License-Identifier: MIT
"""How often each outcome of the litmus tests in docs/litmus occurs, on the emulator and on a GPU."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from measurements import (
    GPU,
    ROOT,
    TABLES,
    MeasurementError,
    Side,
    gpu_fields,
    machine,
    markdown,
    measurement,
    nvcc,
    output,
    provenance,
    read_sides,
    write_section,
    write_side,
)

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.student.program.build import Options, build_program, program_steps
from lockstep_grader.student.program.run import Settings, run_program

FOLDER = ROOT / "docs" / "litmus"
GPU_RUNS = 10_000_000
FIGURES, SIDES = "litmus.json", ("cpu", "cuda")
NOT_RUN = "not run yet"
_HEAD = re.compile(r"// (?P<says>.+)\n// weak: (?P<weak>\d \d)\n// model: (?P<model>.+)\n")
_OUTCOME = re.compile(r"^outcome (\d \d): (\d+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Test:
    name: str
    file: Path
    says: str
    weak: str  # the outcome that no interleaving of the two threads gives
    model: str  # what the memory model says of it: allowed, forbidden or race


def read_tests(folder: Path = FOLDER) -> list[Test]:
    return [_read(file) for file in sorted(folder.glob("*.cu"))]


def _read(file: Path) -> Test:
    match = _HEAD.search(file.read_text("utf-8"))
    if match is None or match["model"] not in ("allowed", "forbidden", "race"):
        raise MeasurementError(f"{file.name}: its head must have the lines `weak:` and `model:`")
    return Test(file.stem, file, match["says"], match["weak"], match["model"])


def outcomes(said: str) -> Counter[str]:
    return Counter({outcome: int(count) for outcome, count in _OUTCOME.findall(said)})


def on_emulator(tests: Sequence[Test], seeds: int) -> dict[str, Any]:
    """One run of each test under each of the orders that the seeds choose."""
    steps = program_steps(Workspace(ROOT, ROOT / "build"), 1)
    found = {}
    for test in tests:
        counts, kinds = Counter[str](), Counter[str]()
        with TemporaryDirectory() as folder:
            work = Path(folder)
            binary = build_program(steps, [test.file], Options(), work, 1)
            for seed in range(seeds):
                with (work / "output").open("w+") as said:
                    settings = Settings(seed=seed, timeout=60)
                    ran = run_program(
                        binary, (), settings, work, name=test.name, output=said.fileno()
                    )
                    said.seek(0)
                    counts += outcomes(said.read())
                kinds.update({str(finding.kind) for finding in ran.findings})
        found[test.name] = {
            "outcomes": dict(sorted(counts.items())),
            "orders_with_finding": dict(kinds),
        }
        print(f"{test.name}: {found[test.name]}", flush=True)
    return found


def on_gpu(tests: Sequence[Test]) -> dict[str, Any]:
    found = {}
    for test in tests:
        binary = nvcc(f"litmus/{test.name}", ["-O3"], [test.file])
        counts = outcomes(output([binary, str(GPU_RUNS)]))
        found[test.name] = {"outcomes": dict(sorted(counts.items()))}
        print(f"{test.name}: {found[test.name]}", flush=True)
    return found


def table(tests: Sequence[Test], sides: Mapping[str, Mapping[str, Any]]) -> str:
    """The columns of a side without results say so."""
    lines = [
        "`docs/bench/measure litmus table` makes this table."
        " [memory-model.md](../memory-model.md#litmus-tests) explains the tests.",
        "",
        f"- Emulator: {_origin(sides.get('cpu'))}",
        f"- GPU: {_origin(sides.get('cuda'))}",
        "",
    ]
    rows = []
    for test in tests:
        cpu, cuda = (_of(sides.get(side), test) for side in SIDES)
        cells = [
            f"[`{test.name}`](../litmus/{test.file.name})", test.weak, test.model,
            _counted(cpu), _findings(cpu), _counted(cuda),
        ]  # fmt: skip
        rows.append(cells)
    head = ("test", "weak outcome", "the model", "emulator: outcomes", "emulator: finding")
    return "\n".join([*lines, *markdown((*head, "GPU: outcomes"), rows)])


def _of(side: Mapping[str, Any] | None, test: Test) -> Mapping[str, Any] | None:
    return side["tests"].get(test.name) if side else None


def _origin(side: Mapping[str, Any] | None) -> str:
    if side is None:
        return NOT_RUN
    return f"`{side['command']}`, {side['machine']['system']}, {side['date']}; {side['runs']}"


def _counted(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return NOT_RUN
    return ", ".join(f"`{outcome}`: {count:,}" for outcome, count in found["outcomes"].items())


def _findings(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return NOT_RUN
    kinds = found["orders_with_finding"].items()
    return ", ".join(f"{kind} in {count:,}" for kind, count in kinds) or "none"


@measurement("litmus", needs=f"{GPU} for cuda", writes=[FIGURES, TABLES])
def litmus(
    side: Side, seeds: Annotated[int, typer.Option(min=1, help="Orders, on the emulator.")] = 1000
) -> None:
    """Count the outcomes of the memory model's litmus tests."""
    tests = read_tests()
    head: dict[str, object] = {**provenance(), "machine": machine()}
    if side is Side.CPU:
        head["runs"] = f"one run in each of {seeds} orders"
        write_side(FIGURES, "cpu", head, tests=on_emulator(tests, seeds))
    elif side is Side.CUDA:
        head |= {
            "machine": {**machine(), "system": gpu_fields("name")[0]},
            "runs": f"{GPU_RUNS:,} runs of each",
        }
        write_side(FIGURES, "cuda", head, tests=on_gpu(tests))
    write_section(TABLES, "Litmus tests", table(tests, read_sides(FIGURES)))
