# SPDX-License-Identifier: MIT
"""The words that every format carries: why points were lost, safe to show, and bounded."""

from lockstep_grader.model.grades import Finding, Outcome
from lockstep_grader.model.text import more_tests_fail, visible
from lockstep_grader.results.export.model import Rung, Submission, Test

MESSAGE_CHARS = 2_000  # of one message of the judge, or of what a submission printed
RUNG_CHARS = 10_000  # of all text about one rung

NOT_GRADED = "Not graded: a fault of the grader or its machine, not of your submission"
_TRY_AGAIN = "It costs you nothing and will be graded again."
_SHOWN_TESTS = 3


def number(points: float) -> str:
    """Points as people write them: 2, 2.5, 12.35."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def points(score: float | None, max_score: float) -> str:
    return f"{'-' if score is None else number(score)} / {number(max_score)}"


def clip(text: str, max_chars: int) -> str:
    """The beginning of `text`, with a note of how much was left out."""
    if len(text) <= max_chars:
        return text
    return f"{text[:max_chars]}\n[... {len(text) - max_chars} more characters]"


def safe(text: str, max_chars: int = MESSAGE_CHARS) -> str:
    """Text of a submission or of the judge: nothing invisible in it, and not too long."""
    return clip(visible(text).strip(), max_chars)


def explanation(rung: Rung, max_chars: int = RUNG_CHARS) -> str:
    """Points by part, then each cause; what a student needs to go on."""
    if rung.score is None:
        return clip(f"{NOT_GRADED} ({safe(rung.fault)}). {_TRY_AGAIN}", max_chars)
    earned = [f"{part} {points(score, most)}" for part, (score, most) in rung.parts.items() if most]
    lines = [", ".join(earned)]
    if rung.outcome is Outcome.SKIPPED:
        lines.append("A rung that this one requires is not right yet.")
    if rung.outcome is Outcome.NOISY:
        lines.append("A speed was too close to its gate to call: it is not held against you.")
    said = set()
    for finding in rung.findings:
        said.add(finding.message)
        lines.append(_cause(finding))
    failed = [test for test in rung.tests if test.outcome is Outcome.FAILED]
    for test in failed[:_SHOWN_TESTS]:
        lines += _failure(test, said)
    if more := failed[_SHOWN_TESTS:]:
        lines.append(f"{more_tests_fail(len(more))}.")
    return clip("\n".join(lines), max_chars)


def headline(submission: Submission) -> str:
    """What to say about the submission as a whole."""
    if submission.score is None:
        return f"{NOT_GRADED}. {_TRY_AGAIN}"
    lines = [f"{points(submission.score, submission.max_score)} points"]
    if submission.problem:
        lines.insert(0, safe(submission.problem))
    lines += map(safe, submission.notes)
    return "\n".join(lines)


def _cause(finding: Finding) -> str:
    place = f" at {safe(finding.file)}:{finding.line}" if finding.line else ""
    return f"{finding.kind}{place}: {safe(finding.message)}"


def _failure(test: Test, said: set[str]) -> list[str]:
    lines = [f"test {safe(test.name)} failed"]
    if test.message and test.message not in said:
        lines[0] += f": {safe(test.message)}"
    if test.output.strip():
        lines.append(f"it printed: {safe(test.output)}")
    return lines
