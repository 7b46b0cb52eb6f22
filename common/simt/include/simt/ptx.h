// SPDX-License-Identifier: MIT
// What inline PTX is rewritten to: see rewriter/ptx.
#pragma once

#include "simt/device.h"
#include "simt/named_barrier.h"
#include "simt/ptx/arithmetic.h"
#include "simt/ptx/bits.h"
#include "simt/ptx/conversions.h"
#include "simt/ptx/matrix.h"
#include "simt/ptx/memory.h"
#include "simt/ptx/register.h"
#include "simt/ptx/warp.h"
#include "simt/simd_intrinsics.h"

namespace simt {

// Ends the kernel with a finding: the emulator does not know this instruction.
void unknown_ptx(const char* instruction);

}  // namespace simt
