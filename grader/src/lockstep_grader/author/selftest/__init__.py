# SPDX-License-Identifier: MIT
"""`test`: the project's own tests, each section a module's function."""
