# SPDX-License-Identifier: MIT
"""The labs' questions: read, drawn, asked, checked against their key, scored."""
