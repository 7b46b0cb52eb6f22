# SPDX-License-Identifier: MIT
"""The words of Moodle's grading worksheet, in the language of the teacher that downloads it.

They are those of its language packs (mod_assign, recordid, hiddenuser, lastmodifiedgrade).
"""

import re
from collections.abc import Sequence

# In English, German, French and Spanish.
IDENTIFIER = ("Identifier", "ID", "Identifiant", "Identificador")
GRADE = ("Grade", "Bewertung", "Note", "Calificación")
GRADE_MODIFIED = (
    "Last modified (grade)",
    "Zuletzt geändert (Bewertung)",
    "Dernière modification (note)",
    "Última modificación (calificación)",
)
COMMENTS = (
    "Feedback comments",
    "Feedback als Kommentar",
    "Feedback par commentaires",
    "Comentarios de retroalimentación",
)
FULL_NAME = ("Full name", "Vollständiger Name", "Nom complet", "Nombre completo")
EMAIL = ("Email address", "E-Mail-Adresse", "Adresse de courriel", "Dirección de correo")

_PARTICIPANT = re.compile(r"(?:Participant|Teilnehmer/in|Participante)\s*(\d+)")


def participant(identifier: str) -> str:
    """The number in "Participant 11", or nothing."""
    match = _PARTICIPANT.fullmatch(identifier)
    return match[1] if match else ""


def column(head: Sequence[str], names: Sequence[str]) -> int | None:
    """The index of the column that has one of the names."""
    return next((index for index, title in enumerate(head) if title in names), None)
