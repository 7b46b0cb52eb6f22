// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

namespace simt::device {

// Room for what a room above keeps of an object here. T stays incomplete here, so its owner gives
// the deleter.
template <class T>
using Slot = std::unique_ptr<T, void (*)(T*)>;

template <class T>
Slot<T> empty_slot() {
  return {nullptr, [](T*) {}};
}

}  // namespace simt::device
