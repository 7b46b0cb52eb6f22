// SPDX-License-Identifier: MIT
// In the place of Thrust's header of that name.
#pragma once

#include <thrust/execution_policy.h>
