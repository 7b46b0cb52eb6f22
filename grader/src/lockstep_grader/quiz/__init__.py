# SPDX-License-Identifier: MIT
"""The labs' questions and predictions: read, drawn, asked, checked, scored."""
