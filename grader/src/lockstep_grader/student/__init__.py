# SPDX-License-Identifier: MIT
"""The work behind the students' verbs."""
