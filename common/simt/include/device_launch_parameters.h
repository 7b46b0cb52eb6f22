// SPDX-License-Identifier: MIT
// threadIdx and its kin.
#pragma once

#include "simt/builtins.h"
