// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_bf16.h"
