# SPDX-License-Identifier: MIT
"""The confinement of student code while it is compiled and run."""
