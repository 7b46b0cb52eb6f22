# SPDX-License-Identifier: MIT
"""`./lab report`: what grading found, as pages for each student and for the class."""
