# SPDX-License-Identifier: MIT
"""The sentences about mistakes: messages of compilers and checkers in a student's words."""
