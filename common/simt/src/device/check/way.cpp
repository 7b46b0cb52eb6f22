// SPDX-License-Identifier: MIT
#include "check/way.h"

#include "run/running.h"
#include "simt/memory.h"

namespace simt::device {

bool is_alone = false;
bool race_is_unsettled = false;
std::uintptr_t hinted_address = 0;
bool may_decide_in_place = true;

void choose_way() {
  const bool decides = running.launch != nullptr && is_alone && may_decide_in_place &&
                       !race_is_unsettled && hinted_address == 0;
  running.read_base = decides ? kDeviceBase : kNowhere;
  running.write_base = decides && !running.holds_writes_back ? kDeviceBase : kNowhere;
}

}  // namespace simt::device
