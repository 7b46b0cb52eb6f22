// SPDX-License-Identifier: MIT
// threadIdx and the other built-in variables.
#pragma once

#include "simt/builtins.h"
