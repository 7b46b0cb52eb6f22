# SPDX-License-Identifier: MIT
"""The work behind the verbs of lab authors and instructors: proofs, scaffold, copies, packages."""
