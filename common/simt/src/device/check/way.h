// SPDX-License-Identifier: MIT
// Which way a plain access takes: decided where it is announced (see in_place.h), or the long one.
#pragma once

#include <cstdint>

namespace simt::device {

// What the choice depends on. Call choose_way() after a change of any of them, or of the launch.

// Whether nothing on another stream may overlap the running launch, and all its accesses are
// checked, and neither counted nor recorded.
extern bool is_alone;

// Whether a race was found whose access has not written yet: see settle_race().
extern bool race_is_unsettled;

// Where a cache hint announces an access: the next one, if it is to this address, counts as
// volatile. 0: none does.
extern std::uintptr_t hinted_address;

// For tests: false sends all accesses the long way, from the next launch on.
extern bool may_decide_in_place;

void choose_way();

}  // namespace simt::device
