// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_runtime.h"
#include "lockstep/block_tile.h"
#include "lockstep/cluster_group.h"
#include "lockstep/group.h"
#include "lockstep/tile_group.h"
#include "lockstep/warp_group.h"
