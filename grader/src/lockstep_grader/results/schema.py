# SPDX-License-Identifier: MIT
"""The JSON of results: the report that `grade --json` writes, and the files of stored results.

Every reader parses with these models. schemas/grade.schema.json publishes the report for other
programs, and a test compares the two. Import this module where results are read, not at the start:
it takes pydantic.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    InstanceOf,
    StrictFloat,
    StrictInt,
    ValidationError,
    WithJsonSchema,
)

from lockstep_grader.model import grades, quiz
from lockstep_grader.model.grades import Backend, FindingKind, Outcome, Part
from lockstep_grader.model.quiz import Kind, Mark
from lockstep_grader.results.serial import JSON_VERSION

# Names and output of a submission may hold half a surrogate pair, which pydantic's own str refuses.
Text = Annotated[InstanceOf[str], WithJsonSchema({"type": "string"})]
# An int stays an int, so that a stored result is written again as it was.
Number = Annotated[StrictInt | StrictFloat, WithJsonSchema({"type": "number"})]
Positive = Annotated[
    StrictInt | StrictFloat, Field(ge=0), WithJsonSchema({"type": "number", "minimum": 0})
]
Score = Annotated[Positive | None, WithJsonSchema({"type": ["number", "null"], "minimum": 0})]
Line = Annotated[StrictInt, Field(ge=1)]
Counters = dict[Text, dict[Text, Number]]


class _Model(BaseModel):
    # A report of before a field came has its default value; the ones that we write have all fields.
    model_config = ConfigDict(
        frozen=True, extra="ignore", json_schema_serialization_defaults_required=True
    )


class Finding(_Model):
    kind: FindingKind
    file: Text
    line: Line | None
    column: Line | None = None
    message: Text


class CompilerWarning(_Model):
    file: Text
    line: Line | None
    column: Line | None
    message: Text


Architecture = Annotated[str, Field(pattern=r"^\d+\.\d$")]
Count = Annotated[StrictInt, Field(ge=0)]


class Resources(_Model):
    """What nvcc's assembler says of one kernel on one architecture."""

    kernel: Text
    architecture: Architecture
    registers: Count
    static_shared_bytes: Count
    local_bytes: Count
    spilled_bytes: Count
    constant_bytes: Count | None
    largest_block: Count


class Place(_Model):
    file: Text
    line: Line
    value: Number


class Image(_Model):
    label: Text
    file: Text


class Test(_Model):
    name: Text
    part: Part
    outcome: Outcome
    message: Text
    seconds: Positive
    findings: tuple[Finding, ...]
    output: Text
    measures: dict[Text, Number]
    counters: Counters
    places: dict[Text, Place]
    images: tuple[Image, ...]


class Judgement(_Model):
    """What judging one rung found, before points."""

    tests: tuple[Test, ...]
    findings: tuple[Finding, ...]
    warnings: tuple[CompilerWarning, ...] = ()
    resources: tuple[Resources, ...] = ()
    fault: Text
    seed: Text
    seconds: Positive


class Account(_Model):
    """The cause once, and what follows from it."""

    cause: Finding | None
    said: Text
    effects: tuple[Text, ...]
    left_out: Annotated[StrictInt, Field(ge=0)]


class PartScore(_Model):
    score: Score
    max_score: Positive


class Rung(Judgement):
    id: Text
    score: Score
    max_score: Positive
    outcome: Outcome
    parts: Annotated[
        dict[Part, PartScore],
        Field(min_length=len(Part), json_schema_extra={"required": [part.value for part in Part]}),
    ]
    counters: Counters
    account: Account = Account(cause=None, said="", effects=(), left_out=0)


class Answer(_Model):
    """A question as it was asked, and a student's answer."""

    id: Text
    kind: Kind
    ask: Text
    answer: Text
    mark: Mark
    reason: Text
    score: Positive
    max_score: Positive
    counted: Text = ""


class Quiz(_Model):
    """A sheet of questions: a quiz, or predictions."""

    score: Positive
    max_score: Positive
    seed: Annotated[StrictInt, Field(ge=0)] | None
    problem: Text
    answers: tuple[Answer, ...]


class Effort(_Model):
    """Minutes and opened hints of rungs, where the student sent them."""

    minutes: dict[Text, Positive] = {}
    hints: dict[Text, Count] = {}


class Lab(_Model):
    id: Text
    score: Score
    max_score: Positive
    rungs: tuple[Rung, ...]
    quiz: Quiz | None = None
    predictions: Quiz | None = None
    effort: Effort | None = None


class Student(_Model):
    name: Text = ""
    email: Text = ""
    lms_id: Text = ""
    login: Text = ""
    section: Text = ""
    participant: Text = ""


class Confirmed(_Model):
    """A second judgement of a rung, under another mechanism."""

    lab: Text
    rung: Text
    backend: Backend
    seed: Text
    agrees: bool | None
    said: Text


class Submission(_Model):
    id: Text
    student: Student = Student()
    problem: Text = ""
    notes: tuple[Text, ...] = ()
    handed_in: Annotated[str, Field(pattern=r"^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+00:00)?$")] = (
        ""
    )
    late: bool = False
    missing: bool = False
    dispute: Text = ""
    confirmations: tuple[Confirmed, ...] = ()
    score: Score
    max_score: Positive
    labs: tuple[Lab, ...]


class Toolchain(_Model):
    grader: Text
    compiler: dict[Text, Text]
    nvcc: dict[Text, Text] = {}
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Report(_Model):
    version: Literal[1]
    backend: Backend
    toolchain: Toolchain
    seed: Annotated[StrictInt, Field(ge=0)] | None
    graded_at: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+00:00$")] = ""
    submissions: tuple[Submission, ...]


class StoredResult(_Model):
    """One file of a results folder."""

    version: Literal[2]
    key: Text
    attempt: Annotated[StrictInt, Field(ge=1)]
    submission: Text
    lab: Text
    rung: Text
    at: Text = ""  # when it was handed in or else judged; empty in older files
    judgement: Judgement


_VALUES: Mapping[type[_Model], type] = {
    Finding: grades.Finding,
    CompilerWarning: grades.CompilerWarning,
    Resources: grades.Resources,
    Place: grades.Place,
    Image: grades.Image,
    Test: grades.TestResult,
    Answer: quiz.Answered,
}
_ZERO_IF_UNKNOWN = frozenset({"line", "column"})
Value = TypeVar("Value")


def made(kind: type[Value], parsed: _Model) -> Value:
    """A value of the grade model again, with those fields of `parsed` that it has."""
    wanted = {each.name for each in fields(kind)}  # type: ignore[arg-type]
    found = {name: _value(name, each) for name, each in parsed if name in wanted}
    return kind(**found)


def _value(name: str, parsed: Any) -> Any:
    if isinstance(parsed, tuple):
        return tuple(_value("", each) for each in parsed)
    if isinstance(parsed, dict):
        return {key: _value("", each) for key, each in parsed.items()}
    if parsed is None and name in _ZERO_IF_UNKNOWN:
        return 0
    kind = _VALUES.get(type(parsed))
    return made(kind, parsed) if kind else parsed


def judgement_from_json(data: object) -> grades.Judgement:
    """The inverse of as_json. Raises ValueError on other data."""
    return made(grades.Judgement, Judgement.model_validate(data))


class VersionError(ValueError):
    """A report of another version; its text is a sentence with the next step, after the file."""


def names_of(report: Report) -> Mapping[str, frozenset[str]]:
    """By submission, every name that people may use for a student; each id is of one student."""
    ids = {item.id for item in report.submissions}
    return {
        item.id: frozenset({item.id, *(set(keys) - ids - {""})})
        for item in report.submissions
        for who in [item.student]
        for keys in [(who.login, who.email, who.lms_id, who.participant)]
    }


def parse_report(data: object) -> Report:
    """Raises VersionError, or ValueError naming the first field that is not as it should be."""
    if isinstance(data, Mapping) and data.get("version", JSON_VERSION) != JSON_VERSION:
        other = f"is of version {data['version']}, but this grader reads {JSON_VERSION}"
        raise VersionError(f"{other}; grade again into the same folder")
    try:
        return Report.model_validate(data)
    except ValidationError as error:
        raise ValueError(_problem(error)) from error


def _problem(error: ValidationError) -> str:
    """As in `submissions[0].labs[1].score: Field required`."""
    first: Any = error.errors(include_url=False, include_input=False)[0]
    place = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in first["loc"])
    return f"{place.removeprefix('.') or 'the document'}: {first['msg']}"
