// SPDX-License-Identifier: MIT
// Code that was built to run without checks.
#include <cstdio>

#include "check/memory_check.h"
#include "run/poll.h"
#include "simt/checks.h"

bool simt::expect_unchecked_code(bool is_announced) {
  if (device::checks_were_chosen && device::checks_made != Checks::kNone) {
    std::fputs(
        "lockstep: this program was built with --checks none, so nothing is checked: build it "
        "again\n",
        stderr);
  }
  static bool some_is_announced = false;  // of several files
  some_is_announced = some_is_announced || is_announced;
  if (!is_announced) device::code_is_announced = false;
  device::code_is_silent = !some_is_announced;
  device::checks_made = Checks::kNone;
  return true;
}
