// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_runtime.h"
#include "simt/block_tile.h"
#include "simt/group.h"
#include "simt/tile_group.h"
#include "simt/warp_group.h"
