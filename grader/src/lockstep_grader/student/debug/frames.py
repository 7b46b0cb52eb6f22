# SPDX-License-Identifier: MIT
"""Frames and lines of the source, as a prompt shows them."""

from pathlib import Path

from lockstep_grader.model.errors import InputError
from lockstep_grader.student.debug import dwarf
from lockstep_grader.student.debug.scope import variables
from lockstep_grader.student.debug.session import Session
from lockstep_grader.student.debug.values import Value, spelled

_AROUND = 5  # lines of the source on each side


class Frames:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._listed: tuple[str, int] = ("", 0)  # the last line of `list`

    def text_of(self, index: int) -> str:
        frame = self._session.frames()[index]
        before, self._session.frame = self._session.frame, index
        try:
            arguments = ", ".join(
                f"{name}={self._brief(value)}"
                for name, value in variables(self._session, dwarf.PARAMETER)
            )
        finally:
            self._session.frame = before
        return f"{frame.function} ({arguments}) at {Path(frame.file).name}:{frame.line}"

    def _brief(self, value: Value) -> str:
        if value.type.kind in ("struct", "array"):
            return "..."
        try:
            text = spelled(value, self._session.read)
        except InputError:
            return "?"
        return text.rpartition(" ")[2] if value.type.kind == "pointer" else text

    def show(self, is_whole: bool = True) -> None:
        frame = self._session.current()
        if is_whole:
            number = f"#{self._session.frame}  " if self._session.frame else ""
            print(f"{number}{self.text_of(self._session.frame)}")
        print(f"{frame.line}\t{self.line_of(frame.file, frame.line)}")
        self._listed = (frame.file, 0)

    def line_of(self, file: str, line: int) -> str:
        lines = self._lines(file)
        return lines[line - 1] if 0 < line <= len(lines) else "(no such line in the file now)"

    def _lines(self, file: str) -> list[str]:
        try:
            return Path(file).read_text("utf-8", "replace").splitlines()
        except OSError as error:
            raise InputError(f"{file}: {error.strerror}") from None

    def where(self) -> None:
        if not self._session.frames():
            self._session.current()  # raises
        for index in range(len(self._session.frames())):
            print(f"#{index}  {self.text_of(index)}")

    def choose(self, text: str) -> None:
        if text:
            number = int(text)
            if not 0 <= number < len(self._session.frames()):
                raise InputError(f"there is no frame {number}")
            self._session.frame = number
        self.show()

    def move(self, by: int) -> None:
        number = self._session.frame + by
        if not 0 <= number < len(self._session.frames()):
            raise InputError("there is no frame above" if by > 0 else "this is the innermost frame")
        self.choose(str(number))

    def list(self, text: str) -> None:
        file, after = self._listed
        if text and not text.replace(",", "").isdigit():
            spot = self._session.spots_at(text)[0]
            file, begin = spot.file, spot.line - _AROUND
        elif text:
            file, begin = file or self._session.main_file(), int(text.split(",")[0]) - _AROUND
        elif after:
            begin = after
        elif self._session.frames():
            frame = self._session.current()
            file, begin = frame.file, frame.line - _AROUND
        else:
            file, begin = self._session.main_file(), 1
        lines = self._lines(file)
        begin = max(begin, 1)
        if begin > len(lines):
            raise InputError(f"{Path(file).name} has {len(lines)} lines")
        end = min(begin + 2 * _AROUND, len(lines) + 1)
        for number in range(begin, end):
            print(f"{number}\t{lines[number - 1]}")
        self._listed = (file, end)
