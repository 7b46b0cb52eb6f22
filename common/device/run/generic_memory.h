// SPDX-License-Identifier: MIT
// Memory that a kernel hands to the machine's own functions by address: strings, arguments,
// records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "run/engine.h"

namespace run {

// Reads what the lane sees at a generic address. Returns false, and zeros, where nothing is.
bool read_generic(const Warp& warp, int lane, std::uint64_t address, void* to,
                  std::size_t size_bytes);

template <class T>
T read_generic(const Warp& warp, int lane, std::uint64_t address) {
  T value{};
  read_generic(warp, lane, address, &value, sizeof value);
  return value;
}

// Up to the zero, at most so many characters.
std::string read_text(const Warp& warp, int lane, std::uint64_t address,
                      std::size_t max_size = 4096);

}  // namespace run
