# SPDX-License-Identifier: MIT
"""A class list's rows, whatever a spreadsheet or an LMS saved it as; how Moodle calls columns."""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path

from lockstep_grader.model.errors import InputError

_MAX_BYTES = 16 << 20
# The first line that Excel writes and reads to say what ends a cell.
_SEPARATOR = re.compile(r'"?sep=([,;\t])"?[,;\t]*\r?', re.IGNORECASE)

# The titles of Moodle's columns in English, German, French and Spanish.
MOODLE_IDENTIFIER = ("Identifier", "ID", "Identifiant", "Identificador")
MOODLE_GRADE = ("Grade", "Bewertung", "Note", "Calificación")
MOODLE_GRADE_MAX = (
    "Maximum Grade",
    "Maximum grade",
    "Bestwertung",
    "Note maximale",
    "Calificación máxima",
)
MOODLE_GRADE_MODIFIED = (
    "Last modified (grade)",
    "Zuletzt geändert (Bewertung)",
    "Dernière modification (note)",
    "Última modificación (calificación)",
)
MOODLE_COMMENTS = (
    "Feedback comments",
    "Feedback als Kommentar",
    "Feedback par commentaires",
    "Comentarios de retroalimentación",
)
MOODLE_FULL_NAME = ("Full name", "Vollständiger Name", "Nom complet", "Nombre completo")
MOODLE_EMAIL = ("Email address", "E-Mail-Adresse", "Adresse de courriel", "Dirección de correo")

_PARTICIPANT = re.compile(r"(?:Participant|Teilnehmer/in|Participante)\s*(\d+)")

Row = tuple[int, Sequence[str]]  # the line on which it ends, and its cells without outer blanks


def read_rows(file: Path) -> list[Row]:
    """The rows that are not empty, the column names' among them; at least one.

    Raises InputError naming the file and the line.
    """
    return parse_rows(_text(file), str(file))


def parse_rows(text: str, name: str) -> list[Row]:
    """The rows of `text`, which errors call `name`; see read_rows."""
    head = text.split("\n", 1)[0]
    said = _SEPARATOR.fullmatch(head)
    delimiter = said[1] if said else max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except csv.Error as error:
        raise InputError(f"{name}:{reader.line_num}: not CSV: {error}") from error
    rows = [(line, row) for line, row in rows if any(row)][1 if said else 0 :]
    if not rows:
        raise InputError(f"{name}: empty; expected a line of column names, such as name,email")
    return list(rows)


def _text(file: Path) -> str:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error
    if len(data) > _MAX_BYTES:
        raise InputError(f"{file} is larger than {_MAX_BYTES >> 20} MiB: is this the class list?")
    is_utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))  # as some spreadsheets write it
    try:
        return data.decode("utf-16" if is_utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{file}:{line}: not UTF-8; save the list as UTF-8 CSV") from error


def participant(identifier: str) -> str:
    """The number in "Participant 11", or nothing."""
    match = _PARTICIPANT.fullmatch(identifier)
    return match[1] if match else ""


def column(head: Sequence[str], names: Sequence[str]) -> int | None:
    """The index of the column that has one of the names."""
    return next((index for index, title in enumerate(head) if title in names), None)
