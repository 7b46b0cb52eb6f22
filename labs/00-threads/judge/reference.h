// SPDX-License-Identifier: MIT
// What the device holds, for the expected launches of rung 06.
#pragma once

namespace lab_judge {

struct Multiprocessors {
  int count = 0;
  int threads_of_each = 0;
};

// Of the GPU. The emulator poses as what the test asks for: nothing is known there.
Multiprocessors multiprocessors();

}  // namespace lab_judge
