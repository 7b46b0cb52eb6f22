// SPDX-License-Identifier: MIT
#pragma once

#include "cooperative_groups.h"
#include "lockstep/group_collectives.h"
