# SPDX-License-Identifier: MIT
"""What `check` shows about one rung: the cause, its place in the source, and the next step; its
findings as lines that every editor can read: FILE:LINE: SEVERITY: KIND: MESSAGE."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from lockstep_grader.intake.submission import Source
from lockstep_grader.machine.console import place, points, verdict
from lockstep_grader.model.grades import (
    COST_KINDS,
    Backend,
    CompilerWarning,
    Finding,
    FindingKind,
    Lab,
    Outcome,
    Part,
    Rung,
    RungResult,
    TestResult,
)
from lockstep_grader.model.measures import SHARED_WORK, bound, kept, spoken
from lockstep_grader.model.text import clipped, more_tests_fail, one_line, visible
from lockstep_grader.words.account import account_of

_SHOWN_TESTS = 3
_NEIGHBOURS = 2  # source lines above and below the one that a finding names
_MESSAGE_LINES = 20
_OUTPUT_LINES = 10
_SHOWN_WARNINGS = 3
_BESIDE_SOLUTIONS = ("of_reference", "speedup")  # a students' copy cannot measure these


def print_rung(
    console: Console,
    lab_id: str,
    rung: Rung,
    result: RungResult,
    source: Source | Finding,
    *,
    backend: Backend,
    everything: bool = False,
    is_one_of_many: bool = False,
    following: str = "",
) -> None:
    """The rung's header line, the cause with its place in the source, then how to go on.

    With `everything`, each finding and each failed test; `following` is what to check after a pass.
    Of many rungs, one that passes is a line.
    """
    todo = next((item for item in result.findings if item.kind is FindingKind.TODO), None)
    words, style = verdict(result)
    score = points(result.score, result.max_score)
    console.print(
        Text.assemble((rung.id, "bold"), f"  {rung.title}  ", (f"{score}  {words}", style))
    )
    if is_one_of_many and result.outcome is Outcome.PASSED and not everything:
        return
    if todo:
        at = f" ({place(todo)})" if todo.line else ""
        _print(console, Text(f"not written yet: {visible(todo.message)}{at}", "yellow"))
        _print_written(console, _written_part(result), source, everything)
    elif result.outcome is Outcome.ERROR:
        _print(console, Text(f"not graded: {visible(result.judgement.fault)}", "magenta"))
    else:
        _print_gates(console, rung, result, backend)
        has_passed = result.outcome in (Outcome.PASSED, Outcome.NOISY)
        explain = _print_causes if everything and not has_passed else _print_account
        explain(console, result, source)
        told = "\n".join(finding.message for finding in result.findings)
        warnings = result.judgement.warnings
        print_warnings(console, [each for each in warnings if each.message not in told])
    if any(finding.kind is FindingKind.BUDGET for finding in result.findings):
        _print(console, Text(f"line by line: ./lab profile {lab_id}/{rung.id}", "dim"))
    if result.score != result.max_score and rung.hints:
        _print(console, Text(f"a hint: ./lab hint {lab_id}/{rung.id}", "dim"))
    if following and result.outcome in (Outcome.PASSED, Outcome.NOISY):
        _print(console, Text(f"next: {following}", "dim"))


def _written_part(result: RungResult) -> RungResult:
    """Without the tests of functions that are not written yet, where a rung has several."""
    findings = tuple(each for each in result.findings if each.kind is not FindingKind.TODO)
    tests = tuple(
        test
        for test in result.judgement.tests
        if not any(finding.kind is FindingKind.TODO for finding in test.findings)
    )
    return replace(result, findings=findings, judgement=replace(result.judgement, tests=tests))


def _print_written(
    console: Console, written: RungResult, source: Source | Finding, everything: bool
) -> None:
    tests = [test for test in written.judgement.tests if test.part is Part.CORRECTNESS]
    if passed := sum(test.outcome is Outcome.PASSED for test in tests):
        said = "1 test passes" if passed == 1 else f"{passed} tests pass"
        _print(console, Text(f"of what is written, {said}", "dim"))
    if any(test.outcome is Outcome.FAILED for test in tests):
        (_print_causes if everything else _print_account)(console, written, source)


def excerpt(source: Source, line: int, column: int = 0) -> Text:
    """The lines around `line`, numbered, with a mark at `line` itself, or at its `column`."""
    lines = source.data.decode("utf-8").splitlines()
    text = Text(no_wrap=True, overflow="ellipsis")
    first, last = max(1, line - _NEIGHBOURS), min(len(lines), line + _NEIGHBOURS)
    for number in range(first, last + 1):
        here = number == line
        content = visible(lines[number - 1]).expandtabs(4)
        row = f"{'>' if here else ' '} {number:4} | {content}\n"
        text.append(row, "bold" if here else "dim")
        if here and content.strip():
            indent = len(content) - len(content.lstrip())
            marks = "^" * len(content.strip())
            if column:
                before = visible(lines[number - 1][: column - 1]).expandtabs(4)
                indent, marks = len(before), "^"
            text.append(f"       | {' ' * indent}{marks}\n", "red")
    text.rstrip()
    return text


def _print_gates(console: Console, rung: Rung, result: RungResult, backend: Backend) -> None:
    """The measures of efficiency, each with a tick or a cross."""
    unicode = console.encoding.lower().startswith("utf")
    for test in result.judgement.tests:
        if test.part is not Part.EFFICIENCY:
            continue
        for gate in rung.gates(backend):
            value = test.measures.get(gate.name)
            if value is None:
                if gate.name in _BESIDE_SOLUTIONS and test.measures:
                    said = f"- {gate.name}: compared with a solution, and there is none here;"
                    _print(console, Text(f"{said} it costs no points now", "dim"))
                continue
            good = kept(gate, value)
            if good and gate.name in SHARED_WORK:
                continue
            mark = ("\u2713" if good else "\u2717") if unicode else ("ok" if good else "no")
            said = f"{mark} {spoken(gate.name, value)}"
            line = Text(said, "green" if good else "red")
            _print(console, line.append(f"  (full mark: {bound(gate)})", "dim"))


def causes_of(rung: Rung, result: RungResult, backend: Backend) -> tuple[str, ...]:
    """The kinds of its findings, causes first, and the measures that miss their full mark."""
    kinds = dict.fromkeys(str(finding.kind) for finding in result.findings)
    missed = {
        gate.name: None
        for test in result.judgement.tests
        for gate in rung.gates(backend)
        if (value := test.measures.get(gate.name)) is not None and not kept(gate, value)
    }
    return (*kinds, *missed)


def _print_account(console: Console, result: RungResult, source: Source | Finding) -> None:
    """The cause, how many tests fail for it, and what follows from it."""
    account = account_of(result.findings, result.judgement.tests)
    if account.cause:
        _print_finding(console, account.cause, source, set(), 2)
    if account.said:
        _print(console, Text(clipped(visible(account.said), _MESSAGE_LINES)), 4)
    if account.effects:
        _print(console, Text("further:", "dim"), 4)
    for effect in account.effects:
        _print(console, Text(effect, "dim"), 6)
    tests = sorted(result.judgement.tests, key=lambda test: test.outcome is not Outcome.FAILED)
    if output := next((text for test in tests if (text := test.output.strip())), ""):
        _print_output(console, output)
    if account.effects or account.left_out:
        _print(console, Text("more findings: run the same command with -v", "dim"))


def print_warnings(console: Console, warnings: Sequence[CompilerWarning]) -> None:
    for warning in warnings[:_SHOWN_WARNINGS]:
        where = f"{warning.file}:{warning.line}"
        _print(console, Text(f"a warning, {where}: {visible(warning.message)}", "yellow"))
    if (more := len(warnings) - _SHOWN_WARNINGS) > 0:
        _print(console, Text(f"warnings left out: {more}", "dim"))


def _print_causes(console: Console, result: RungResult, source: Source | Finding) -> None:
    shown: set[Finding] = set()
    for finding in result.judgement.findings:
        _print_finding(console, finding, source, shown)
    failed = [test for test in result.judgement.tests if test.outcome is Outcome.FAILED]
    for test in failed[:_SHOWN_TESTS]:
        _print_test(console, test, source, shown)
    if more := failed[_SHOWN_TESTS:]:
        names = ", ".join(test.name for test in more[:_SHOWN_TESTS])
        left = len(more) - _SHOWN_TESTS
        rest = "" if left <= 0 else " and 1 other" if left == 1 else f" and {left} others"
        _print(console, Text(f"{more_tests_fail(len(more))}: {names}{rest}", "dim"))
    for finding in result.findings:
        _print_finding(console, finding, source, shown)


def _print_test(
    console: Console, test: TestResult, source: Source | Finding, shown: set[Finding]
) -> None:
    known = bool(test.findings) and all(finding in shown for finding in test.findings)
    why = " for a reason above" if known else ""
    _print(console, Text(f"{test.name} failed{why}", "red"))
    said = {finding.message for finding in test.findings}
    if test.message and test.message not in said:
        _print(console, Text(clipped(test.message, _MESSAGE_LINES)), 4)
    for finding in test.findings:
        _print_finding(console, finding, source, shown)
    if output := test.output.strip():
        _print_output(console, output)


def _print_output(console: Console, output: str) -> None:
    _print(console, Text("it printed:", "dim"), 4)
    _print(console, Text(clipped(output, _OUTPUT_LINES), "dim"), 6)


def _print_finding(
    console: Console,
    finding: Finding,
    source: Source | Finding,
    shown: set[Finding],
    indent: int = 4,
) -> None:
    if finding in shown:
        return
    shown.add(finding)
    if not finding.is_of_missing_file:
        head = Text(f"{finding.kind}", "red")
        head.append(f"  {place(finding)}" if finding.line else "", "bold")
        _print(console, head, indent)
    _print(console, Text(clipped(visible(finding.message), _MESSAGE_LINES)), indent + 2)
    if isinstance(source, Source) and finding.file == source.file_name and finding.line:
        _print(console, excerpt(source, finding.line, finding.column), indent + 2)


def _print(console: Console, text: Text, indent: int = 2) -> None:
    console.print(Padding(text, (0, 0, 0, indent), expand=False))


def problem_lines(root: Path, folder: Path, lab: Lab, rung: Rung, result: RungResult) -> list[str]:
    """One line for each finding, of the rung in `folder`, of the checkout `root`.

    A lost point always has a line: where no finding says why, the first failed test does.
    """
    rung_file = folder / lab.id / rung.file_name
    lines = []
    for finding in result.findings:
        file = _where(finding, rung_file, [root / "labs" / lab.id, root / "common/cuda/lab"])
        line = finding.line if file else 0
        place = f"{file or rung_file}:{line or 1}"
        lines.append(f"{place}: {_severity(finding)}: {one_line(finding.said)}")
    return lines or [f"{rung_file}:1: error: {said}" for said in _without_finding(result)]


def _where(finding: Finding, rung_file: Path, others: list[Path]) -> Path | None:
    """The file that the finding names: the rung, or a header that it includes."""
    candidates = [folder / finding.file for folder in (rung_file.parent, *others)]
    return next((file for file in candidates if finding.file and file.is_file()), None)


def _severity(finding: Finding) -> str:
    """In compilers' words, as editors know them."""
    if finding.kind is FindingKind.TODO:
        return "note"
    return "warning" if finding.kind in COST_KINDS else "error"


def _without_finding(result: RungResult) -> Iterator[str]:
    if result.outcome is Outcome.ERROR:
        yield one_line(f"not_graded: {result.judgement.fault}")
    elif result.outcome is Outcome.FAILED:
        failed = (test for test in result.judgement.tests if test.outcome is Outcome.FAILED)
        if test := next(failed, None):
            yield one_line(f"failed: {test.name}: {test.message}")
