# SPDX-License-Identifier: MIT
"""What the verbs of lab authors and instructors do: proofs, scaffold, copies, packages."""
