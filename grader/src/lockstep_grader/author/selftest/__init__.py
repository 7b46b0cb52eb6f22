# SPDX-License-Identifier: MIT
"""`test`: the project's own tests, all of them, each section a module's function."""
