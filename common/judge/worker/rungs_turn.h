// SPDX-License-Identifier: MIT
// When the rung's own code runs. device_cpu.cpp and device_cuda.cpp each define the functions.
#pragma once

namespace worker {

// Between the two the emulator keeps device memory out of the host's reach.
void begin_turn();
void end_turn();

class RungsTurn {
 public:
  RungsTurn() { begin_turn(); }
  ~RungsTurn() { end_turn(); }
  RungsTurn(const RungsTurn&) = delete;
  RungsTurn& operator=(const RungsTurn&) = delete;
};

}  // namespace worker
