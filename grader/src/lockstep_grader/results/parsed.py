# SPDX-License-Identifier: MIT
"""What `schema` has read, as values of the grade model again: the inverse of `serial`."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lockstep_grader.model.grades import (
    CompilerWarning,
    Confirmation,
    Finding,
    Image,
    Judgement,
    Place,
    Resources,
    TestResult,
)
from lockstep_grader.model.quiz import Answered, QuizResult

if TYPE_CHECKING:  # it takes pydantic, which most commands do without
    from lockstep_grader.results import schema


def judgement_from_json(data: object) -> Judgement:
    """The inverse of judgement_json. Raises ValueError on other data."""
    from lockstep_grader.results import schema

    return judgement_of(schema.Judgement.model_validate(data))


def judgement_of(parsed: "schema.Judgement") -> Judgement:
    return Judgement(
        tests=tuple(_test_of(test) for test in parsed.tests),
        findings=findings_of(parsed.findings),
        warnings=tuple(
            CompilerWarning(item.message, item.file, item.line or 0, item.column or 0)
            for item in parsed.warnings
        ),
        resources=tuple(
            Resources(
                item.kernel,
                item.architecture,
                item.registers,
                item.static_shared_bytes,
                item.local_bytes,
                item.spilled_bytes,
                item.constant_bytes,
            )
            for item in parsed.resources
        ),
        fault=parsed.fault,
        seed=parsed.seed,
        seconds=parsed.seconds,
    )


def confirmation_of(parsed: "schema.Confirmed") -> Confirmation:
    return Confirmation(
        parsed.lab, parsed.rung, parsed.backend, parsed.seed, parsed.agrees, parsed.said
    )


def quiz_of(parsed: "schema.Quiz | None") -> QuizResult | None:
    if parsed is None:
        return None
    answers = tuple(Answered(**dict(answer)) for answer in parsed.answers)
    return QuizResult(answers, parsed.seed, parsed.problem)


def findings_of(parsed: Iterable["schema.Finding"]) -> tuple[Finding, ...]:
    return tuple(
        Finding(found.kind, found.message, found.file, found.line or 0, found.column or 0)
        for found in parsed
    )


def _test_of(parsed: "schema.Test") -> TestResult:
    return TestResult(
        name=parsed.name,
        part=parsed.part,
        outcome=parsed.outcome,
        message=parsed.message,
        seconds=parsed.seconds,
        findings=findings_of(parsed.findings),
        output=parsed.output,
        measures=parsed.measures,
        counters=parsed.counters,
        places={
            name: Place(place.file, place.line, place.value)
            for name, place in parsed.places.items()
        },
        images=tuple(Image(image.label, image.file) for image in parsed.images),
    )
