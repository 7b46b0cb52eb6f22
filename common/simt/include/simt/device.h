// SPDX-License-Identifier: MIT
// Everything that device code can use without an include, except for mathematics.
#pragma once

#include "simt/address_space.h"
#include "simt/atomic.h"
#include "simt/builtins.h"
#include "simt/cache_hints.h"
#include "simt/clock.h"
#include "simt/launch.h"
#include "simt/sync.h"
#include "simt/trap.h"
#include "simt/warp.h"
