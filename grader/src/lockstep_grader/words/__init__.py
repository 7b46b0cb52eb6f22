# SPDX-License-Identifier: MIT
"""Everything that is said of a mistake: compilers' and checkers' messages in a student's words."""
