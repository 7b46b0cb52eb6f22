// SPDX-License-Identifier: MIT
// What the program may call and write to, in a worker; see simt/confine.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "run/running.h"

namespace simt::device {

inline constexpr std::size_t kConfinedBytes = 4 << 10;

// On a page of its own, to which nothing can be written once it is set.
struct alignas(kConfinedBytes) Confined {
  unsigned char is_confined = 0;  // at the first byte, where the code in hooks/call.cpp looks

  std::size_t num_others = 0;
  std::array<std::uintptr_t, 16> others = {};  // that may be called besides its own functions
  const std::pmr::vector<std::uintptr_t>* own = nullptr;  // sealed; null before the first look

  AddressRange program;                     // the emulator and the program's own
  AddressRange libraries;                   // all of them, and what may lie between them
  AddressRange stacks;                      // of fibers, and the shadows of all; see return_stack.h
  std::uintptr_t host_stack = UINTPTR_MAX;  // from here on lies the stack of the host's code
  std::size_t num_parts = 0;
  std::array<AddressRange, 16> parts = {};  // the libraries, one by one
};

extern "C" Confined simt_confined;

// Opens or closes the page. Where the system's pages are larger, it stays open.
void open_confined(bool may_write);

// Whether a store of the host's goes to code, variables or a stack, be they its own or not.
inline bool is_guarded(std::uintptr_t address) {
  return simt_confined.program.contains(address) || simt_confined.libraries.contains(address) ||
         simt_confined.stacks.contains(address) || address >= simt_confined.host_stack;
}

}  // namespace simt::device
