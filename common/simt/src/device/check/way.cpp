// SPDX-License-Identifier: MIT
#include "check/way.h"

#include "run/running.h"

namespace simt::device {

bool is_alone = false;
bool race_is_unsettled = false;
std::uintptr_t hinted_address = 0;
bool may_decide_in_place = true;

void choose_way() {
  running.decides_in_place = running.launch != nullptr && is_alone && may_decide_in_place &&
                             !race_is_unsettled && hinted_address == 0;
}

}  // namespace simt::device
