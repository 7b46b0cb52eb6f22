// SPDX-License-Identifier: MIT
#pragma once

#include "cooperative_groups.h"
#include "simt/group_collectives.h"
