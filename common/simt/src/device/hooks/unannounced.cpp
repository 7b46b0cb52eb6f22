// SPDX-License-Identifier: MIT
// Code whose accesses and basic blocks are not announced.
#include <cstdio>

#include "check/memory_check.h"
#include "run/poll.h"
#include "simt/checks.h"

bool simt::expect_unannounced_code() {
  if (device::code_is_announced && device::checks_were_chosen &&
      device::checks_made != Checks::kNone) {
    std::fputs(
        "lockstep: this program was built with --checks none, so nothing is checked: build it "
        "again\n",
        stderr);
  }
  device::code_is_announced = false;
  device::checks_made = Checks::kNone;
  return true;
}
