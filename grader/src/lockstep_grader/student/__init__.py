# SPDX-License-Identifier: MIT
"""What the students' verbs do."""
