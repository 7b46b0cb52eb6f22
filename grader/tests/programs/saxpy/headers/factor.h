// SPDX-License-Identifier: MIT
#define FACTOR (SCALE + 1)
