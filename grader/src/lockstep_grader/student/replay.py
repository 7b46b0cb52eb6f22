# SPDX-License-Identifier: MIT
"""The command that replays what a check found, step by step."""

import shlex

from lockstep_grader.model.grades import Finding, FindingKind, Outcome, RungResult, TestResult
from lockstep_grader.words.account import account_of

# Of these no launch shows anything.
_NOT_OF_A_LAUNCH = frozenset(
    {
        FindingKind.COMPILE_ERROR,
        FindingKind.FORBIDDEN,
        FindingKind.TODO,
        FindingKind.BUDGET,
        FindingKind.SLOW,
    }
)


def replay_command(target: str, result: RungResult, named: str = "") -> str:
    """For the cause that the check shows; empty: there is nothing to replay. `named`: --from."""
    judgement = result.judgement
    account = account_of(result.findings, judgement.tests)
    if account.cause and account.cause.kind in _NOT_OF_A_LAUNCH:
        return ""
    found = _found(account.cause, judgement.tests)
    if found is None or not judgement.seed:
        return ""
    test, items = found
    size = f" --size {items}" if items else ""
    chosen = f" --from {shlex.quote(named)}" if named else ""
    return f"./lab trace {target} --test {test.name}{size} --seed {judgement.seed}{chosen}"


def _found(cause: Finding | None, tests: tuple[TestResult, ...]) -> tuple[TestResult, int] | None:
    """The first test that shows it, and the items of its case; 0: its size has no name."""
    for test in tests:
        for finding in test.findings:
            if finding == cause:
                return test, finding.items
    failed = (test for test in tests if test.outcome is Outcome.FAILED)
    return next(((test, 0) for test in failed), None)
