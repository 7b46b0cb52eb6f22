# SPDX-License-Identifier: MIT
"""Asks a lab's questions in the terminal, and shows them and their key."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from lockstep_grader.model.quiz import (
    AnswerError,
    Asked,
    Kind,
    Mark,
    Question,
    Quiz,
    QuizResult,
    Verdict,
    asked,
    canonical,
)
from lockstep_grader.model.text import one_line
from lockstep_grader.quiz.file import Answers
from lockstep_grader.quiz.key import Key
from lockstep_grader.quiz.score import Scorer

_STOP, _SKIP = "q", ""
_WORDS = {
    Mark.RIGHT: ("right", "green"),
    Mark.WRONG: ("wrong", "red"),
    Mark.UNANSWERED: ("not answered", "dim"),
    Mark.COLLECTED: ("kept for your instructor", "cyan"),
    Mark.UNCHECKED: ("kept", "yellow"),
}
_WANTED = {
    Kind.CHOICE: "the number of an option",
    Kind.ORDER: "the numbers of the lines in the right order, as in 2 1 3",
    Kind.PREDICT: "what is printed, with blanks between the values",
    Kind.LINE: "the number of the line",
    Kind.EXPLAIN: "a sentence or two",
    Kind.COUNT: "a number",
}


def ask_all(
    console: Console,
    scorer: Scorer,
    answers: Answers,
    read: Callable[[str], str],
    keep: Callable[[Answers], None],
) -> Answers:
    """Asks what is not answered yet; `keep` is called after each answer, so that none is lost.

    `read` shows its argument and returns a line; EOFError ends the quiz, as `q` does.
    """
    quiz = scorer.quiz
    left = [each for each in quiz.questions if each.id not in answers.given]
    for question in left:
        number = quiz.questions.index(question) + 1
        drawn = asked(quiz, question, answers.seed)
        show_question(console, f"{number} of {len(quiz.questions)}", drawn)
        given = _answer(console, drawn, read)
        if given is None:
            break
        if not given:
            continue
        answers = replace(answers, given={**answers.given, question.id: given})
        keep(answers)
        show_verdict(console, scorer.verdict(drawn, given))
    return answers


def _answer(console: Console, drawn: Asked, read: Callable[[str], str]) -> str | None:
    """A canonical answer; empty to skip, None to stop."""
    wanted = _wanted(drawn.question)
    while True:
        try:
            line = read(f"{wanted} (Enter skips, q stops): ").strip()
        except EOFError:
            return None
        if line.casefold() == _STOP:
            return None
        if line == _SKIP:
            return ""
        try:
            return canonical(drawn.question, _named(drawn, line))
        except AnswerError as error:
            console.print(Text(str(error), "yellow"))


def _wanted(question: Question) -> str:
    if question.kind is not Kind.NUMBER:
        return _WANTED[question.kind]
    if not question.decimals:
        return "a whole number" + (f" of {question.unit}" if question.unit else "")
    decimals = "1 decimal" if question.decimals == 1 else f"{question.decimals} decimals"
    return f"a number with {decimals}" + (f", in {question.unit}" if question.unit else "")


def _named(drawn: Asked, line: str) -> str:
    """The names of the options that a person gives by the numbers that are shown."""
    if not drawn.options:
        return line
    names = list(drawn.options)
    words = line.replace(",", " ").split()
    if not all(word.isdecimal() and 1 <= int(word) <= len(names) for word in words):
        raise AnswerError(f"give {_WANTED[drawn.question.kind]}, from 1 to {len(names)}")
    return " ".join(names[int(word) - 1] for word in words)


def show_question(console: Console, title: str, drawn: Asked) -> None:
    console.print(Text.assemble(("\n" + title, "bold"), f"  {drawn.question.id}"))
    console.print(Text(drawn.ask))
    if drawn.code:
        numbers = drawn.question.kind is Kind.LINE
        console.print(
            Syntax(
                drawn.code,
                "cuda",
                line_numbers=numbers,
                word_wrap=True,  # a fault may be at the end of a long line
                background_color="default",
            )
        )
    for number, text in enumerate(drawn.options.values(), 1):
        console.print(Text(f"  {number}  {text}"))


def show_verdict(console: Console, verdict: Verdict) -> None:
    words = Text(*_WORDS[verdict.mark])
    if verdict.reason:
        words.append(f": {verdict.reason}", "default")
    console.print(words)


def show_result(console: Console, lab: str, result: QuizResult) -> None:
    done = sum(each.mark is not Mark.UNANSWERED for each in result.answers)
    line = f"\n{lab}: {result.score:g} / {result.max_score:g} quiz points, "
    line += f"{done} of {len(result.answers)} questions answered"
    console.print(Text(line, "bold"))


def print_key(console: Console, quiz: Quiz, key: Key, seed: int | None) -> None:
    """Every question with its answer and its reasons: of all cases, or of what `seed` draws."""
    for number, question in enumerate(quiz.questions, 1):
        drawn = asked(quiz, question, 0 if seed is None else seed)
        if seed is None:  # as it is written
            ask, code, options = question.ask, question.code, question.options
            show_question(console, str(number), replace(drawn, ask=ask, code=code, options=options))
        else:
            show_question(console, str(number), drawn)
        chosen: Iterable[int] = range(len(question.cases)) if seed is None else [drawn.case]
        shown: set[str] = set()
        for case in chosen:
            found = key.case(question, case)
            values = " ".join(f"{name}={value}" for name, value in question.cases[case].items())
            answer = question.options.get(found.accepted[0], "") if found.accepted else ""
            accepted = found.accepted or ("model answer",)
            console.print(
                Text.assemble(
                    (f"  {values}  " if values else "  ", "dim"),
                    (accepted[len(accepted) // 2], "green"),
                    f" ({answer})" if answer else "",
                )
            )
            for text in (found.reason, *(f"not {wrong}: {why}" for wrong, why in found.wrong)):
                if text not in shown:
                    console.print(Text(f"    {one_line(text)}"))
                    shown.add(text)
